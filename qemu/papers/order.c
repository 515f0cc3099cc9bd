/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/order.h"

#include "qemu/papers/one_round.h"
#include "qemu/papers/reinsert.h"
#include "qemu/papers/search.h"
#include "qemu/support/memory.h"

#include <stdlib.h>
#include <string.h>

/* So often is the order changed to that of the makespan that the last order
   gave. */
#define CHANGES_MAX 4

struct key {
    mpq_t first, second;
    size_t worker;
};

static int compare(const void *left, const void *right)
{
    const struct key *one = left;
    const struct key *other = right;
    int order = mpq_cmp(one->first, other->first);

    if (order == 0) {
        order = mpq_cmp(one->second, other->second);
    }
    return order != 0
               ? order
               : (one->worker > other->worker) - (one->worker < other->worker);
}

/* G w - g W */
static void set_offset(mpq_t offset, const struct papers_star *star,
                       size_t worker)
{
    mpq_t other;

    mpq_init(other);
    mpq_mul(offset, papers_star_at(star, worker, PAPERS_STARTUP),
            papers_star_at(star, worker, PAPERS_W));
    mpq_mul(other, papers_star_at(star, worker, PAPERS_G),
            papers_star_at(star, worker, PAPERS_LATENCY));
    mpq_sub(offset, offset, other);
    mpq_clear(other);
}

/* Sorts by k with this much time left, or by rising g first (time NULL). */
static void sort(size_t *order, const struct papers_star *star, mpq_srcptr time)
{
    size_t count = star->workers->count;
    struct key *keys = memory_or_exit(malloc(count * sizeof *keys));

    for (size_t i = 0; i < count; ++i) {
        struct key *key = &keys[i];

        mpq_inits(key->first, key->second, NULL);
        key->worker = i;
        set_offset(key->second, star, i);
        mpq_set(key->first, papers_star_at(star, i, PAPERS_G));
        if (time != NULL) {
            mpq_mul(key->first, key->first, time);
            mpq_add(key->first, key->first, key->second);
        }
    }
    qsort(keys, count, sizeof *keys, compare);
    for (size_t i = 0; i < count; ++i) {
        order[i] = keys[i].worker;
        mpq_clears(keys[i].first, keys[i].second, NULL);
    }
    free(keys);
}

void papers_order_by_rule(size_t *order, const struct papers_star *star)
{
    sort(order, star, NULL);
}

static bool has_startups(const struct papers_star *star)
{
    for (size_t i = 0; i < star->workers->count; ++i) {
        if (mpq_sgn(papers_star_at(star, i, PAPERS_STARTUP)) != 0 ||
            mpq_sgn(papers_star_at(star, i, PAPERS_LATENCY)) != 0) {
            return true;
        }
    }
    return false;
}

/* Plans in another order, and keeps that plan if it ends earlier. Result:
   whether it does. */
static bool replan(struct papers_plan *plan, const struct papers_star *star,
                   const size_t *order, size_t count)
{
    struct papers_plan other;
    bool shorter;

    papers_one_round(&other, star, order, count);
    shorter = mpq_cmp(other.makespan, plan->makespan) < 0;
    papers_plan_free(shorter ? plan : &other);
    if (shorter) {
        *plan = other;
    }
    return shorter;
}

/* Looks for better orders: as long as that helps, the one that k gives for the
   plan's makespan, then single workers at other places. */
static void improve(struct papers_plan *plan, const struct papers_star *star,
                    size_t *order)
{
    bool shorter = true;
    size_t count;
    mpq_t time;

    mpq_init(time);
    for (unsigned i = 0; i < CHANGES_MAX && shorter; ++i) {
        mpq_set_d(time, mpq_get_d(plan->makespan)); /* of few digits */
        sort(order, star, time);
        shorter = replan(plan, star, order, star->workers->count);
    }
    mpq_clear(time);
    memcpy(order, plan->worker, plan->sends * sizeof *order);
    count = papers_reinsert(order, plan->sends, star);
    (void)replan(plan, star, order, count);
}

void papers_order_best(struct papers_plan *plan, const struct papers_star *star)
{
    size_t count = star->workers->count;
    size_t *order = memory_or_exit(malloc(count * sizeof *order));
    bool search = count <= PAPERS_SEARCH_MAX;

    if (search) {
        count = papers_search(order, star);
    } else {
        sort(order, star, NULL);
    }
    papers_one_round(plan, star, order, count);
    if (!search && has_startups(star)) {
        improve(plan, star, order);
    }
    plan->searched = search || !has_startups(star);
    free(order);
}

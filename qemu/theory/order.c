/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/order.h"

#include "qemu/theory/one_round.h"
#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* So often is the order changed to that of the makespan that the last order
   gave. */
#define CHANGES_MAX 4

/* Chains that are joined to move workers. */
#define JOINS_MAX 1000000

/* A worker is moved only if the makespan falls by more than this part. */
#define SHORTER (1 - 1e-12L)

/* ---- by a rule ---- */

struct key {
    quad first, second;
    size_t worker;
};

static int compare(const void *left, const void *right)
{
    const struct key *one = left;
    const struct key *other = right;
    int order = theory_number_compare(one->first, other->first);

    if (order == 0) {
        order = theory_number_compare(one->second, other->second);
    }
    return order != 0
               ? order
               : (one->worker > other->worker) - (one->worker < other->worker);
}

/* Sorts by g s + (G w - g W) with this much time left; 0: by rising g first. */
static void sort(size_t *order, const struct theory_star *star, quad time)
{
    size_t count = star->workers->count;
    struct key *keys = memory_or_exit(malloc(count * sizeof *keys));

    for (size_t i = 0; i < count; ++i) {
        const quad *of = star->workers->numbers[i];
        quad offset = theory_number_minus(of[THEORY_STARTUP] * of[THEORY_W],
                                          of[THEORY_G] * of[THEORY_LATENCY]);

        keys[i] =
            (struct key){.first = of[THEORY_G], .second = offset, .worker = i};
        if (time > 0) {
            keys[i].first = of[THEORY_G] * time + offset;
        }
    }
    qsort(keys, count, sizeof *keys, compare);
    for (size_t i = 0; i < count; ++i) {
        order[i] = keys[i].worker;
    }
    free(keys);
}

void theory_order_by_rule(size_t *order, const struct theory_star *star)
{
    sort(order, star, 0);
}

static bool has_startups(const struct theory_star *star)
{
    for (size_t i = 0; i < star->workers->count; ++i) {
        const quad *of = star->workers->numbers[i];

        if (of[THEORY_STARTUP] > 0 || of[THEORY_LATENCY] > 0) {
            return true;
        }
    }
    return false;
}

/* ---- all orders of all subsets ---- */

struct best {
    size_t *order;
    size_t count;
    quad makespan; /* 0: none yet */
};

/* Keeps an order if it ends earlier than the best. Result: whether it does. */
static bool judge(struct best *best, const struct theory_star *star,
                  const struct theory_chain *chain, const size_t *order,
                  size_t count, quad shorter)
{
    quad makespan = theory_chain_makespan(chain, star);

    if (makespan <= 0 ||
        (best->makespan > 0 && !(makespan < best->makespan * shorter))) {
        return false;
    }
    memcpy(best->order, order, count * sizeof *order);
    best->count = count;
    best->makespan = makespan;
    return true;
}

/* Tries all orders: each is the one before it with one worker more, or with
   its last workers replaced by a later one. */
static void search(struct best *best, const struct theory_star *star)
{
    size_t all = star->workers->count;
    struct theory_chain chain[THEORY_SEARCH_MAX + 1] = {theory_chain_none()};
    size_t order[THEORY_SEARCH_MAX] = {0};
    bool used[THEORY_SEARCH_MAX] = {false};
    size_t count = 0;
    size_t next = 0;

    judge(best, star, &chain[0], order, 0, 1);
    while (count > 0 || next < all) {
        if (next == all) {
            count -= 1;
            next = order[count];
            used[next] = false;
            next += 1;
        } else if (used[next]) {
            next += 1;
        } else {
            struct theory_chain step = theory_chain_of(star, next);

            chain[count + 1] = theory_chain_join(&chain[count], &step);
            used[next] = true;
            order[count] = next;
            count += 1;
            judge(best, star, &chain[count], order, count,
                  1 - (quad)THEORY_NEAR);
            next = 0;
        }
    }
}

/* ---- single workers moved ---- */

struct moves {
    const struct theory_star *star;
    struct theory_chain *step;   /* of each worker */
    struct theory_chain *before; /* of the first 0, 1, .. of the others */
    struct theory_chain *behind; /* of the others from 0, 1, .. on */
    size_t *trial;
    size_t joins; /* so far */
};

/* Writes the order without a worker, and its chains. Result: how many these
   are. */
static size_t take_out(struct moves *moves, const struct best *best,
                       size_t worker)
{
    size_t rest = 0;

    for (size_t i = 0; i < best->count; ++i) {
        moves->trial[rest] = best->order[i];
        rest += best->order[i] != worker;
    }
    moves->before[0] = moves->behind[rest] = theory_chain_none();
    for (size_t i = 0; i < rest; ++i) {
        size_t last = rest - 1 - i;

        moves->before[i + 1] =
            theory_chain_join(&moves->before[i], &moves->step[moves->trial[i]]);
        moves->behind[last] = theory_chain_join(
            &moves->step[moves->trial[last]], &moves->behind[last + 1]);
    }
    moves->joins += 2 * rest;
    return rest;
}

/* Tries a worker nowhere, then at each place. Result: whether one is better. */
static bool move(struct moves *moves, struct best *best, size_t worker)
{
    size_t *trial = moves->trial;
    size_t count = best->count;
    size_t rest = take_out(moves, best, worker);
    bool better = rest < count && judge(best, moves->star, &moves->before[rest],
                                        trial, rest, SHORTER);

    for (size_t place = rest + 1; place-- > 0 && moves->joins < JOINS_MAX;) {
        struct theory_chain chain =
            theory_chain_join(&moves->before[place], &moves->step[worker]);

        if (place < rest) {
            trial[place + 1] = trial[place];
        }
        trial[place] = worker;
        chain = theory_chain_join(&chain, &moves->behind[place]);
        better |= judge(best, moves->star, &chain, trial, rest + 1, SHORTER);
        moves->joins += 2;
    }
    return better;
}

static void move_all(struct best *best, const struct theory_star *star)
{
    size_t all = star->workers->count;
    struct theory_chain *chains =
        memory_or_exit(malloc((3 * all + 2) * sizeof *chains));
    struct moves moves = {.star = star,
                          .step = chains,
                          .before = chains + all,
                          .behind = chains + 2 * all + 1};
    bool better = true;

    moves.trial = memory_or_exit(malloc((all + 1) * sizeof *moves.trial));
    for (size_t i = 0; i < all; ++i) {
        moves.step[i] = theory_chain_of(star, i);
    }
    while (better) {
        better = false;
        for (size_t i = 0; i < all && moves.joins < JOINS_MAX; ++i) {
            better |= move(&moves, best, i);
        }
    }
    free(moves.trial);
    free(chains);
}

/* ---- the best ---- */

/* Plans in another order, and keeps that plan if it ends earlier. Result:
   whether it does. */
static bool replan(struct theory_star_plan *plan,
                   const struct theory_star *star, const size_t *order,
                   size_t count)
{
    struct theory_star_plan other;
    bool shorter;

    theory_one_round(&other, star, order, count);
    shorter = theory_number_compare(other.makespan, plan->makespan) < 0;
    theory_star_plan_free(shorter ? plan : &other);
    if (shorter) {
        *plan = other;
    }
    return shorter;
}

/* Looks for better orders: as long as that helps, the one that k gives for the
   plan's makespan, then single workers at other places. */
static void improve(struct theory_star_plan *plan,
                    const struct theory_star *star, size_t *order)
{
    struct best best = {.order = order};
    bool shorter = true;

    for (unsigned i = 0; i < CHANGES_MAX && shorter; ++i) {
        sort(order, star, plan->makespan);
        shorter = replan(plan, star, order, star->workers->count);
    }
    memcpy(order, plan->worker, plan->sends * sizeof *order);
    best.count = plan->sends;
    best.makespan = plan->makespan;
    move_all(&best, star);
    (void)replan(plan, star, order, best.count);
}

void theory_order_best(struct theory_star_plan *plan,
                       const struct theory_star *star)
{
    size_t count = star->workers->count;
    struct best best = {.order =
                            memory_or_exit(malloc(count * sizeof *best.order))};

    if (count <= THEORY_SEARCH_MAX) {
        search(&best, star);
        theory_one_round(plan, star, best.order, best.count);
        plan->searched = true;
    } else {
        sort(best.order, star, 0);
        theory_one_round(plan, star, best.order, count);
        plan->searched = !has_startups(star);
        if (!plan->searched) {
            improve(plan, star, best.order);
        }
    }
    free(best.order);
}

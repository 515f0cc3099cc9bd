/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/search.h"

#include "qemu/support/memory.h"

#include <stdlib.h>
#include <string.h>

/* After the first workers of an order, with T the makespan. */
struct prefix {
    mpq_t kept, delay;  /* what is left: kept T - delay */
    mpq_t taken, late;  /* what they and the master take: taken T - late */
    mpq_t makespan_min; /* with which everybody gets nothing or more */
};

struct search {
    const struct papers_star *star;
    struct prefix *prefix; /* of 0, 1, .. workers */
    size_t *order;
    bool *used;
    size_t *best;
    size_t best_count;
    mpq_t makespan;          /* of the best; 0: none yet */
    mpq_t rate, units, time; /* for computing */
};

/* The prefix with one worker more. */
static void add_worker(struct search *search, size_t count, size_t worker)
{
    const struct papers_star *star = search->star;
    const struct prefix *from = &search->prefix[count];
    struct prefix *to = &search->prefix[count + 1];
    mpq_srcptr g = papers_star_at(star, worker, PAPERS_G);
    mpq_srcptr startup = papers_star_at(star, worker, PAPERS_STARTUP);

    mpq_add(search->rate, g, papers_star_at(star, worker, PAPERS_W));
    mpq_inv(search->rate, search->rate);
    /* Everybody gets something if T > (delay + G + W) / kept. */
    mpq_add(search->time, from->delay, startup);
    mpq_add(to->delay, search->time,
            papers_star_at(star, worker, PAPERS_LATENCY));
    mpq_div(to->makespan_min, to->delay, from->kept);
    if (mpq_cmp(to->makespan_min, from->makespan_min) < 0) {
        mpq_set(to->makespan_min, from->makespan_min);
    }
    /* a = (kept T - delay - G - W) / (g + w) */
    mpq_mul(search->units, from->kept, search->rate);
    mpq_add(to->taken, from->taken, search->units);
    mpq_mul(search->units, search->units, g);
    mpq_sub(to->kept, from->kept, search->units);
    mpq_mul(search->units, to->delay, search->rate);
    mpq_add(to->late, from->late, search->units);
    mpq_mul(search->units, search->units, g);
    mpq_sub(to->delay, search->time, search->units);
}

/* Keeps the order's first workers if they end earlier than the best. */
static void judge(struct search *search, size_t count)
{
    const struct prefix *prefix = &search->prefix[count];

    if (mpq_sgn(prefix->taken) == 0) {
        return;
    }
    mpq_add(search->time, search->star->load, prefix->late);
    mpq_div(search->time, search->time, prefix->taken);
    if ((count == 0 || mpq_cmp(search->time, prefix->makespan_min) > 0) &&
        (mpq_sgn(search->makespan) == 0 ||
         mpq_cmp(search->time, search->makespan) < 0)) {
        mpq_set(search->makespan, search->time);
        memcpy(search->best, search->order, count * sizeof *search->order);
        search->best_count = count;
    }
}

/* Tries all orders: each is the one before it with one worker more, or with
   its last workers replaced by a later one. */
static void try_all(struct search *search)
{
    size_t all = search->star->workers->count;
    size_t count = 0;
    size_t next = 0;

    judge(search, 0);
    while (count > 0 || next < all) {
        if (next == all) {
            count -= 1;
            next = search->order[count];
            search->used[next] = false;
            next += 1;
        } else if (search->used[next]) {
            next += 1;
        } else {
            add_worker(search, count, next);
            search->used[next] = true;
            search->order[count] = next;
            count += 1;
            judge(search, count);
            next = 0;
        }
    }
}

static void init(struct search *search, const struct papers_star *star)
{
    size_t all = star->workers->count;

    search->prefix = memory_or_exit(malloc((all + 1) * sizeof *search->prefix));
    search->order = memory_or_exit(malloc(all * sizeof *search->order));
    search->used = memory_or_exit(calloc(all, sizeof *search->used));
    mpq_inits(search->makespan, search->rate, search->units, search->time,
              NULL);
    for (size_t i = 0; i <= all; ++i) {
        struct prefix *prefix = &search->prefix[i];

        mpq_inits(prefix->kept, prefix->delay, prefix->taken, prefix->late,
                  prefix->makespan_min, NULL);
    }
    mpq_set_ui(search->prefix[0].kept, 1, 1);
    papers_star_master_rate(search->prefix[0].taken, star);
}

size_t papers_search(size_t *order, const struct papers_star *star)
{
    struct search search = {.star = star, .best = order};

    init(&search, star);
    try_all(&search);
    for (size_t i = 0; i <= star->workers->count; ++i) {
        struct prefix *prefix = &search.prefix[i];

        mpq_clears(prefix->kept, prefix->delay, prefix->taken, prefix->late,
                   prefix->makespan_min, NULL);
    }
    mpq_clears(search.makespan, search.rate, search.units, search.time, NULL);
    free(search.prefix);
    free(search.order);
    free(search.used);
    return search.best_count;
}

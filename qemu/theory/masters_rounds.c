/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/masters_rounds.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

#define NEWTON_MAX 1000
#define RANGES_MAX 64
#define MAX THEORY_MASTERS_ROUNDS_MAX

struct search {
    const struct theory_rounds *plan;
    long double round_time;
    long double time; /* of the best so far, without the basic round's */
    long double idle;
    unsigned rounds;
};

/* A number of rounds and its least idle time. */
struct point {
    unsigned rounds;
    long double idle;
};

/* The limit that holds for the round after R = `sum`, and R after it; NULL: no
   worker limits it, one round is enough. */
static const struct theory_limit *next_round(long double *next,
                                             const struct theory_rounds *plan,
                                             long double sum, long double idle)
{
    const struct theory_limit *least = NULL;

    *next = 1;
    for (size_t i = 0; i < plan->limits; ++i) {
        const struct theory_limit *limit = &plan->limit[i];
        long double after = limit->a + idle * limit->b + sum * (1 - limit->c);

        if (least == NULL || after < *next) {
            least = limit;
            *next = after;
        }
    }
    return least;
}

/* R after so many rounds, and how fast it grows with the idle time. */
static long double sum_rounds(long double *slope,
                              const struct theory_rounds *plan, unsigned rounds,
                              long double idle)
{
    long double sum = 0;

    *slope = 0;
    while (rounds-- > 0) {
        const struct theory_limit *least = next_round(&sum, plan, sum, idle);

        if (least == NULL) {
            return 1;
        }
        *slope = least->b + *slope * (1 - least->c);
    }
    return sum;
}

/* The least idle time with which so many rounds suffice, not below `from`. */
static long double least_idle(const struct theory_rounds *plan, unsigned rounds,
                              long double from)
{
    for (unsigned i = 0; i < NEWTON_MAX; ++i) {
        long double slope;
        long double sum = sum_rounds(&slope, plan, rounds, from);
        long double next;

        if (sum >= 1) {
            break;
        }
        next = from + (1 - sum) / slope;
        if (next <= from) {
            break;
        }
        from = next;
    }
    return from;
}

static struct point try_rounds(struct search *search, unsigned rounds,
                               long double from)
{
    struct point point = {rounds, least_idle(search->plan, rounds, from)};
    long double time = rounds * search->round_time + point.idle;

    if (time < search->time ||
        (time == search->time && rounds < search->rounds)) {
        search->rounds = rounds;
        search->idle = point.idle;
        search->time = time;
    }
    return point;
}

/* Tries the numbers between two, but for those that cannot be better. */
static void try_between(struct search *search, struct point low,
                        struct point high)
{
    struct point stack[RANGES_MAX];
    unsigned depth = 1;

    stack[0] = high;
    while (depth > 0) {
        high = stack[depth - 1];
        if (high.rounds - low.rounds < 2 ||
            (low.rounds + 1) * search->round_time + high.idle >= search->time) {
            low = high;
            depth -= 1;
        } else {
            stack[depth] = try_rounds(
                search, low.rounds + (high.rounds - low.rounds) / 2, high.idle);
            depth += 1;
        }
    }
}

/* Sets each round's part for the best; the last one takes what is left. */
static void set_parts(struct theory_rounds *plan)
{
    long double sum = 0;

    plan->part =
        memory_or_exit(malloc((plan->rounds + 1) * sizeof *plan->part));
    for (unsigned i = 0; i < plan->rounds; ++i) {
        long double next;

        (void)next_round(&next, plan, sum, plan->idle);
        if (next > 1 || i + 1 == plan->rounds) {
            next = 1;
        }
        plan->part[i] = next - sum;
        sum = next;
    }
}

bool theory_masters_rounds(struct theory_rounds *plan, long double round_time,
                           long double alone)
{
    struct search search = {
        .plan = plan, .round_time = round_time, .time = alone};
    struct point low = try_rounds(&search, 1, 0);

    while (low.rounds * round_time < search.time) {
        struct point high;

        if (low.rounds == MAX) {
            return false;
        }
        high = try_rounds(&search, 2 * low.rounds, 0);
        try_between(&search, low, high);
        low = high;
    }
    plan->rounds = search.rounds;
    plan->idle = search.idle;
    plan->over = search.time;
    set_parts(plan);
    return true;
}

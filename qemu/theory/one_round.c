/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/one_round.h"

#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct round {
    const struct theory_star *star;
    size_t count;
    struct theory_chain *step; /* of each worker, by place in the order */
    bool *in;                  /* takes part, by place */
    quad makespan;
};

struct theory_chain theory_chain_of(const struct theory_star *star,
                                    size_t worker)
{
    const quad *of = star->workers->numbers[worker];
    quad rate = 1 / (of[THEORY_G] + of[THEORY_W]);
    quad least = of[THEORY_STARTUP] + of[THEORY_LATENCY];

    return (struct theory_chain){.taken = rate,
                                 .late = least * rate,
                                 .kept = of[THEORY_W] * rate,
                                 .delay = (of[THEORY_W] * of[THEORY_STARTUP] -
                                           of[THEORY_G] * of[THEORY_LATENCY]) *
                                          rate,
                                 .least = least};
}

struct theory_chain theory_chain_join(const struct theory_chain *first,
                                      const struct theory_chain *next)
{
    return (struct theory_chain){
        .taken = first->taken + next->taken * first->kept,
        .late = first->late + next->taken * first->delay + next->late,
        .kept = next->kept * first->kept,
        .delay = next->kept * first->delay + next->delay,
        .least =
            quad_max(first->least, (next->least + first->delay) / first->kept)};
}

/* The makespan of a chain, some of whom perhaps get less than nothing. */
static quad balance(const struct theory_chain *chain,
                    const struct theory_star *star)
{
    return (star->load + chain->late) / (chain->taken + star->master_rate);
}

quad theory_chain_makespan(const struct theory_chain *chain,
                           const struct theory_star *star)
{
    quad makespan = balance(chain, star);

    return theory_number_compare(makespan, chain->least) > 0 ? makespan : 0;
}

/* Computes the makespan with those who are in: all finish together, some
   perhaps with less than nothing. */
static void solve(struct round *round)
{
    struct theory_chain all = theory_chain_none();

    for (size_t i = 0; i < round->count; ++i) {
        if (round->in[i]) {
            all = theory_chain_join(&all, &round->step[i]);
        }
    }
    round->makespan = balance(&all, round->star);
}

/*
 * Takes out who gets nothing or less within the makespan, behind those who were
 * in; or, to `refill`, takes in whoever gets something, one after the other.
 * Result: whether these are others than before. The chunks' sum is more than
 * nothing, so somebody stays.
 */
static bool choose(struct round *round, bool refill)
{
    struct theory_chain before = theory_chain_none();
    bool any = false;

    for (size_t i = 0; i < round->count; ++i) {
        const struct theory_chain *step = &round->step[i];
        bool was = round->in[i];

        if (was || refill) {
            quad least = (step->least + before.delay) / before.kept;

            round->in[i] = theory_number_compare(round->makespan, least) > 0;
        }
        if (refill ? round->in[i] : was) {
            before = theory_chain_join(&before, step);
        }
        any |= round->in[i] != was;
    }
    return any;
}

/* Solves until everybody who is in gets something. */
static void settle(struct round *round)
{
    do {
        solve(round);
    } while (choose(round, false));
}

/* Looks for a shorter makespan with others, as long as there is one. */
static void improve(struct round *round)
{
    bool *in = memory_or_exit(malloc((round->count + 1) * sizeof *in));
    bool shorter = true;

    while (shorter) {
        quad makespan = round->makespan;

        memcpy(in, round->in, round->count * sizeof *in);
        if (!choose(round, true)) {
            break;
        }
        settle(round);
        shorter = theory_number_compare(round->makespan, makespan) < 0;
        if (!shorter) {
            memcpy(round->in, in, round->count * sizeof *in);
            round->makespan = makespan;
        }
    }
    free(in);
}

void theory_one_round(struct theory_star_plan *plan,
                      const struct theory_star *star, const size_t *order,
                      size_t count)
{
    struct round round = {.star = star, .count = count};
    quad left;

    round.step = memory_or_exit(malloc((count + 1) * sizeof *round.step));
    round.in = memory_or_exit(malloc((count + 1) * sizeof *round.in));
    for (size_t i = 0; i < count; ++i) {
        round.step[i] = theory_chain_of(star, order[i]);
        round.in[i] = true;
    }
    settle(&round);
    improve(&round);
    theory_star_plan_init(plan, count);
    left = round.makespan;
    for (size_t i = 0; i < count; ++i) {
        const struct theory_chain *step = &round.step[i];

        if (round.in[i]) {
            theory_star_plan_add(plan, order[i],
                                 step->taken * left - step->late);
            left = step->kept * left - step->delay;
        }
    }
    theory_star_plan_finish(plan, star, round.makespan);
    free(round.step);
    free(round.in);
}

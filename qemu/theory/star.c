/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/star.h"

#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Most orders tried by theory_star_sort(). The makespan of one order is the
   time for which the next one is sorted. */
#define CHANGES_MAX 4

/* Most calls of join() while single workers are moved to other places of the
   order. */
#define JOINS_MAX 1000000

/* A worker is moved only if the makespan then falls below SHORTER times
   itself. */
#define SHORTER (1 - 1e-12L)

void theory_star_plan_init(struct theory_star_plan *plan, size_t sends_max)
{
    *plan = (struct theory_star_plan){.rounds = 1};
    plan->worker =
        memory_or_exit(malloc((sends_max + 1) * sizeof *plan->worker));
    plan->units = memory_or_exit(malloc((sends_max + 1) * sizeof *plan->units));
}

void theory_star_plan_free(struct theory_star_plan *plan)
{
    free(plan->units);
    free(plan->worker);
}

void theory_star_plan_add(struct theory_star_plan *plan, size_t worker,
                          quad units)
{
    plan->worker[plan->sends] = worker;
    plan->units[plan->sends] = units;
    plan->sends += 1;
}

void theory_star_plan_finish(struct theory_star_plan *plan,
                             const struct theory_star *star, quad makespan)
{
    plan->makespan = makespan;
    plan->master_units = star->master_rate * makespan;
    plan->rate = star->load / makespan;
}

/* ---- chains ---- */

/* Workers that the master serves one after the other, with time s left until
   the makespan when the first transfer begins. They take `taken s - late` units
   in all. After them, `kept s - delay` of the time is left for later workers.
   Each of them gets more than 0 units if s is more than `least`. */
struct chain {
    quad taken, late;
    quad kept, delay;
    quad least;
};

static const struct chain nobody = {.kept = 1, .least = -LDBL_MAX};

static struct chain chain_of(const struct theory_star *star, size_t worker)
{
    const quad *of = star->workers->numbers[worker];
    quad rate = 1 / (of[THEORY_G] + of[THEORY_W]);
    quad least = of[THEORY_STARTUP] + of[THEORY_LATENCY];

    return (struct chain){.taken = rate,
                          .late = least * rate,
                          .kept = of[THEORY_W] * rate,
                          .delay = (of[THEORY_W] * of[THEORY_STARTUP] -
                                    of[THEORY_G] * of[THEORY_LATENCY]) *
                                   rate,
                          .least = least};
}

/* Joins two chains (workers that are served one after the other) to one: those
   of `next` come after those of `first`. */
static struct chain join(const struct chain *first, const struct chain *next)
{
    return (struct chain){
        .taken = first->taken + next->taken * first->kept,
        .late = first->late + next->taken * first->delay + next->late,
        .kept = next->kept * first->kept,
        .delay = next->kept * first->delay + next->delay,
        .least =
            quad_max(first->least, (next->least + first->delay) / first->kept)};
}

/* Returns the makespan with which a chain's workers and the master take exactly
   the load. Some chunks may be negative. */
static quad balance(const struct chain *chain, const struct theory_star *star)
{
    return (star->load + chain->late) / (chain->taken + star->master_rate);
}

/* ---- one round in a given order ---- */

/* One round that serves workers in a given order. If there are startups, some
   workers may get nothing: a heuristic selects who takes part, so a better
   selection may exist. */
struct round {
    const struct theory_star *star;
    size_t count;
    /* each worker's chain, in the order of sending */
    struct chain step[THEORY_WORKERS_MAX];
    bool in[THEORY_WORKERS_MAX]; /* in[i]: worker i of the order takes part */
    quad makespan;
};

/* Removes workers that would get no units, or fewer, within the makespan. If
   `refill` is true it selects anew among all workers, one after the other,
   those that get units. Returns whether the selection has changed. All chunks
   together are more than 0, so at least one worker stays. */
static bool choose(struct round *round, bool refill)
{
    struct chain before = nobody;
    bool any = false;

    for (size_t i = 0; i < round->count; ++i) {
        const struct chain *step = &round->step[i];
        bool was = round->in[i];

        if (was || refill) {
            quad least = (step->least + before.delay) / before.kept;

            round->in[i] = theory_number_compare(round->makespan, least) > 0;
        }
        if (refill ? round->in[i] : was) {
            before = join(&before, step);
        }
        any |= round->in[i] != was;
    }
    return any;
}

/* Computes the makespan and removes workers until each selected worker gets
   units. */
static void settle(struct round *round)
{
    do {
        struct chain all = nobody;

        for (size_t i = 0; i < round->count; ++i) {
            if (round->in[i]) {
                all = join(&all, &round->step[i]);
            }
        }
        round->makespan = balance(&all, round->star);
    } while (choose(round, false));
}

static void refill(struct round *round)
{
    struct round trial = *round;

    while (choose(&trial, true)) {
        settle(&trial);
        if (theory_number_compare(trial.makespan, round->makespan) >= 0) {
            break;
        }
        *round = trial;
    }
}

/* Plans one round for `count` different workers, at least one, in this order.
   Cost: O(count) for each removal of workers. */
static void plan_order(struct theory_star_plan *plan,
                       const struct theory_star *star, const size_t *order,
                       size_t count)
{
    struct round round = {.star = star, .count = count};
    quad left;

    for (size_t i = 0; i < count; ++i) {
        round.step[i] = chain_of(star, order[i]);
        round.in[i] = true;
    }
    settle(&round);
    refill(&round);
    theory_star_plan_init(plan, count);
    left = round.makespan;
    for (size_t i = 0; i < count; ++i) {
        const struct chain *step = &round.step[i];

        if (round.in[i]) {
            theory_star_plan_add(plan, order[i],
                                 step->taken * left - step->late);
            left = step->kept * left - step->delay;
        }
    }
    theory_star_plan_finish(plan, star, round.makespan);
}

/* ---- orders by a rule ---- */

void theory_star_sort(size_t *order, const struct theory_star *star, quad time)
{
    size_t count = star->workers->count;
    struct theory_key keys[THEORY_WORKERS_MAX];

    for (size_t i = 0; i < count; ++i) {
        const quad *of = star->workers->numbers[i];
        quad offset = theory_number_minus(of[THEORY_STARTUP] * of[THEORY_W],
                                          of[THEORY_G] * of[THEORY_LATENCY]);

        keys[i] = (struct theory_key){of[THEORY_G], offset, i};
        if (time > 0) {
            keys[i].first = of[THEORY_G] * time + offset;
        }
    }
    theory_keys_sort(keys, count);
    for (size_t i = 0; i < count; ++i) {
        order[i] = keys[i].worker;
    }
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
    size_t order[THEORY_WORKERS_MAX];
    size_t count;
    quad makespan; /* 0: none yet */
};

/* Makes an order the best if all of its workers get units and its makespan is
   below `shorter` times the best one's. Returns whether it does. */
static bool judge(struct best *best, const struct theory_star *star,
                  const struct chain *chain, const size_t *order, size_t count,
                  quad shorter)
{
    quad makespan = balance(chain, star);

    if (theory_number_compare(makespan, chain->least) <= 0 || makespan <= 0 ||
        (best->makespan > 0 && !(makespan < best->makespan * shorter))) {
        return false;
    }
    memcpy(best->order, order, count * sizeof *order);
    best->count = count;
    best->makespan = makespan;
    return true;
}

/* Tries all orders of all workers, and all orders of fewer workers as their
   prefixes. Skips prefixes that the order before had, too. */
static void search(struct best *best, const struct theory_star *star)
{
    size_t all = star->workers->count;
    struct chain chain[THEORY_SEARCH_MAX + 1] = {nobody};
    size_t order[THEORY_SEARCH_MAX];
    size_t changed = 0;

    theory_order_first(order, all);
    judge(best, star, &chain[0], order, 0, 1);
    while (changed < all) {
        for (size_t i = changed; i < all; ++i) {
            struct chain step = chain_of(star, order[i]);

            chain[i + 1] = join(&chain[i], &step);
            judge(best, star, &chain[i + 1], order, i + 1,
                  1 - (quad)THEORY_NEAR);
        }
        changed = theory_order_next(order, all);
    }
}

/* ---- single workers moved ---- */

struct moves {
    const struct theory_star *star;
    struct chain step[THEORY_WORKERS_MAX]; /* chain of each worker alone */
    size_t trial[THEORY_WORKERS_MAX + 1];
    /* before[i]: chain of the trial's first i workers */
    struct chain before[THEORY_WORKERS_MAX + 1];
    /* behind[i]: chain of the trial's workers from i on */
    struct chain behind[THEORY_WORKERS_MAX + 1];
    size_t joins; /* number of calls of join() so far */
};

/* Writes the best order without `worker` to `trial`, and its chains. Returns
   the number of workers in it. */
static size_t take_out(struct moves *moves, const struct best *best,
                       size_t worker)
{
    size_t rest = 0;

    for (size_t i = 0; i < best->count; ++i) {
        moves->trial[rest] = best->order[i];
        rest += best->order[i] != worker;
    }
    moves->before[0] = moves->behind[rest] = nobody;
    for (size_t i = 0; i < rest; ++i) {
        size_t last = rest - 1 - i;

        moves->before[i + 1] =
            join(&moves->before[i], &moves->step[moves->trial[i]]);
        moves->behind[last] =
            join(&moves->step[moves->trial[last]], &moves->behind[last + 1]);
    }
    moves->joins += 2 * rest;
    return rest;
}

/* Tries the best order without a worker, then with this worker at each place.
   Returns whether one of these orders is better; it becomes the best. */
static bool move(struct moves *moves, struct best *best, size_t worker)
{
    size_t *trial = moves->trial;
    size_t count = best->count;
    size_t rest = take_out(moves, best, worker);
    bool better = rest < count && judge(best, moves->star, &moves->before[rest],
                                        trial, rest, SHORTER);

    for (size_t place = rest + 1; place-- > 0 && moves->joins < JOINS_MAX;) {
        struct chain chain = join(&moves->before[place], &moves->step[worker]);

        if (place < rest) {
            trial[place + 1] = trial[place];
        }
        trial[place] = worker;
        chain = join(&chain, &moves->behind[place]);
        better |= judge(best, moves->star, &chain, trial, rest + 1, SHORTER);
        moves->joins += 2;
    }
    return better;
}

static void move_all(struct best *best, const struct theory_star *star)
{
    size_t all = star->workers->count;
    struct moves moves = {.star = star};
    bool better = true;

    for (size_t i = 0; i < all; ++i) {
        moves.step[i] = chain_of(star, i);
    }
    while (better) {
        better = false;
        for (size_t i = 0; i < all && moves.joins < JOINS_MAX; ++i) {
            better |= move(&moves, best, i);
        }
    }
}

/* ---- the best ---- */

static bool replan(struct theory_star_plan *plan,
                   const struct theory_star *star, const size_t *order,
                   size_t count)
{
    struct theory_star_plan other;
    bool shorter;

    plan_order(&other, star, order, count);
    shorter = theory_number_compare(other.makespan, plan->makespan) < 0;
    theory_star_plan_free(shorter ? plan : &other);
    if (shorter) {
        *plan = other;
    }
    return shorter;
}

/* Improves the order: sorts repeatedly by theory_star_sort() for the plan's
   makespan, then moves single workers. */
static void improve(struct theory_star_plan *plan,
                    const struct theory_star *star, struct best *best)
{
    bool shorter = true;

    for (unsigned i = 0; i < CHANGES_MAX && shorter; ++i) {
        theory_star_sort(best->order, star, plan->makespan);
        shorter = replan(plan, star, best->order, star->workers->count);
    }
    memcpy(best->order, plan->worker, plan->sends * sizeof *plan->worker);
    best->count = plan->sends;
    best->makespan = plan->makespan;
    move_all(best, star);
    (void)replan(plan, star, best->order, best->count);
}

void theory_star_one_round(struct theory_star_plan *plan,
                           const struct theory_star *star)
{
    struct best best = {.count = star->workers->count};
    bool few = best.count <= THEORY_SEARCH_MAX;

    if (few) {
        search(&best, star);
    } else {
        theory_star_sort(best.order, star, 0);
    }
    plan_order(plan, star, best.order, best.count);
    plan->searched = few || !has_startups(star);
    if (!plan->searched) {
        improve(plan, star, &best);
    }
}

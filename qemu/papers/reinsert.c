/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/reinsert.h"

#include "qemu/support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 100000000

/* A shorter makespan must be shorter by more than what doubles round. */
#define SHORTER (1 - 1e-12)

/* With s left a worker takes taken s - late and leaves kept s - delay. */
struct step {
    double taken, late, kept, delay;
};

struct order {
    size_t *worker;
    size_t count;
    double makespan;
};

struct reinsert {
    struct step *step; /* of each worker */
    double load, master_rate;
    size_t steps; /* so far */
    size_t *trial;
};

static struct step step_of(const struct papers_star *star, size_t worker)
{
    double g = mpq_get_d(papers_star_at(star, worker, PAPERS_G));
    double w = mpq_get_d(papers_star_at(star, worker, PAPERS_W));
    double startup = mpq_get_d(papers_star_at(star, worker, PAPERS_STARTUP));
    double latency = mpq_get_d(papers_star_at(star, worker, PAPERS_LATENCY));

    return (struct step){1 / (g + w), (startup + latency) / (g + w),
                         w / (g + w), (w * startup - g * latency) / (g + w)};
}

/* The makespan of an order; infinite if somebody would get nothing or less. */
static double makespan_of(struct reinsert *in, const size_t *worker,
                          size_t count)
{
    double slope = 0;
    double offset = 0;
    double makespan;
    double left;

    in->steps += 2 * count;
    for (size_t i = count; i-- > 0;) {
        const struct step *step = &in->step[worker[i]];

        offset += slope * step->delay + step->late;
        slope = slope * step->kept + step->taken;
    }
    makespan = (in->load + offset) / (slope + in->master_rate);
    left = makespan;
    for (size_t i = 0; i < count; ++i) {
        const struct step *step = &in->step[worker[i]];

        if (step->taken * left <= step->late) {
            return INFINITY;
        }
        left = step->kept * left - step->delay;
    }
    return makespan;
}

/* Keeps the trial if it is better. Result: whether it is. */
static bool judge(struct reinsert *in, struct order *order, size_t count)
{
    double makespan = makespan_of(in, in->trial, count);

    if (!(makespan < order->makespan * SHORTER)) {
        return false;
    }
    memcpy(order->worker, in->trial, count * sizeof *in->trial);
    order->count = count;
    order->makespan = makespan;
    return true;
}

/* Tries a worker nowhere, then at each place. Result: whether one is better. */
static bool move(struct reinsert *in, struct order *order, size_t worker)
{
    size_t rest = 0;
    bool better = false;

    for (size_t i = 0; i < order->count; ++i) {
        in->trial[rest] = order->worker[i];
        rest += order->worker[i] != worker;
    }
    if (rest < order->count && (rest > 0 || in->master_rate > 0)) {
        better = judge(in, order, rest);
    }
    for (size_t place = rest + 1; place-- > 0 && in->steps < STEPS_MAX;) {
        if (place < rest) {
            in->trial[place + 1] = in->trial[place];
        }
        in->trial[place] = worker;
        better |= judge(in, order, rest + 1);
    }
    return better;
}

size_t papers_reinsert(size_t *order, size_t count,
                       const struct papers_star *star)
{
    size_t all = star->workers->count;
    struct reinsert in = {.load = mpq_get_d(star->load)};
    struct order best = {order, count, 0};
    bool better = true;

    in.step = memory_or_exit(malloc(all * sizeof *in.step));
    in.trial = memory_or_exit(malloc((all + 1) * sizeof *in.trial));
    for (size_t i = 0; i < all; ++i) {
        in.step[i] = step_of(star, i);
    }
    if (mpq_sgn(star->master) > 0) {
        in.master_rate = 1 / mpq_get_d(star->master);
    }
    best.makespan = makespan_of(&in, order, count);
    while (better) {
        better = false;
        for (size_t i = 0; i < all && in.steps < STEPS_MAX; ++i) {
            better |= move(&in, &best, i);
        }
    }
    free(in.step);
    free(in.trial);
    return best.count;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/exact.h"

#include <math.h>

#define LAYERS (MODEL_PHASES_MAX + 1)
#define DOUBLINGS 80 /* 8^20 = 2^60 times the logarithm of a load */
#define HALVINGS 200 /* far more than a long double has bits */

/*
 * Shares and volumes are kept as natural logarithms, of which -INFINITY is
 * nothing. With startups of next to nothing a layer's share is about the P-th
 * power of that of the layer before, so that the last one's may be 10^-10000
 * units: a bisection of the share itself would end at nothing, and with it all
 * the plan.
 */
struct curve {
    const struct model_input *input;
    long double power;
    unsigned phases;
    long double compute;
    long double startup[LAYERS];
    long double transfer[LAYERS];
    long double share[LAYERS];
    long double volume[LAYERS];
};

/* ln(e^a + e^b) */
static long double add_logs(long double a, long double b)
{
    long double high = fmaxl(a, b);

    return isinf(high) ? high : high + log1pl(expl(fminl(a, b) - high));
}

/* Of a layer's time. */
static long double time_of(const struct curve *curve, long double share)
{
    return curve->compute + curve->power * share;
}

/* All shares and volumes, if layer N keeps so much; returns v_0. */
static long double climb(struct curve *curve, long double last)
{
    unsigned phases = curve->phases;

    curve->share[phases] = last;
    curve->volume[phases] = last;
    for (unsigned i = phases; i >= 1; --i) {
        long double share = curve->share[i];
        long double volume = curve->volume[i];
        long double part = isinf(volume) ? 0 : expl(share - volume);
        long double left = add_logs(time_of(curve, share), curve->startup[i]);

        left = add_logs(left, curve->transfer[i] + volume);
        curve->share[i - 1] = (left - curve->compute) / curve->power;
        /* v_{i-1} = 5 v_i - a_i + a_{i-1} */
        curve->volume[i - 1] =
            add_logs(volume + logl(5 - part), curve->share[i - 1]);
    }
    return curve->volume[0];
}

/* v_0 grows with a_N: bisection. */
static bool solve(void *context, mpq_t makespan_ps, unsigned phases)
{
    struct curve *curve = (struct curve *)context;
    long double load = logl((long double)curve->input->load_units);
    long double below = 1;
    long double low;
    long double high = load;

    curve->phases = phases;
    if (climb(curve, -INFINITY) > load) {
        return false;
    }
    for (unsigned i = 0; i < DOUBLINGS && climb(curve, load - below) > load;
         ++i) {
        below *= 2;
    }
    low = load - below;
    for (unsigned i = 0; i < HALVINGS && phases > 0; ++i) {
        long double middle = (low + high) / 2;

        if (climb(curve, middle) <= load) {
            low = middle;
        } else {
            high = middle;
        }
    }
    climb(curve, phases == 0 ? load : low);
    mpq_set_d(makespan_ps, (double)expl(time_of(curve, curve->share[0])));
    return true;
}

static uint64_t to_u64(long double value)
{
    return value < (long double)UINT64_MAX ? (uint64_t)value : UINT64_MAX;
}

/*
 * Volumes and shares as integers that a node can always hand out: rounding
 * errors may have put a volume on the other side of an integer than the sum of
 * its parts.
 */
static void find_floors(struct model_plan *plan, const struct curve *curve)
{
    uint64_t children = 0;
    uint64_t parts = 0;

    for (unsigned i = plan->phases + 1; i-- > 0;) {
        uint64_t share = to_u64(expl(curve->share[i]));
        uint64_t volume = to_u64(expl(curve->volume[i]));
        uint64_t load = curve->input->load_units;

        if (i == 0 && share > load - children) {
            share = load - children; /* the originator's sum is exact */
        }
        volume = volume < share + children ? share + children : volume;
        volume = volume > share + children + parts ? share + children + parts
                                                   : volume;
        plan->share_floor[i] = share;
        plan->volume_floor[i] = volume;
        children += 4 * volume;
        parts += 4;
    }
}

static void set_costs(struct curve *curve, unsigned phase, bool results)
{
    mpq_t startup;
    mpq_t transfer;

    mpq_inits(startup, transfer, NULL);
    model_exact_costs(startup, transfer, curve->input, phase, results);
    curve->startup[phase] = logl(mpq_get_d(startup));
    curve->transfer[phase] = logl(mpq_get_d(transfer));
    mpq_clears(startup, transfer, NULL);
}

static int find_layers(struct model_plan *plan, struct curve *curve)
{
    long double load = logl((long double)curve->input->load_units);
    long double alone = expl(time_of(curve, load));
    long double makespan = expl(time_of(curve, curve->share[0]));
    long double end = 0;

    if (makespan > (long double)MODEL_TIME_MAX_PS) {
        return ERR_RANGE;
    }
    plan->makespan_ps = (uint64_t)(makespan + 0.5L);
    plan->speedup = (double)(alone / makespan);
    for (unsigned i = 0; i <= plan->phases; ++i) {
        plan->share_units[i] = (double)expl(curve->share[i]);
        plan->volume_units[i] = (double)expl(curve->volume[i]);
        if (i > 0) {
            set_costs(curve, i, false);
            end += expl(curve->startup[i]) +
                   expl(curve->transfer[i] + curve->volume[i]);
        }
        plan->end_ps[i] = (uint64_t)(end + 0.5L);
    }
    find_floors(plan, curve);
    return ERR_OK;
}

int model_plan_power(struct model_plan *plan, const struct model_input *input,
                     uint32_t numerator, uint32_t denominator)
{
    struct curve curve = {.input = input,
                          .power = (long double)numerator / denominator};
    int error = model_exact_check(plan, input);
    mpq_t makespan;

    if (error != ERR_OK) {
        return error;
    }
    curve.compute = logl((long double)input->compute_ps);
    for (unsigned i = 1; i <= input->phases_max; ++i) {
        set_costs(&curve, i, true);
    }
    error = model_exact_best(plan, input, solve, &curve);
    if (error != ERR_OK) {
        return error;
    }
    plan->rounds = 1;
    mpq_init(makespan);
    solve(&curve, makespan, plan->phases);
    mpq_clear(makespan);
    return find_layers(plan, &curve);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/flow.h"
#include "qemu/theory/parts.h"

#include <math.h>

#define LAYERS (THEORY_PHASES_MAX + 1)
#define DOUBLINGS 80 /* enough: the logarithm of a share is at most 2^60 */
#define HALVINGS 200 /* far more than a long double's bits */

/* Shares and volumes of a plan whose compute time grows with the units to the
   power `power`. All numbers but `phases` and `power` are natural logarithms,
   -INFINITY for 0. If startups are tiny, each layer's share is about that of
   the layer before to the power `power`, so the last share may be 10^-10000
   units. Bisection of the share itself would end at 0. */
struct curve {
    const struct theory_input *input;
    long double power;
    unsigned phases;
    long double compute;
    long double startup[LAYERS];
    long double transfer[LAYERS];
    long double share[LAYERS];
    long double volume[LAYERS];
};

/* Returns ln(e^a + e^b). */
static long double add_logs(long double a, long double b)
{
    long double high = fmaxl(a, b);

    return isinf(high) ? high : high + log1pl(expl(fminl(a, b) - high));
}

static long double time_of(const struct curve *curve, long double share)
{
    return curve->compute + curve->power * share;
}

/* Sets all shares and volumes from the last layer's share, layer by layer.
   Returns the load. All of them are logarithms. */
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

/* Finds the last layer's share with which `phases` phases take the load, by
   bisection: the load grows with this share. Returns false if it would be below
   0. */
static bool solve(struct curve *curve, unsigned phases)
{
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
    return true;
}

static long double makespan_ps(const struct curve *curve)
{
    return expl(time_of(curve, curve->share[0]));
}

/* Chooses the number of phases with the least makespan, and sets the plan's
   phases and phases_feasible. Of equal makespans the most phases are chosen. */
static int find_phases(struct theory_plan *plan, struct curve *curve)
{
    const struct theory_input *input = curve->input;
    bool wanted = false;
    double best_ps = INFINITY;

    for (unsigned phases = 0; phases <= input->phases_max; ++phases) {
        if (solve(curve, phases)) {
            double time_ps = (double)makespan_ps(curve);

            plan->phases_feasible = (uint8_t)phases;
            wanted = wanted || phases == input->phases_want;
            if (time_ps <= best_ps) {
                plan->phases = (uint8_t)phases;
                best_ps = time_ps;
            }
        }
    }
    if (input->phases_fixed) {
        plan->phases = input->phases_want;
    }
    return input->phases_fixed && !wanted ? ERR_PHASES : ERR_OK;
}

static void set_costs(struct curve *curve, unsigned phase, bool results)
{
    quad startup_ps;
    quad transfer_ps;

    theory_costs(&startup_ps, &transfer_ps, curve->input, phase, results);
    curve->startup[phase] = logl((long double)startup_ps);
    curve->transfer[phase] = logl((long double)transfer_ps);
}

static void set_parts(struct theory_part part[], struct curve *curve)
{
    long double end_ps = 0;

    for (unsigned i = 0; i <= curve->phases; ++i) {
        if (i > 0) {
            set_costs(curve, i, false);
            end_ps += expl(curve->startup[i]) +
                      expl(curve->transfer[i] + curve->volume[i]);
        }
        part[i] =
            theory_part_make(theory_layer_nodes(i), expl(curve->volume[i]),
                             expl(curve->share[i]), 0, end_ps);
    }
}

int theory_plan_power(struct theory_plan *plan, struct theory_detail *detail,
                      const struct theory_input *input, uint32_t numerator,
                      uint32_t denominator)
{
    struct curve curve = {.input = input,
                          .power = (long double)numerator / denominator};
    int error = theory_check(plan, input);

    *detail = (struct theory_detail){.part = NULL};
    if (error != ERR_OK) {
        return error;
    }
    curve.compute = logl((long double)input->compute_ps);
    for (unsigned i = 1; i <= input->phases_max; ++i) {
        set_costs(&curve, i, true);
    }
    error = find_phases(plan, &curve);
    if (error != ERR_OK) {
        return error;
    }
    plan->rounds = 1;
    solve(&curve, plan->phases);
    error = theory_makespan(
        plan, makespan_ps(&curve),
        expl(time_of(&curve, logl((long double)input->load_units))));
    if (error == ERR_OK) {
        theory_detail_make(detail, false, 1, plan);
        set_parts(detail->part, &curve);
        theory_parts_floors(detail, plan, input->load_units);
        theory_parts_add(plan, detail);
    }
    return error;
}

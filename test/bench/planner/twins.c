/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/planner/twins.h"

#include <stdbool.h>

/* Volumes to shares, floors and makespan; volume[0 .. plan->phases]. */
static void finish_double(struct planner_plan *plan, const double volume[],
                          double compute)
{
    double below = 0;
    double share = 0;

    for (unsigned layer = plan->phases + 1u; layer-- > 0;) {
        share = volume[layer] - below;
        plan->volume_units[layer] = (uint32_t)volume[layer];
        plan->share_units[layer] = share > 0 ? (uint32_t)share : 0;
        below += 4 * volume[layer];
    }
    plan->makespan_ps = (uint64_t)(share * compute);
}

/* The recurrence, by divisions or by products with reciprocals. */
static inline int plan_double(struct planner_plan *plan,
                              const struct planner_input *input, bool products)
{
    double volume[PLANNER_PHASES_MAX + 1];
    double compute = (double)input->compute_ps;
    double speed = products ? 1 / compute : 0;
    double transfer = (double)input->transfer_ps;
    double divisor = 5 + (products ? transfer * speed : transfer / compute);
    double decay = products ? 1 / divisor : 0;
    unsigned phase = 0;

    volume[0] = input->load_units;
    for (; phase < input->phases_max; ++phase) {
        double startup = (double)input->startup_ps[phase];
        double left =
            volume[phase] - (products ? startup * speed : startup / compute);

        if (left < 0) {
            break;
        }
        volume[phase + 1] = products ? left * decay : left / divisor;
    }
    plan->phases = plan->phases_feasible = (uint8_t)phase;
    finish_double(plan, volume, compute);
    return 0;
}

int twin_double(struct planner_plan *plan, const struct planner_input *input)
{
    return plan_double(plan, input, false);
}

int twin_double_products(struct planner_plan *plan,
                         const struct planner_input *input)
{
    return plan_double(plan, input, true);
}

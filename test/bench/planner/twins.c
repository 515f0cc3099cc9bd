/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/planner/twins.h"

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

int twin_double(struct planner_plan *plan, const struct planner_input *input)
{
    double volume[PLANNER_PHASES_MAX + 1];
    double compute = (double)input->compute_ps;
    double divisor = 5 + (double)input->transfer_ps / compute;
    unsigned phase = 0;

    volume[0] = input->load_units;
    for (; phase < input->phases_max; ++phase) {
        double left =
            volume[phase] - (double)input->startup_ps[phase] / compute;

        if (left < 0) {
            break;
        }
        volume[phase + 1] = left / divisor;
    }
    plan->phases = plan->phases_feasible = (uint8_t)phase;
    finish_double(plan, volume, compute);
    return 0;
}

int twin_double_products(struct planner_plan *plan,
                         const struct planner_input *input)
{
    double volume[PLANNER_PHASES_MAX + 1];
    double compute = (double)input->compute_ps;
    double speed = 1 / compute;
    double decay = 1 / (5 + (double)input->transfer_ps * speed);
    unsigned phase = 0;

    volume[0] = input->load_units;
    for (; phase < input->phases_max; ++phase) {
        double left = volume[phase] - (double)input->startup_ps[phase] * speed;

        if (left < 0) {
            break;
        }
        volume[phase + 1] = left * decay;
    }
    plan->phases = plan->phases_feasible = (uint8_t)phase;
    finish_double(plan, volume, compute);
    return 0;
}

int twin_float(struct planner_plan *plan, const struct planner_input *input)
{
    float volume[PLANNER_PHASES_MAX + 1];
    float compute = (float)input->compute_ps;
    float divisor = 5 + (float)input->transfer_ps / compute;
    float below = 0;
    float share = 0;
    unsigned phase = 0;

    volume[0] = (float)input->load_units;
    for (; phase < input->phases_max; ++phase) {
        float left = volume[phase] - (float)input->startup_ps[phase] / compute;

        if (left < 0) {
            break;
        }
        volume[phase + 1] = left / divisor;
    }
    plan->phases = plan->phases_feasible = (uint8_t)phase;
    for (unsigned layer = phase + 1; layer-- > 0;) {
        share = volume[layer] - below;
        plan->volume_units[layer] = (uint32_t)volume[layer];
        plan->share_units[layer] = share > 0 ? (uint32_t)share : 0;
        below += 4 * volume[layer];
    }
    plan->makespan_ps = (uint64_t)(share * compute);
    return 0;
}

void twin_float_backward(float share_units[], const struct planner_input *input,
                         unsigned phases)
{
    float k[PLANNER_PHASES_MAX + 1];
    float l[PLANNER_PHASES_MAX + 1];
    float compute = (float)input->compute_ps;
    float rho = (float)input->transfer_ps / compute;
    float setup = (float)input->startup_ps[0] / compute;
    float volume_k = 1;
    float volume_l = 0;
    float last;

    /* v_i = volume_k a_N + volume_l, a_{i-1} = a_i + rho v_i + setup. */
    k[phases] = 1;
    l[phases] = 0;
    for (unsigned i = phases; i > 0; --i) {
        k[i - 1] = k[i] + rho * volume_k;
        l[i - 1] = l[i] + rho * volume_l + setup;
        volume_k = (5 + rho) * volume_k;
        volume_l = (5 + rho) * volume_l + setup;
    }
    last = ((float)input->load_units - volume_l) / volume_k;
    for (unsigned i = 0; i <= phases; ++i) {
        share_units[i] = k[i] * last + l[i];
    }
}

int twin_float_search(struct planner_plan *plan,
                      const struct planner_input *input)
{
    float best[PLANNER_PHASES_MAX + 1] = {(float)input->load_units};
    float share[PLANNER_PHASES_MAX + 1];
    unsigned phases = 0;

    for (unsigned n = 1; n <= input->phases_max; ++n) {
        twin_float_backward(share, input, n);
        if (share[n] < 0) {
            break;
        }
        phases = n;
        for (unsigned i = 0; i <= n; ++i) {
            best[i] = share[i];
        }
    }
    plan->phases = plan->phases_feasible = (uint8_t)phases;
    for (unsigned i = 0; i <= phases; ++i) {
        plan->share_units[i] = (uint32_t)best[i];
    }
    plan->makespan_ps = (uint64_t)(best[0] * (float)input->compute_ps);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: planner_plan() on every input there is. All numbers are
 * any of their type; the compute time is cut into pieces that cover all of
 * uint64_t, two to an octave, so that what depends on its size is one number
 * in each piece.
 */
#include "scatter/plan/one_round.h"
#include "test/prove/any.h"

static void plan_any(struct planner_input input)
{
    struct planner_plan plan;

    planner_plan(&plan, &input);
}

/* So many phases at most; the best number of them, or one asked for. */
static void plan_phases(struct planner_input input, uint8_t phases_min,
                        uint8_t phases_max)
{
    input.phases_max = any_u8(phases_min, phases_max);
    input.phases_want = any_u8(0, UINT8_MAX);
    input.phases_fixed = 0;
    plan_any(input);
    input.phases_fixed = any_u8(1, UINT8_MAX);
    input.phases_want = any_u8(phases_max, UINT8_MAX);
    plan_any(input);
    for (unsigned want = 0; want < phases_max; ++want) {
        input.phases_want = (uint8_t)want;
        plan_any(input);
    }
}

void prove_one_round(void)
{
    struct planner_input input = {
        .load_units = any_u32(0, UINT32_MAX),
        .compute_ps = any_u64(0, UINT64_MAX),
        .transfer_ps = any_u64(0, UINT64_MAX),
        .results_numerator = any_u16(0, UINT16_MAX),
        .results_denominator = any_u16(0, UINT16_MAX),
    };

    for (unsigned i = 0; i < PLANNER_PHASES_MAX; ++i) {
        input.startup_ps[i] = any_u64(0, UINT64_MAX);
        input.stages[i] = any_u16(0, UINT16_MAX);
    }
    for (unsigned phases = 0; phases <= PLANNER_PHASES_MAX; ++phases) {
        plan_phases(input, (uint8_t)phases, (uint8_t)phases);
    }
    input.phases_max = any_u8(PLANNER_PHASES_MAX + 1, UINT8_MAX);
    input.phases_want = any_u8(0, UINT8_MAX);
    input.phases_fixed = any_u8(0, UINT8_MAX);
    plan_any(input);
}

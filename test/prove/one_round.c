/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: planner_plan() on every input there is. All numbers are
 * any of their type; the compute time is cut into pieces that cover all of
 * uint64_t, two to an octave, so that what depends on its size is one number
 * in each piece.
 */
#include "scatter/plan/one_round.h"
#include "test/prove/any.h"

void prove_one_round(void)
{
    struct plan_job job = {
        .load_units = any_u32(0, UINT32_MAX),
        .compute_ps = any_u64(0, UINT64_MAX),
        .transfer_ps = any_u64(0, UINT64_MAX),
        .results_numerator = any_u16(0, UINT16_MAX),
        .results_denominator = any_u16(0, UINT16_MAX),
    };
    struct planner_plan plan;

    for (unsigned i = 0; i < PLANNER_PHASES_MAX; ++i) {
        job.startup_ps[i] = any_u64(0, UINT64_MAX);
    }
    for (unsigned phases = 0; phases <= PLANNER_PHASES_MAX; ++phases) {
        job.phases = (uint8_t)phases;
        planner_plan(&plan, &job);
    }
    job.phases = any_u8(PLANNER_PHASES_MAX + 1, UINT8_MAX);
    planner_plan(&plan, &job);
}

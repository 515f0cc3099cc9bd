/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: advance_of() on all that its header allows. `nodes` is 5^k
 * x 5^k.
 */
#include "scatter/plan/advance.h"
#include "test/prove/any.h"

void prove_advance(void)
{
    struct plan_job job = {.load_units = any_u32(0, UINT32_MAX),
                           .compute_ps = any_u64(1, PLANNER_TIME_MAX_PS),
                           .transfer_ps = any_u64(0, PLANNER_TIME_MAX_PS),
                           .queue_ps = any_u64(0, PLANNER_STARTUP_MAX_PS),
                           .round_ps = any_u64(0, PLANNER_STARTUP_MAX_PS),
                           .plan_ps = any_u64(0, PLANNER_STARTUP_MAX_PS),
                           .rounds_ps = any_u64(0, PLANNER_STARTUP_MAX_PS),
                           .phases = any_u8(0, PLANNER_PHASES_MAX)};

    for (unsigned i = 0; i < PLANNER_PHASES_MAX; ++i) {
        job.startup_ps[i] = any_u64(0, PLANNER_STARTUP_MAX_PS);
    }
    for (job.nodes = 25; job.nodes <= 9765625; job.nodes *= 25) {
        struct advance advance = advance_of(&job);

        any_u32(advance.units, UINT32_MAX);
    }
}

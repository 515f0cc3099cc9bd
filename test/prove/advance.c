/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: advance_of() on all that its header allows. `nodes` is 5^k
 * x 5^k.
 */
#include "scatter/plan/advance.h"
#include "test/prove/any.h"

#define TIME_MAX_PS ((uint64_t)1 << 40)
#define STARTUP_MAX_PS ((uint64_t)1 << 50)

void prove_advance(void)
{
    for (uint32_t nodes = 25; nodes <= 9765625; nodes *= 25) {
        const struct advance_input input = {
            .nodes = nodes,
            .load_units = any_u32(0, UINT32_MAX),
            .compute_ps = any_u64(1, TIME_MAX_PS),
            .transfer_ps = any_u64(0, TIME_MAX_PS),
            .startups_ps = any_u64(0, STARTUP_MAX_PS),
            .plan_ps = any_u64(0, STARTUP_MAX_PS),
            .rounds_ps = any_u64(0, STARTUP_MAX_PS),
            .round_ps = any_u64(0, STARTUP_MAX_PS)};
        struct advance advance = advance_of(&input);

        any_u32(advance.units, UINT32_MAX);
    }
}

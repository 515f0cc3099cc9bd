/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: rounds_plan() on every input there is, and
 * rounds_bound_ps() on all that planner_plan() takes.
 */
#include "scatter/plan/rounds.h"
#include "test/prove/any.h"

static struct planner_input any_base(void)
{
    struct planner_input base = {
        .load_units = any_u32(0, UINT32_MAX),
        .compute_ps = any_u64(0, UINT64_MAX),
        .transfer_ps = any_u64(0, UINT64_MAX),
    };

    for (unsigned i = 0; i < ROUNDS_PHASES_MAX; ++i) {
        base.startup_ps[i] = any_u64(0, UINT64_MAX);
    }
    return base;
}

static struct rounds_input any_input(const struct planner_input *base)
{
    return (struct rounds_input){
        .base = base,
        .queue_ps = any_u64(0, UINT64_MAX),
        .between_rounds_ps = any_u64(0, UINT64_MAX),
        .begin_ps = any_u64(0, UINT64_MAX),
        .round_overhead_ps = any_u64(0, UINT64_MAX),
        .gain_ps = any_u64(0, UINT64_MAX),
        .rounds_min = any_u8(0, UINT8_MAX),
        .rounds_max = any_u8(0, UINT8_MAX),
    };
}

static void plan_any(const struct planner_input *base)
{
    struct rounds_input input = any_input(base);
    uint64_t time_ps = any_u64(0, UINT64_MAX);
    struct rounds_plan plan;

    rounds_plan(&plan, &time_ps, &input);
}

static void bound_of_any(struct planner_input base)
{
    base.load_units = any_u32(1, UINT32_MAX);
    base.compute_ps = any_u64(1, PLANNER_TIME_MAX_PS);
    base.transfer_ps = any_u64(0, PLANNER_TIME_MAX_PS);
    rounds_bound_ps(&base);
}

static void one_round_of_any(uint8_t phases)
{
    struct planner_plan one = {
        .phases = phases,
        .makespan_ps = any_u64(0, UINT64_MAX),
    };
    struct rounds_plan plan;

    for (unsigned layer = 0; layer <= ROUNDS_PHASES_MAX; ++layer) {
        one.volume_units[layer] = any_u32(0, UINT32_MAX);
        one.share_units[layer] = any_u32(0, UINT32_MAX);
    }
    rounds_of_one(&plan, &one, any_u32(0, UINT32_MAX));
}

void prove_rounds(void)
{
    struct planner_input base = any_base();

    for (unsigned phases = 0; phases <= ROUNDS_PHASES_MAX; ++phases) {
        base.phases_want = (uint8_t)phases;
        plan_any(&base);
        bound_of_any(base);
    }
    one_round_of_any(any_u8(0, ROUNDS_PHASES_MAX));
    base.phases_want = any_u8(ROUNDS_PHASES_MAX + 1, UINT8_MAX);
    plan_any(&base);
}

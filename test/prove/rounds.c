/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: rounds_plan() on every input there is, and
 * rounds_bound_ps() on all that planner_plan() takes; copies of one round.
 */
#include "scatter/plan/rounds.h"
#include "test/prove/any.h"

static struct plan_job any_job(void)
{
    struct plan_job job = {
        .load_units = any_u32(0, UINT32_MAX),
        .compute_ps = any_u64(0, UINT64_MAX),
        .transfer_ps = any_u64(0, UINT64_MAX),
        .queue_ps = any_u64(0, UINT64_MAX),
        .round_ps = any_u64(0, UINT64_MAX),
        .merge_ps = any_u64(0, UINT64_MAX),
        .begin_ps = any_u64(0, UINT64_MAX),
        .overhead_ps = any_u64(0, UINT64_MAX),
        .wait_ps = any_u64(0, UINT64_MAX),
        .gain_ps = any_u64(0, UINT64_MAX),
    };

    for (unsigned i = 0; i < ROUNDS_PHASES_MAX; ++i) {
        job.startup_ps[i] = any_u64(0, UINT64_MAX);
    }
    return job;
}

static void plan_any(const struct plan_job *job)
{
    uint64_t time_ps = any_u64(0, UINT64_MAX);
    struct rounds_plan plan;

    rounds_plan(&plan, &time_ps, job, any_u8(0, UINT8_MAX),
                any_u8(0, UINT8_MAX));
}

static void bound_of_any(struct plan_job job)
{
    job.load_units = any_u32(1, UINT32_MAX);
    job.compute_ps = any_u64(1, PLANNER_TIME_MAX_PS);
    job.transfer_ps = any_u64(0, PLANNER_TIME_MAX_PS);
    rounds_bound_ps(&job);
}

static void one_round_of_any(uint8_t phases)
{
    struct planner_plan one = {
        .phases = phases,
        .makespan_ps = any_u64(0, UINT64_MAX),
    };
    struct rounds_plan plan;
    struct rounds_plan copy;

    for (unsigned layer = 0; layer <= ROUNDS_PHASES_MAX; ++layer) {
        one.volume_units[layer] = any_u32(0, UINT32_MAX);
        one.share_units[layer] = any_u32(0, UINT32_MAX);
    }
    rounds_of_one(&plan, &one, any_u32(0, UINT32_MAX));
    rounds_copy(&copy, &plan);
}

void prove_rounds(void)
{
    struct plan_job job = any_job();

    for (unsigned phases = 0; phases <= ROUNDS_PHASES_MAX; ++phases) {
        job.phases = (uint8_t)phases;
        plan_any(&job);
        bound_of_any(job);
        one_round_of_any((uint8_t)phases);
    }
    job.phases = any_u8(ROUNDS_PHASES_MAX + 1, UINT8_MAX);
    plan_any(&job);
}

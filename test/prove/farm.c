/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: a farm of any kind, any member of it, and what it is given
 * and measured at any time.
 */
#include "scatter/plan/farm.h"
#include "test/prove/any.h"

#define TIME_MAX_PS ((uint64_t)1 << 40)
#define NODES_MAX 15625u

static struct plan_job any_job(void)
{
    return (struct plan_job){.compute_ps = any_u64(1, TIME_MAX_PS),
                             .transfer_ps = any_u64(0, TIME_MAX_PS),
                             .demand_ps = any_u64(0, UINT32_MAX),
                             .call_ps = any_u64(0, (uint64_t)1 << 36),
                             .load_units = any_u32(0, UINT32_MAX),
                             .most_units = any_u32(1, UINT32_MAX),
                             .nodes = any_u32(1, NODES_MAX),
                             .served = any_u32(0, NODES_MAX),
                             .ports = any_u8(1, 4),
                             .installment = any_u8(0, UINT8_MAX),
                             .varies = any_u8(0, 1) == 1};
}

void prove_farm(void)
{
    const struct plan_job job = any_job();
    struct farm farm;
    struct farm_member member = farm_member();

    farm_init(&farm, &job);
    any_u64(farm_makespan_ps(&job, any_u64(0, TIME_MAX_PS)), UINT64_MAX);
    /* Of `nodes` members, each of a speed from 1 to FARM_SPEED_MAX. */
    farm.speeds = any_u64(FARM_SPEED_MAX, (uint64_t)NODES_MAX * FARM_SPEED_MAX);
    farm.floor = any_u32(0, UINT32_MAX);
    farm.ahead = any_u32(0, UINT32_MAX);
    any_u64(farm_unit_ps(&farm), UINT64_MAX);
    farm.seen_ps = any_u64(0, UINT64_MAX);
    farm.seen_units = any_u32(0, UINT32_MAX);
    farm.left = any_u32(0, UINT32_MAX);
    farm.last_units = any_u32(0, UINT32_MAX);
    farm.last_speed = any_u32(1, FARM_SPEED_MAX);
    farm.short_units = any_u32(0, UINT32_MAX);
    farm.short_speed = any_u32(1, FARM_SPEED_MAX);
    member.speed = any_u32(1, FARM_SPEED_MAX);
    member.chunk_units = any_u32(0, UINT32_MAX);
    any_u32(farm_next(&farm, &member), UINT32_MAX);
    any_u32(farm_slice(&farm, &member), UINT32_MAX);
    farm_measured(&farm, &member, any_u32(1, UINT32_MAX),
                  any_u64(0, UINT64_MAX));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/farm.h"

#include "scatter/plan/fixed.h"

/* A member's first chunk is 1 / FIRST_DIVISOR of the least chunk. */
#define FIRST_DIVISOR 4u
/* Most units of a later chunk, in times the member's chunk before. */
#define GROWTH 4u
/* A least chunk is cut to LEAST_SHARES shares, but not below
   1 / LEAST_DIVISOR of itself. */
#define LEAST_SHARES 3u
#define LEAST_DIVISOR 3u
/* Slices of the originator in the time of a member's chunk. */
#define SLICES 4u

/* Returns whether transfers take over a tenth of the time that all nodes
   together compute. */
static bool is_dear(const struct plan_job *job)
{
    return fixed_product(job->transfer_ps, 10u * (job->nodes + job->served)) >
           job->ports * job->compute_ps;
}

void farm_init(struct farm *farm, const struct plan_job *job)
{
    uint64_t demands_ps = job->nodes * job->demand_ps + job->call_ps;

    *farm = (struct farm){.compute_ps = job->compute_ps,
                          .call_ps = job->call_ps,
                          .speeds = (uint64_t)job->nodes * FARM_SPEED_ONE,
                          .least = 2u * demands_ps * FARM_SPEED_ONE /
                                   job->compute_ps,
                          .last_units = job->load_units,
                          .last_speed = FARM_SPEED_ONE,
                          .short_units = job->load_units,
                          .short_speed = FARM_SPEED_ONE,
                          .members = job->nodes,
                          .left = job->load_units,
                          .most = job->most_units,
                          .demands_ps = demands_ps,
                          .installment = job->installment,
                          .masters = job->served > 0,
                          .varies = job->varies,
                          .growth = GROWTH};
    if (farm->installment == 0) {
        farm->installment =
            is_dear(job) ? FARM_INSTALLMENT_DEAR : FARM_INSTALLMENT;
    }
}

/* noinline: a copy in each caller would make images longer. */
__attribute__((noinline)) void farm_measured(struct farm *farm,
                                             struct farm_member *member,
                                             uint32_t units,
                                             uint64_t compute_ps)
{
    uint64_t half_ps = compute_ps / 2;
    uint64_t call_ps = farm->call_ps < half_ps ? farm->call_ps : half_ps;
    uint64_t unit_ps = fixed_larger((compute_ps - call_ps) / units, 1);
    uint64_t speed = (farm->compute_ps * FARM_SPEED_ONE) / unit_ps;

    farm->seen_ps += compute_ps - call_ps;
    farm->seen_units += units;
    if (!farm->varies) {
        farm_set_speed(farm, member, fixed_larger(speed, 1));
    }
}

/* Returns the units of a member's least chunk, 1 or more. If unit times
   vary, it is 1 at first, because the first units may all be cheap. */
static uint64_t least_units(const struct farm *farm,
                            const struct farm_member *member)
{
    uint64_t units = 0;

    if (!farm->varies) {
        units = fixed_part(farm->least, member->speed);
    } else if (farm->seen_units > farm->left / 2) {
        units = fixed_product(farm->demands_ps, farm->seen_units) /
                (farm->seen_ps | 3u); /* 3 or more: units + 1 fits 64 bits */
    }
    return units + 1;
}

/* Returns the units of a member's next chunk before bounds. */
static uint64_t share_units(const struct farm *farm,
                            const struct farm_member *member)
{
    uint64_t units = (uint64_t)farm->left + farm->ahead;

    return units * member->speed / (farm->installment * farm->speeds);
}

uint32_t farm_take(struct farm *farm, uint64_t units)
{
    uint32_t taken = fixed_smaller(units, farm->left);

    farm->left -= taken;
    return taken;
}

static bool takes_less(uint32_t units, uint32_t speed, uint32_t other_units,
                       uint32_t other_speed)
{
    return (uint64_t)units * other_speed < (uint64_t)other_units * speed;
}

/* With masters only a recent chunk of least time sets last_units. */
static void note_chunk(struct farm *farm, uint32_t units, uint32_t speed)
{
    if (!farm->masters) {
        farm->last_units = units;
        farm->last_speed = speed;
        return;
    }
    if (takes_less(units, speed, farm->short_units, farm->short_speed)) {
        farm->short_units = units;
        farm->short_speed = speed;
    }
    farm->noted += 1;
    if (farm->noted >= farm->members ||
        takes_less(farm->short_units, farm->short_speed, farm->last_units,
                   farm->last_speed)) {
        farm->last_units = farm->short_units;
        farm->last_speed = farm->short_speed;
    }
    if (farm->noted >= farm->members) {
        farm->short_units = units;
        farm->short_speed = speed;
        farm->noted = 0;
    }
}

uint32_t farm_next(struct farm *farm, struct farm_member *member)
{
    uint64_t least = least_units(farm, member);
    uint64_t most = member->chunk_units == 0
                        ? least / FIRST_DIVISOR + 1
                        : (uint64_t)farm->growth * member->chunk_units;
    uint64_t share = share_units(farm, member);
    uint64_t low =
        fixed_larger(LEAST_SHARES * share, least / LEAST_DIVISOR + 1);
    uint64_t units = fixed_larger(
        share, fixed_larger(least < low ? least : low, farm->floor));

    if (farm->varies) {
        most = farm->most;
    }
    most = fixed_smaller(most, farm->most);
    if (farm->left > 0) {
        /* chunk_units is the planned size, even if fewer units are left. */
        member->chunk_units = fixed_smaller(units, (uint32_t)most);
        note_chunk(farm, member->chunk_units, member->speed);
    }
    return farm_take(farm, member->chunk_units);
}

uint32_t farm_slice(struct farm *farm, const struct farm_member *member)
{
    uint64_t units =
        (uint64_t)farm->last_units * member->speed / farm->last_speed / SLICES;

    return farm_take(farm, fixed_larger(units, fixed_larger(farm->floor, 1)));
}

uint64_t farm_makespan_ps(const struct plan_job *job, uint64_t startup_ps)
{
    uint64_t compute_ps = fixed_product(job->compute_ps, job->load_units) /
                          (job->nodes + job->served);
    uint64_t transfer_ps =
        fixed_product(job->transfer_ps, job->load_units) / job->ports;
    uint64_t longer_ps = fixed_larger(compute_ps, transfer_ps);
    uint32_t groups = job->served / job->nodes;
    uint64_t demands_ps = 2u * (job->nodes + groups) * job->demand_ps;

    return longer_ps < UINT64_MAX / 2 ? startup_ps + longer_ps + demands_ps
                                      : UINT64_MAX;
}

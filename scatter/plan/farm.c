/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/farm.h"

#include "scatter/plan/fixed.h"

/* The first chunk is the least one divided by this; a chunk is at most so many
   times the one before, where speeds have to show. */
#define FIRST_DIVISOR 4u
#define GROWTH 4u
/* A chunk of the originator's has so many slices. */
#define SLICES 4u

static uint32_t smaller(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Whether all of the load on the ports takes more than a tenth of all of it on
   all members. */
static bool is_dear(const struct farm_input *input)
{
    return fixed_product(input->transfer_ps, 10u * input->nodes) >
           input->ports * input->compute_ps;
}

void farm_init(struct farm *farm, const struct farm_input *input)
{
    farm->compute_ps = input->compute_ps;
    farm->speeds = (uint64_t)input->nodes * FARM_SPEED_ONE;
    farm->last_units = input->load_units;
    farm->left = input->load_units;
    farm->most = input->most_units;
    farm->floor = 0;
    farm->least = 2u * input->nodes * input->demand_ps * FARM_SPEED_ONE /
                  input->compute_ps;
    farm->installment = input->installment;
    farm->growth = GROWTH;
    if (farm->installment == 0) {
        farm->installment =
            is_dear(input) ? FARM_INSTALLMENT_DEAR : FARM_INSTALLMENT;
    }
}

void farm_measured(struct farm *farm, struct farm_member *member,
                   uint32_t units, uint64_t compute_ps)
{
    uint64_t unit_ps = larger(compute_ps / units, 1);
    uint64_t speed = (farm->compute_ps * FARM_SPEED_ONE) / unit_ps;
    uint32_t most = smaller(larger(speed, 1), FARM_SPEED_MAX);

    farm->speeds += most;
    farm->speeds -= member->speed;
    member->speed = most;
}

/* Units of a member's least chunk, from 1. */
static uint64_t least_units(const struct farm *farm,
                            const struct farm_member *member)
{
    return fixed_part(farm->least, member->speed) + 1;
}

/* Units that the installment gives a member. */
static uint64_t share_units(const struct farm *farm,
                            const struct farm_member *member)
{
    return (uint64_t)farm->left * member->speed /
           (farm->installment * farm->speeds);
}

uint32_t farm_take(struct farm *farm, uint64_t units)
{
    uint32_t taken = smaller(units, farm->left);

    farm->left -= taken;
    return taken;
}

uint32_t farm_next(struct farm *farm, struct farm_member *member)
{
    uint64_t least = least_units(farm, member);
    uint64_t most = member->chunk_units == 0
                        ? least / FIRST_DIVISOR + 1
                        : (uint64_t)farm->growth * member->chunk_units;
    uint64_t units =
        larger(share_units(farm, member), larger(least, farm->floor));

    most = smaller(most, farm->most);
    member->chunk_units = farm_take(farm, units < most ? units : most);
    if (member->chunk_units > 0) {
        farm->last_units =
            (uint64_t)member->chunk_units * FARM_SPEED_ONE / member->speed;
    }
    return member->chunk_units;
}

uint32_t farm_slice(struct farm *farm, const struct farm_member *member)
{
    uint64_t units = fixed_part(farm->last_units << 16, member->speed) / SLICES;

    return farm_take(farm, larger(units, larger(farm->floor, 1)));
}

uint64_t farm_makespan_ps(const struct farm_input *input, uint64_t startup_ps)
{
    uint64_t compute_ps =
        fixed_product(input->compute_ps, input->load_units) / input->nodes;
    uint64_t transfer_ps =
        fixed_product(input->transfer_ps, input->load_units) / input->ports;
    uint64_t longer_ps = larger(compute_ps, transfer_ps);
    uint64_t demands_ps = 2u * input->nodes * input->demand_ps;

    return longer_ps < UINT64_MAX / 2 ? startup_ps + longer_ps + demands_ps
                                      : UINT64_MAX;
}

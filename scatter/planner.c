/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/planner.h"

/* Volumes are Q32.32 units in 64 bits: v <= V < 2^32. */
#define ONE ((uint64_t)1 << 32)
#define SNAP_VOLUME ((uint64_t)1 << 6) /* 2^-26 unit */
#define SNAP_SHARE ((uint64_t)1 << 5)

/* High 64 bits of a 64 x 64-bit product, from four 32 x 32-bit ones. */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a;
    uint64_t a_high = a >> 32;
    uint64_t b_low = (uint32_t)b;
    uint64_t b_high = b >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    uint64_t low = (uint32_t)middle + a_low * b_high;

    /* None of the sums overflows: (2^32-1)^2 + 2 (2^32-1) = 2^64 - 1. */
    return a_high * b_high + (middle >> 32) + (low >> 32);
}

/*
 * floor(numerator * 2^bits / denominator) for numerator < denominator < 2^44
 * and bits <= 64, in digits of at most 20 bits, so that every remainder,
 * shifted, fits 64 bits: 2^44 * 2^20.
 */
static uint64_t fraction(uint64_t numerator, uint64_t denominator,
                         unsigned bits)
{
    uint64_t quotient = 0;

    while (bits > 0) {
        unsigned digit = bits < 20 ? bits : 20;
        uint64_t shifted = numerator << digit;

        quotient = quotient << digit | shifted / denominator;
        numerator = shifted % denominator;
        bits -= digit;
    }
    return quotient;
}

/* startup / compute in Q32.32 units, or UINT64_MAX where it exceeds V. */
static uint64_t startup_units(const struct planner_input *input, unsigned phase)
{
    uint64_t startup_ps = input->startup_ps[phase - 1];
    uint64_t whole = startup_ps / input->compute_ps;

    if (whole > input->load_units) {
        return UINT64_MAX;
    }
    return whole * ONE + fraction(startup_ps - whole * input->compute_ps,
                                  input->compute_ps, 32);
}

static int check(const struct planner_input *input)
{
    if (input->load_units == 0) {
        return ERR_EMPTY;
    }
    if (input->compute_ps == 0 || input->compute_ps > PLANNER_TIME_MAX_PS ||
        input->transfer_ps > PLANNER_TIME_MAX_PS ||
        input->phases_max > PLANNER_PHASES_MAX ||
        input->load_units > PLANNER_LOAD_MAX_PS / input->compute_ps) {
        return ERR_RANGE;
    }
    for (unsigned i = 0; i < input->phases_max; ++i) {
        if (input->startup_ps[i] > PLANNER_STARTUP_MAX_PS) {
            return ERR_RANGE;
        }
    }
    return ERR_OK;
}

/* The recurrence: volumes down to the first infeasible phase; returns N. */
static unsigned volumes(uint64_t volume[], const struct planner_input *input)
{
    /* 1 / (5 + rho) = compute / (5 compute + transfer) < 1/5. */
    uint64_t decay = fraction(input->compute_ps,
                              5 * input->compute_ps + input->transfer_ps, 64);
    unsigned phase = 0;

    volume[0] = input->load_units * ONE;
    while (phase < input->phases_max) {
        uint64_t startup = startup_units(input, phase + 1);
        uint64_t next;

        if (startup > volume[phase]) {
            break;
        }
        /* decay is low by less than 2^-64 and the product by less than 2^-32
           unit; each step divides what it inherits by five or more. */
        next = multiply_high(volume[phase] - startup, decay);
        if (next % ONE >= ONE - SNAP_VOLUME) {
            next += ONE - next % ONE;
        }
        phase += 1;
        volume[phase] = next;
    }
    return phase;
}

/*
 * Floors of volumes and shares, from the last layer up; returns a_0. Rounding
 * may leave a share of zero slightly below zero, or a volume slightly below
 * its children's: the floors never take more than there is.
 */
static uint64_t floors(struct planner_plan *plan, const uint64_t volume[])
{
    uint64_t share = 0;
    uint64_t below = 0;       /* 4 v_j, summed over j > i */
    uint64_t below_units = 0; /* the same of the floors */

    for (unsigned layer = plan->phases + 1u; layer-- > 0;) {
        uint64_t units = volume[layer] / ONE;
        uint64_t share_units;

        share = volume[layer] > below ? volume[layer] - below : 0;
        share_units = (share + SNAP_SHARE) / ONE;
        units = units > below_units ? units : below_units;
        if (share_units > units - below_units) {
            share_units = units - below_units;
        }
        plan->volume_units[layer] = (uint32_t)units;
        plan->share_units[layer] = (uint32_t)share_units;
        below += 4 * volume[layer];
        below_units += 4 * units;
    }
    return share;
}

int planner_plan(struct planner_plan *plan, const struct planner_input *input)
{
    uint64_t volume[PLANNER_PHASES_MAX + 1];
    uint64_t share;
    int error = check(input);

    if (error != ERR_OK) {
        return error;
    }
    plan->phases_feasible = (uint8_t)volumes(volume, input);
    plan->phases = plan->phases_feasible;
    if (input->phases_fixed) {
        plan->phases = input->phases_want;
    }
    if (plan->phases > plan->phases_feasible) {
        return ERR_PHASES;
    }
    share = floors(plan, volume);
    plan->makespan_ps =
        (share / ONE) * input->compute_ps +
        multiply_high((share % ONE) << 20, input->compute_ps << 12);
    return ERR_OK;
}

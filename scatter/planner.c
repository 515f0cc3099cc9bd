/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two fixed points. *Work* is a volume's compute time: w = v * m / 2^10, where
 * m = compute * 2^e lies in (2^40, 2^41], so w < 2^63 and a step of w is worth
 * 2^-31 to 2^-30 unit. The recurrence runs on work: startups enter without a
 * division. *Volumes* are Q32.30 units: v = w * 2^40 / m is one product.
 *
 * Errors below are in steps of 2^-30 unit, "low" meaning below the exact one;
 * that nothing overflows is said at each operation and proven by `make prove`.
 */
#include "scatter/planner.h"

#define ONE ((uint64_t)1 << 30)
#define SNAP_UNITS 4u   /* a volume is low by less than that */
#define SNAP_STARTUP 1u /* a work is low by less than 2 */
#define FIFTH (UINT64_MAX / 5)

/* How times become work, and work volumes. */
struct scale {
    uint64_t units;   /* 2^104 / m, low by one at most */
    uint64_t compute; /* m */
    unsigned left;    /* time becomes work by a shift to the left, < 32, */
    unsigned right;   /* or to the right, <= 10; one of both is 0 */
};

/* What a volume is multiplied by in each phase, for its stages. */
struct decay {
    uint64_t value;  /* 2^64 / (5 + rho s (1 + P/Q)) */
    uint32_t stages; /* that it is for; UINT32_MAX: for none yet */
};

/*
 * High 64 bits of a 64 x 64-bit product, from four 32 x 32-bit ones; low by
 * less than one. No sum overflows: (2^32-1)^2 + 2 (2^32-1) = 2^64 - 1.
 */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    uint32_t a_low = (uint32_t)(a & UINT32_MAX);
    uint32_t a_high = (uint32_t)(a >> 32);
    uint32_t b_low = (uint32_t)(b & UINT32_MAX);
    uint32_t b_high = (uint32_t)(b >> 32);
    uint64_t middle =
        (uint64_t)a_high * b_low + ((uint64_t)a_low * b_low >> 32);
    uint64_t low = (middle & UINT32_MAX) + (uint64_t)a_low * b_high;

    return (uint64_t)a_high * b_high + (middle >> 32) + (low >> 32);
}

/* a * b, or 2^64 - 1 where that does not fit. */
static uint64_t product(uint64_t a, uint32_t b)
{
    uint64_t low = (a & UINT32_MAX) * b;
    uint64_t high = (a >> 32) * b + (low >> 32);

    return high > UINT32_MAX ? UINT64_MAX : high << 32 | (low & UINT32_MAX);
}

/* a - b, or 0 where b is larger. */
static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/*
 * numerator / denominator in 2^-64, rounded down; the largest there is where
 * that exceeds it. 0 < denominator < 2^(64 - digit_bits), so that a remainder,
 * shifted by a digit, fits 64 bits. A digit is less than 2^digit_bits: the
 * mask changes nothing, it only lets an analysis of ranges see this.
 */
static inline uint64_t digits(uint64_t numerator, uint64_t denominator,
                              unsigned digit_bits)
{
    uint64_t mask = ((uint64_t)1 << digit_bits) - 1;
    uint64_t quotient = 0;

    if (numerator >= denominator) {
        return UINT64_MAX;
    }
    for (unsigned bits = 0; bits < 64; bits += digit_bits) {
        uint64_t shifted = numerator << digit_bits;

        quotient = quotient << digit_bits | (shifted / denominator & mask);
        numerator = shifted % denominator;
    }
    return quotient;
}

/* The same for denominators below 2^62. Cost: 2 divisions for those below
   2^32, 4 below 2^48, else 32. */
static uint64_t fraction(uint64_t numerator, uint64_t denominator)
{
    if (denominator < (uint64_t)1 << 32) {
        return digits(numerator, denominator, 32);
    }
    return denominator < (uint64_t)1 << 48 ? digits(numerator, denominator, 16)
                                           : digits(numerator, denominator, 2);
}

static int check(const struct planner_input *input)
{
    if (input->load_units == 0) {
        return ERR_EMPTY;
    }
    if (input->compute_ps == 0 || input->compute_ps > PLANNER_TIME_MAX_PS ||
        input->transfer_ps > PLANNER_TIME_MAX_PS ||
        input->phases_max > PLANNER_PHASES_MAX ||
        input->results_numerator > PLANNER_RESULTS_MAX ||
        input->results_denominator > PLANNER_RESULTS_MAX ||
        product(input->compute_ps, input->load_units) > PLANNER_LOAD_MAX_PS) {
        return ERR_RANGE;
    }
    for (unsigned i = 0; i < input->phases_max; ++i) {
        if (input->startup_ps[i] > PLANNER_STARTUP_MAX_PS ||
            input->stages[i] > PLANNER_STAGES_MAX) {
            return ERR_RANGE;
        }
    }
    return ERR_OK;
}

/* Cost: 2 divisions where compute < 2^31, 4 for all others. */
static struct scale scale_of(uint64_t compute_ps)
{
    struct scale scale = {.compute = compute_ps};
    unsigned shift = 0; /* m = compute * 2^shift: at most 41 */

#pragma GCC unroll 6
    for (unsigned step = 32; step > 0; step /= 2) {
        /* m <= 2^(41-step) becomes m <= 2^41. */
        if (scale.compute <= ((uint64_t)1 << 41) >> step) {
            scale.compute <<= step;
            shift += step;
        }
    }
    scale.left = shift > 10 ? shift - 10 : 0;
    scale.right = shift < 10 ? 10 - shift : 0;
    /* 2^40 / m; both divided by 2^(shift-1), for fewer digits. */
    scale.units = fraction(((uint64_t)1 << 41) >> shift, 2 * compute_ps);
    return scale;
}

/* V m / 2^10, from two 32 x 32-bit products: 2^32 * 2^9 * 2^22 + 2^54. */
static uint64_t load_work(uint32_t load_units, const struct scale *scale)
{
    uint64_t high = load_units * (scale->compute >> 32);
    uint64_t low = load_units * (scale->compute & UINT32_MAX);

    return (high << 22) + (low >> 10);
}

/*
 * 1 / (5 + rho s (1 + P/Q)) in 2^-64: Q c / (5 Q c + s tau (P + Q)), low by
 * less than one. The terms of the denominator are less than 2^53 and 2^40 *
 * 2^11 * 2000 < 2^62, their sum too. It is a fifth at most: the comparison
 * changes nothing, it only lets an analysis of ranges see this.
 */
static uint64_t decay_of(const struct planner_input *input, uint32_t stages)
{
    uint32_t parts = input->results_denominator;
    uint32_t ways = parts + input->results_numerator;
    uint64_t numerator;
    uint64_t decay;

    if (parts == 0) {
        parts = 1;
        ways = 1;
    }
    if (stages == 0) {
        stages = 1;
    }
    numerator = parts * input->compute_ps;
    decay = fraction(numerator,
                     5 * numerator + input->transfer_ps * (stages * ways));
    return decay < FIFTH ? decay : FIFTH;
}

static void decay_set(struct decay *decay, const struct planner_input *input,
                      uint32_t stages)
{
    if (stages != decay->stages) {
        decay->stages = stages;
        decay->value = decay_of(input, stages);
    }
}

/*
 * The recurrence: work down to the last feasible phase; returns its number.
 * A work is low by less than 2: the load's by less than one, and each step by
 * a fifth of what it inherits, one for the product, and 1/2 for decay (2^63 /
 * 2^64); and it is high by less than 1/4, since startups lose bits to
 * the right. So whatever startup is feasible exceeds it by one at most.
 */
static unsigned recur(uint64_t work[], const struct planner_input *input,
                      const struct scale *scale)
{
    uint64_t left = load_work(input->load_units, scale);
    uint32_t factor = (uint32_t)1 << scale->left;
    struct decay decay = {.stages = UINT32_MAX};
    unsigned phase = 0;

    work[0] = left;
    for (; phase < input->phases_max; ++phase) {
        uint64_t startup =
            product(input->startup_ps[phase] >> scale->right, factor);

        if (startup > left + SNAP_STARTUP) {
            break;
        }
        decay_set(&decay, input, input->stages[phase]);
        left = multiply_high(difference(left, startup), decay.value);
        work[phase + 1] = left;
    }
    return phase;
}

/*
 * A volume from its work: low by less than 4 (2 from the work, one from the
 * product, 1/2 from the scale), so what lies that close below an integer is
 * taken for it.
 */
static uint64_t volume_of(uint64_t work, const struct scale *scale)
{
    uint64_t volume = multiply_high(work, scale->units);

    if (volume % ONE >= ONE - SNAP_UNITS) {
        volume += ONE - volume % ONE;
    }
    return volume;
}

/*
 * Floor of what a node keeps of its volume after its children took `below`.
 * A share comes out low by as much as its volume, less four times as much as
 * its children's; one that is snapped for that may not take more than the
 * floors of both volumes leave.
 */
static uint32_t share_floor(uint64_t volume, uint64_t below, uint64_t units,
                            uint64_t below_units)
{
    uint64_t share_units = (difference(volume, below) + SNAP_UNITS) / ONE;
    uint64_t most = difference(units, below_units);

    return (uint32_t)(share_units < most ? share_units : most);
}

/*
 * Floors of volumes and shares, from the last layer up; returns a_0. The sums
 * of children, 4 (1/5 + 1/25 + ...) of 2^63 at most, do not overflow.
 *
 * The children's floors never exceed their parent's, though each may have been
 * snapped: that would take a share below 2^-18 unit, as would then be those of
 * all later layers, and each volume would be five times the next. One of them
 * would lie between 1/10 and 1/2, and what its floor leaves is more than all
 * that the others were snapped by.
 */
static uint64_t floors(struct planner_plan *plan, const uint64_t work[],
                       uint32_t load_units, const struct scale *scale)
{
    uint64_t below = 0;       /* 4 v_j, summed over j > i */
    uint64_t below_units = 0; /* the same of the floors */
    uint64_t whole = load_units * ONE;

    for (unsigned layer = plan->phases; layer > 0; --layer) {
        uint64_t volume = volume_of(work[layer], scale);
        uint64_t units = volume / ONE;

        plan->volume_units[layer] = (uint32_t)units;
        plan->share_units[layer] =
            share_floor(volume, below, units, below_units);
        below += 4 * volume;
        below_units += 4 * units;
    }
    plan->volume_units[0] = load_units;
    plan->share_units[0] = share_floor(whole, below, load_units, below_units);
    return difference(whole, below);
}

/*
 * The compute time of a share (Q32.30): its work, share * 2^2 * m * 2^22 /
 * 2^64, turned back into picoseconds.
 */
static uint64_t share_ps(uint64_t share, const struct scale *scale)
{
    uint64_t work = multiply_high(share << 2, scale->compute << 22);

    return product(work >> scale->left, (uint32_t)1 << scale->right);
}

int planner_plan(struct planner_plan *plan, const struct planner_input *input)
{
    uint64_t work[PLANNER_PHASES_MAX + 1];
    struct scale scale;
    int error = check(input);

    if (error != ERR_OK) {
        return error;
    }
    scale = scale_of(input->compute_ps);
    plan->phases_feasible = (uint8_t)recur(work, input, &scale);
    plan->phases = plan->phases_feasible;
    if (input->phases_fixed) {
        plan->phases = input->phases_want;
    }
    if (plan->phases > plan->phases_feasible) {
        return ERR_PHASES;
    }
    plan->makespan_ps =
        share_ps(floors(plan, work, input->load_units, &scale), &scale);
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two fixed points. *Work* is a volume's compute time: w = v * m / 2^10, where
 * m = compute * 2^e lies in [2^40, 2^41), so w < 2^63 and a step of w is worth
 * 2^-31 to 2^-30 unit. The recurrence runs on work: startups enter without a
 * division. *Volumes* are Q32.30 units: v = w * 2^40 / m is one product.
 *
 * Errors below are in steps of 2^-30 unit, "low" meaning below the exact one;
 * that nothing overflows is said at each operation and proven by `make prove`.
 */
#include "scatter/plan/one_round.h"

#include "hal/hot.h"
#include "scatter/plan/fixed.h"

#include <stdbool.h>

#define ONE ((uint64_t)1 << 30)
#define SNAP_UNITS 4u   /* a volume is low by less than that */
#define SNAP_STARTUP 1u /* a work is low by less than 2 */
#define OUT_OF_RANGE UINT32_MAX

/* Factors and shifts that turn times into work, and work into volumes. */
struct scale {
    uint64_t units;   /* 2^104 / m, low by less than 1.1 */
    uint64_t compute; /* m */
    unsigned left;    /* time becomes work by a shift to the left, < 32, */
    unsigned right;   /* or to the right, <= 10; one of both is 0 */
};

/*
 * 2^123 / d for 2^59 <= d < 2^60, low by less than 1 + 2^-16: a quotient of 15
 * bits, then Newton's step twice, the second with its square. No estimate is
 * above what it stands for; half = d / 2^29, rounded up:
 *
 *   r_15 = 2^47 / half   low by 2^-14.6 of itself, off of 2^32
 *   r    = 2^62 / half   low by 2^-28.3 of 2^91 / d, error of 2^91
 */
HAL_FAST static uint64_t reciprocal(uint64_t d)
{
    uint32_t top = (uint32_t)(d >> 28 & UINT32_MAX);
    uint32_t rest = (uint32_t)(d & ((1 << 28) - 1));
    uint32_t half = (top >> 1) + 1;
    uint32_t r_15 = UINT32_MAX / ((half >> 15) + 1);
    uint64_t part = (uint64_t)r_15 * half >> 15;
    uint32_t off = ~(uint32_t)(part & UINT32_MAX);
    uint64_t sum = ((uint64_t)r_15 << 15) + ((uint64_t)r_15 * off >> 17);
    uint32_t r = (uint32_t)(sum & UINT32_MAX);
    /* 2^63 - r (top + 1), below 2^35, and 2^91 - r d, below 2^63. */
    uint64_t missing =
        (~((uint64_t)r * top + r) & (((uint64_t)1 << 35) - 1)) + 1;
    uint64_t error =
        (missing << 28) + (uint64_t)r * (((uint32_t)1 << 28) - rest);
    uint32_t error_high = (uint32_t)(error >> 32);
    uint64_t more = (uint64_t)r * error_high +
                    ((uint64_t)r * (uint32_t)(error & UINT32_MAX) >> 32);

    /* r 2^32 (1 + e + e^2), with e = error / 2^91; `more` is in 2^-27. */
    more += (more >> 32) * error_high >> 27;
    more >>= 27;
    return ((r + (more >> 32)) & UINT32_MAX) << 32 | (more & UINT32_MAX);
}

/*
 * numerator / denominator in 2^-64, for numerators below a fifth of the
 * denominator and that below 2^62: low by less than 1.3; from 2^60 on, where
 * the last bits of the denominator are lost, possibly high by 2^-4.
 */
HAL_FAST static uint64_t fraction(uint64_t numerator, uint64_t denominator)
{
    struct fixed_shift shift = fixed_shift_of(denominator);
    uint64_t scaled = fixed_shifted(numerator, shift) & INT64_MAX;

    return fixed_multiply_high(
        2 * scaled, reciprocal(fixed_shifted(denominator, shift) >> 4));
}

/* Checks all of the job but startups. */
HAL_FAST static int check(const struct plan_job *job)
{
    int error = plan_check_load(job);

    if (job->phases > PLANNER_PHASES_MAX ||
        job->results_numerator > PLANNER_RESULTS_MAX ||
        job->results_denominator > PLANNER_RESULTS_MAX) {
        error = error == ERR_OK ? ERR_RANGE : error;
    }
    return error;
}

HAL_FAST static struct scale scale_of(uint64_t compute_ps)
{
    struct fixed_shift shift = fixed_shift_of(compute_ps);
    uint64_t d = fixed_shifted(compute_ps, shift) >> 4; /* 2^19 m */
    struct scale scale = {.units = reciprocal(d), .compute = d >> 19};

    /* m = compute * 2^(zeros - 23), and zeros is 23 at least. */
    scale.left = shift.zeros > 33 ? shift.zeros - 33 : 0;
    scale.right = shift.zeros < 33 ? (33 - shift.zeros) & 15 : 0;
    return scale;
}

/* V m / 2^10, from two 32 x 32-bit products: 2^32 * 2^9 * 2^22 + 2^54. */
HAL_FAST static uint64_t load_work(uint32_t load_units,
                                   const struct scale *scale)
{
    uint64_t high = load_units * (scale->compute >> 32);
    uint64_t low = load_units * (scale->compute & UINT32_MAX);

    return (high << 22) + (low >> 10);
}

/*
 * 1 / (5 + rho (1 + P/Q)) in 2^-64, by which volumes shrink: Q c / (5 Q c + tau
 * (P + Q)), low by less than one. The terms of the denominator are less than
 * 2^53 and 2^40 * 2000, their sum is below 2^62. It is a fifth at most: the
 * comparison changes nothing, it only lets an analysis of ranges see this.
 */
HAL_FAST static uint64_t decay_of(const struct plan_job *job)
{
    uint32_t parts = job->results_denominator;
    uint32_t ways = parts + job->results_numerator;
    uint64_t numerator;
    uint64_t decay;

    if (parts == 0) {
        parts = 1;
        ways = 1;
    }
    numerator = parts * job->compute_ps;
    decay = fraction(numerator, 5 * numerator + job->transfer_ps * ways);
    return decay < FIXED_FIFTH ? decay : FIXED_FIFTH;
}

/* A startup as work; 2^64 - 1 where that does not fit. */
HAL_FAST static uint64_t startup_work(uint64_t startup_ps,
                                      const struct scale *scale)
{
    return fixed_product(startup_ps >> scale->right,
                         (uint32_t)1 << scale->left);
}

/*
 * The recurrence: work down to the last feasible phase. Result: its number, or
 * OUT_OF_RANGE.
 *
 * A work is low by less than 2: the load's by less than one, and each step by
 * a fifth of what it inherits, one for the product, and for decay by 0.7 in the
 * first (1.3 * 2^63 / 2^64) and a fifth of that in others; and it is high by
 * less than 1/4, since startups lose bits to the right. So whatever startup is
 * feasible exceeds it by one at most.
 */
HAL_FAST static unsigned recur(uint64_t work[], const struct plan_job *job,
                               const struct scale *scale)
{
    uint64_t left = load_work(job->load_units, scale);
    uint64_t decay = decay_of(job);
    unsigned phase = 0;

    work[0] = left;
    for (; phase < job->phases; ++phase) {
        uint64_t startup = startup_work(job->startup_ps[phase], scale);

        if (job->startup_ps[phase] > PLANNER_STARTUP_MAX_PS) {
            return OUT_OF_RANGE;
        }
        if (startup > left + SNAP_STARTUP) {
            break;
        }
        left =
            fixed_multiply_high_inline(fixed_difference(left, startup), decay);
        work[phase + 1] = left;
    }
    return phase;
}

/* Whether startups of the phases that recur() has not reached are in range. */
HAL_FAST static bool rest_fits(const struct plan_job *job, unsigned phase)
{
    for (; phase < job->phases; ++phase) {
        if (job->startup_ps[phase] > PLANNER_STARTUP_MAX_PS) {
            return false;
        }
    }
    return true;
}

/*
 * A volume from its work: low by less than 4 (2 from the work, one from the
 * product, 1/2 from the scale), so what lies that close below an integer is
 * taken for it.
 */
HAL_FAST static uint64_t volume_of(uint64_t work, const struct scale *scale)
{
    uint64_t volume = fixed_multiply_high_inline(work, scale->units);

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
HAL_FAST static uint32_t share_floor(uint64_t volume, uint64_t below,
                                     uint32_t units, uint32_t below_units)
{
    uint64_t share_units = (fixed_difference(volume, below) + SNAP_UNITS) / ONE;
    uint64_t most = fixed_difference(units, below_units);

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
HAL_FAST static uint64_t floors(struct planner_plan *plan,
                                const uint64_t work[], uint32_t load_units,
                                const struct scale *scale)
{
    uint64_t below = 0;       /* 4 v_j, summed over j > i */
    uint32_t below_units = 0; /* the sum of the floors; fits */
    uint64_t whole = load_units * ONE;

    for (unsigned layer = plan->phases; layer > 0; --layer) {
        uint64_t volume = volume_of(work[layer], scale);
        uint32_t units = (uint32_t)(volume / ONE & UINT32_MAX);

        plan->volume_units[layer] = units;
        plan->share_units[layer] =
            share_floor(volume, below, units, below_units);
        below += 4 * volume;
        below_units =
            (uint32_t)((below_units + 4 * (uint64_t)units) & UINT32_MAX);
    }
    plan->volume_units[0] = load_units;
    plan->share_units[0] = share_floor(whole, below, load_units, below_units);
    return fixed_difference(whole, below);
}

/*
 * The compute time of a share (Q32.30): its work, share * 2^2 * m * 2^22 /
 * 2^64, turned back into picoseconds.
 */
HAL_FAST static uint64_t share_ps(uint64_t share, const struct scale *scale)
{
    uint64_t work = fixed_multiply_high(share << 2, scale->compute << 22);

    return fixed_product(work >> scale->left, (uint32_t)1 << scale->right);
}

HAL_FAST int planner_plan(struct planner_plan *plan, const struct plan_job *job)
{
    uint64_t work[PLANNER_PHASES_MAX + 1];
    struct scale scale;
    unsigned feasible;
    int error = check(job);

    if (error != ERR_OK) {
        return error;
    }
    scale = scale_of(job->compute_ps);
    feasible = recur(work, job, &scale);
    if (feasible == OUT_OF_RANGE || !rest_fits(job, feasible)) {
        return ERR_RANGE;
    }
    plan->phases = (uint8_t)feasible;
    plan->makespan_ps =
        share_ps(floors(plan, work, job->load_units, &scale), &scale);
    return ERR_OK;
}

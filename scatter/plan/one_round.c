/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A volume of v units (v_i of one_round.h) has two fixed-point formats. *Work*
 * is its compute time, w = v * m / 2^10; m is compute_ps times the power of two
 * that brings it into [2^40, 2^41). So w < 2^63, and a step of w is worth 2^-31
 * to 2^-30 unit. The recurrence for v_i runs on work, from which startups are
 * subtracted without a division. *Volume* is v * 2^30.
 *
 * "Low by e": the exact number is larger by e. Errors of volumes are in steps
 * of 2^-30 unit. `make prove` proves that nothing overflows.
 */
#include "scatter/plan/one_round.h"

#include "hal/hot.h"
#include "scatter/plan/fixed.h"

#include <stdbool.h>

#define ONE ((uint64_t)1 << 30)
#define SNAP_UNITS 4u   /* a volume is low by less, in steps of 2^-30 unit */
#define SNAP_STARTUP 1u /* a feasible startup may exceed the work by 1 */

/* Factors and shifts that turn times, ps, into work, and work into volumes. */
struct scale {
    uint64_t units;   /* units for each step of work, in units of 2^-64: 2^104
                         / compute, too low by less than 1.1 */
    uint64_t compute; /* compute_ps * 2^n, from 2^40 to 2^41 */
    unsigned left;    /* 0 .. 31; a time's work is time << left >> right */
    unsigned right;   /* 0 .. 10; left or right is 0 */
};

/*
 * Returns 2^123 / d for 2^59 <= d < 2^60, low by less than 1 + 2^-16. A
 * division yields an estimate of 15 bits, r_15. Two steps of Newton's method
 * follow; the second step also adds the square of the error. All estimates are
 * low. `half` is d / 2^29, rounded up; off and error are variables below:
 *
 *   estimate             low, in parts of the exact number, by
 *   r_15 = 2^47 / half   off / 2^32, which is 2^-14.6 at most
 *   r    = 2^62 / half   error / 2^91, which is 2^-28.3 at most
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
    /* missing = 2^63 - r (top + 1) < 2^35; error = 2^91 - r d < 2^63. */
    uint64_t missing =
        (~((uint64_t)r * top + r) & (((uint64_t)1 << 35) - 1)) + 1;
    uint64_t error =
        (missing << 28) + (uint64_t)r * (((uint32_t)1 << 28) - rest);
    uint32_t error_high = (uint32_t)(error >> 32);
    uint64_t more = (uint64_t)r * error_high +
                    ((uint64_t)r * (uint32_t)(error & UINT32_MAX) >> 32);

    /* r 2^32 (1 + e + e^2), e = error / 2^91; `more` is r 2^32 (e + e^2). */
    more += (more >> 32) * error_high >> 27;
    more >>= 27;
    return ((r + (more >> 32)) & UINT32_MAX) << 32 | (more & UINT32_MAX);
}

/* Returns numerator / denominator in steps of 2^-64, low by less than 1.3
   steps. The denominator is below 2^62, the numerator at most a fifth of it.
   The last bits of a denominator of 2^60 or more are cut: the result may be
   high by 2^-4 steps. */
HAL_FAST static uint64_t fraction(uint64_t numerator, uint64_t denominator)
{
    struct fixed_shift shift = fixed_shift_of(denominator);
    uint64_t scaled = fixed_shifted(numerator, shift) & INT64_MAX;

    return fixed_multiply_high(
        2 * scaled, reciprocal(fixed_shifted(denominator, shift) >> 4));
}

/* Checks all of the job but startup_ps[]. Result: 0, ERR_EMPTY or ERR_RANGE. */
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

HAL_FAST static bool startups_fit(const struct plan_job *job)
{
    for (unsigned i = 0; i < job->phases; ++i) {
        if (job->startup_ps[i] > PLANNER_STARTUP_MAX_PS) {
            return false;
        }
    }
    return true;
}

HAL_FAST static struct scale scale_of(uint64_t compute_ps)
{
    struct fixed_shift shift = fixed_shift_of(compute_ps);
    uint64_t d = fixed_shifted(compute_ps, shift) >> 4; /* 2^19 m */
    struct scale scale = {.units = reciprocal(d), .compute = d >> 19};

    /* m = compute_ps * 2^(zeros - 23), zeros >= 23. Hence the work of a time,
       time * m / (2^10 compute_ps), is time * 2^(zeros - 33). */
    scale.left = shift.zeros > 33 ? shift.zeros - 33 : 0;
    scale.right = shift.zeros < 33 ? (33 - shift.zeros) & 15 : 0;
    return scale;
}

/* Returns the work of all units of the load, load_units * m / 2^10, which is
   below 2^63, from two 32 x 32-bit products. */
HAL_FAST static uint64_t load_work(uint32_t load_units,
                                   const struct scale *scale)
{
    uint64_t high = load_units * (scale->compute >> 32);
    uint64_t low = load_units * (scale->compute & UINT32_MAX);

    return (high << 22) + (low >> 10);
}

/* Returns 1 / (5 + rho (1 + P/Q)) of one_round.h, the factor from v_{i-1} - g_i
   to v_i, in steps of 2^-64, low by less than 1.3 steps. It is computed as Q c
   / (5 Q c + g (P + Q)): c is compute_ps, g is transfer_ps. The last comparison
   shows Frama-C that the factor is 1/5 at most. */
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

/* Returns the work of the time startup_ps; 2^64 - 1 if it exceeds 64 bits. */
HAL_FAST static uint64_t startup_work(uint64_t startup_ps,
                                      const struct scale *scale)
{
    return fixed_product(startup_ps >> scale->right,
                         (uint32_t)1 << scale->left);
}

/*
 * Sets work[i], the work of v_i by the recurrence of one_round.h, for i from 0
 * to the last feasible phase. Returns the number of that phase, 0 if none is.
 *
 * Each work is low by less than 2 steps of work. The work of the load is low by
 * less than 1, each later work by the sum of
 *
 *   1/5 of the error of the work before;
 *   1, because the product is rounded down;
 *   work before (< 2^63) * error of decay (1.3 * 2^-64): less than 0.7.
 *
 * A work is high by less than 1/4, as startups are rounded down. So a feasible
 * startup exceeds the work by one step at most.
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

        if (startup > left + SNAP_STARTUP) {
            break;
        }
        left =
            fixed_multiply_high_inline(fixed_difference(left, startup), decay);
        work[phase + 1] = left;
    }
    return phase;
}

/* Returns the volume of `work`, in 2^-30 unit. The product is low by less than
   4 steps: 2 from the work, 1 from rounding, 1/2 from scale->units. A product
   less than 4 steps below an integer is set to that integer. */
HAL_FAST static uint64_t volume_of(uint64_t work, const struct scale *scale)
{
    uint64_t volume = fixed_multiply_high_inline(work, scale->units);

    if (volume % ONE >= ONE - SNAP_UNITS) {
        volume += ONE - volume % ONE;
    }
    return volume;
}

/* Returns a node's share in whole units: volume - below, rounded down, but at
   most units - below_units. `volume`, `units`: the node's, in 2^-30 unit and in
   whole units; `below`, `below_units`: sums of its children's. `volume` is low
   by less than 4 steps, so 4 steps are added before rounding down. */
HAL_FAST static uint32_t share_floor(uint64_t volume, uint64_t below,
                                     uint32_t units, uint32_t below_units)
{
    uint64_t share_units = (fixed_difference(volume, below) + SNAP_UNITS) / ONE;
    uint64_t most = fixed_difference(units, below_units);

    return (uint32_t)(share_units < most ? share_units : most);
}

/*
 * Sets volumes and shares, rounded down, from the last layer up. Returns a_0 in
 * 2^-30 unit. A sum of children is at most 4 (1/5 + 1/25 + ...) of 2^63.
 *
 * The children's floors never sum up to more than the parent's floor, though
 * volume_of() may have raised each volume to an integer. Else the shares of the
 * parent and of all later layers would be below 2^-18 unit. So each volume
 * would be five times the next, and one volume would lie between 1/10 and 1/2
 * unit. That volume's fraction would exceed all that volume_of() has added.
 */
HAL_FAST static uint64_t floors(struct planner_plan *plan,
                                const uint64_t work[], uint32_t load_units,
                                const struct scale *scale)
{
    uint64_t below = 0;       /* sum of children's volumes, in 2^-30 unit */
    uint32_t below_units = 0; /* sum of children's volume_units[] */
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

/* Returns the time, ps, to compute `share`, a number of 2^-30 unit. The work of
   the share is share * m / 2^40, the high 64 bits of 2^2 share * 2^22 m. */
HAL_FAST static uint64_t share_ps(uint64_t share, const struct scale *scale)
{
    uint64_t work = fixed_multiply_high(share << 2, scale->compute << 22);

    return fixed_product(work >> scale->left, (uint32_t)1 << scale->right);
}

HAL_FAST int planner_plan(struct planner_plan *plan, const struct plan_job *job)
{
    uint64_t work[PLANNER_PHASES_MAX + 1];
    struct scale scale;
    int error = check(job);

    if (error != ERR_OK) {
        return error;
    }
    if (!startups_fit(job)) {
        return ERR_RANGE;
    }
    scale = scale_of(job->compute_ps);
    plan->phases = (uint8_t)recur(work, job, &scale);
    plan->makespan_ps =
        share_ps(floors(plan, work, job->load_units, &scale), &scale);
    return ERR_OK;
}

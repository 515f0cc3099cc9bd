/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A volume of v units (v_i of one_round.h) has two fixed-point formats. *Work*
 * is its compute time, w = v * m / 2^10; m is compute_ps times the power of two
 * that brings it into [2^40, 2^41). *Volume* is v * 2^30. "Low by e": the exact
 * number is larger by e. `make prove` proves that nothing overflows.
 */
#include "scatter/plan/one_round.h"

#include "hal/hot.h"
#include "scatter/plan/fixed.h"

#include <stdbool.h>

#define ONE ((uint64_t)1 << 30)
#define SNAP_UNITS 4u   /* limit of the error of a volume, in 2^-30 unit */
#define SNAP_STARTUP 1u /* steps: rounding may make a startup exceed the work  \
                         */

/* Factors and shifts that turn times, ps, into work, and work into volumes. */
struct scale {
    uint64_t units;   /* units of a step of work, in 2^-64 */
    uint64_t compute; /* compute_ps, shifted into 2^40 to 2^41 */
    unsigned left;    /* work of a time: time << left >> right */
    unsigned right;   /* 0 if left is not 0 */
};

/* Returns 2^123 / d for 2^59 <= d < 2^60, low by less than 1 + 2^-16. Two steps
   of Newton's method follow an estimate of 15 bits. */
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
    /* missing = 2^63 - r (top + 1); error = 2^91 - r d. */
    uint64_t missing =
        (~((uint64_t)r * top + r) & (((uint64_t)1 << 35) - 1)) + 1;
    uint64_t error =
        (missing << 28) + (uint64_t)r * (((uint32_t)1 << 28) - rest);
    uint32_t error_high = (uint32_t)(error >> 32);
    uint64_t more = (uint64_t)r * error_high +
                    ((uint64_t)r * (uint32_t)(error & UINT32_MAX) >> 32);

    /* The square of the error is added, too. */
    more += (more >> 32) * error_high >> 27;
    more >>= 27;
    return ((r + (more >> 32)) & UINT32_MAX) << 32 | (more & UINT32_MAX);
}

/* Returns numerator / denominator, at most 1/5, in steps of 2^-64. */
HAL_FAST static uint64_t fraction(uint64_t numerator, uint64_t denominator)
{
    struct fixed_shift shift = fixed_shift_of(denominator);
    uint64_t scaled = fixed_shifted(numerator, shift) & INT64_MAX;

    return fixed_multiply_high(
        2 * scaled, reciprocal(fixed_shifted(denominator, shift) >> 4));
}

/* startup_ps[] is not checked here. */
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

    /* The work of a time is time * 2^(zeros - 33). */
    scale.left = shift.zeros > 33 ? shift.zeros - 33 : 0;
    scale.right = shift.zeros < 33 ? (33 - shift.zeros) & 15 : 0;
    return scale;
}

HAL_FAST static uint64_t load_work(uint32_t load_units,
                                   const struct scale *scale)
{
    uint64_t high = load_units * (scale->compute >> 32);
    uint64_t low = load_units * (scale->compute & UINT32_MAX);

    return (high << 22) + (low >> 10);
}

/* Returns 1 / (5 + rho (1 + P/Q)) of one_round.h, in 2^-64. */
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

/* Returns UINT64_MAX if the work exceeds 64 bits. */
HAL_FAST static uint64_t startup_work(uint64_t startup_ps,
                                      const struct scale *scale)
{
    return fixed_product(startup_ps >> scale->right,
                         (uint32_t)1 << scale->left);
}

/* Sets work[i], the work of v_i, for i up to the last feasible phase. Returns
   the number of that phase, 0 if none is. Each work is low by less than 2. */
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

/* Returns the volume of `work`, in 2^-30 unit. A volume just below an integer
   is set to that integer. */
HAL_FAST static uint64_t volume_of(uint64_t work, const struct scale *scale)
{
    uint64_t volume = fixed_multiply_high_inline(work, scale->units);

    if (volume % ONE >= ONE - SNAP_UNITS) {
        volume += ONE - volume % ONE;
    }
    return volume;
}

/* Returns volume - below, in whole units. `volume`, `below`: in 2^-30 unit, of
   the node and its children; `units`, `below_units`: in whole units. */
HAL_FAST static uint32_t share_floor(uint64_t volume, uint64_t below,
                                     uint32_t units, uint32_t below_units)
{
    uint64_t share_units = (fixed_difference(volume, below) + SNAP_UNITS) / ONE;
    uint64_t most = fixed_difference(units, below_units);

    return (uint32_t)(share_units < most ? share_units : most);
}

/* Sets volumes and shares. Returns the originator's share, in 2^-30 unit. */
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

/* Returns the time, ps, to compute `share`, given in 2^-30 unit. */
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

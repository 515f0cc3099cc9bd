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
#define SNAP_VOLUME 4u  /* a volume is low by less than that */
#define SNAP_SHARE 32u  /* a share is low by less, unless volumes snapped */
#define SNAP_STARTUP 1u /* a work is low by less than 2 */

/* How times become work, and work volumes. */
struct scale {
    uint64_t units;   /* 2^104 / m, low by one at most */
    uint64_t compute; /* m */
    uint32_t right;   /* time becomes work: shifted right by so much, */
    uint32_t factor;  /* then times this power of two; one of both is idle */
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

/*
 * floor(numerator * 2^64 / denominator), or 2^64 - 1 where that exceeds it;
 * 0 < denominator < 2^62. In digits so short that a remainder (less than the
 * denominator), shifted, fits 64 bits: 2^32 * 2^32, 2^48 * 2^16, 2^62 * 2^2.
 * A digit is less than 2^digit_bits: the mask changes nothing, it only lets
 * an analysis of ranges see this. Cost: 2, 4 or 32 divisions.
 */
static uint64_t fraction(uint64_t numerator, uint64_t denominator)
{
    unsigned digit_bits = denominator < (uint64_t)1 << 32   ? 32
                          : denominator < (uint64_t)1 << 48 ? 16
                                                            : 2;
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
        input->load_units > PLANNER_LOAD_MAX_PS / input->compute_ps) {
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

static struct scale scale_of(uint64_t compute_ps)
{
    /* 2^(63-n) < 2 compute <= 2^(64-n) where n = clz(2 compute - 1). */
    unsigned shift = (unsigned)__builtin_clzll(2 * compute_ps - 1) - 22;
    struct scale scale;

    scale.compute = compute_ps << shift;
    scale.factor = (uint32_t)1 << (shift > 10 ? shift - 10 : 0);
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
 * 1 / (5 + rho s (1 + P/Q)) in 2^-64: one fifth of 5 Q c / (5 Q c + s tau (P +
 * Q)). The two terms are less than 2^53 and 2^40 * 2^11 * 2000 < 2^62, their
 * sum too. Low by less than 1.2: a fifth of one, and one.
 */
static uint64_t decay_of(const struct planner_input *input, uint32_t stages)
{
    uint32_t parts = input->results_denominator;
    uint32_t ways = parts + input->results_numerator;
    uint64_t numerator;

    if (parts == 0) {
        parts = 1;
        ways = 1;
    }
    if (stages == 0) {
        stages = 1;
    }
    numerator = 5 * parts * input->compute_ps;
    return fraction(numerator,
                    numerator + input->transfer_ps * (stages * ways)) /
           5;
}

static void decay_set(struct decay *decay, const struct planner_input *input,
                      uint32_t stages)
{
    if (stages != decay->stages) {
        decay->stages = stages;
        decay->value = decay_of(input, stages);
    }
}

static uint64_t next_work(uint64_t work, uint64_t startup, uint64_t decay)
{
    return startup < work ? multiply_high(work - startup, decay) : 0;
}

/*
 * The recurrence: work down to the last feasible phase; returns its number.
 * A work is low by less than 2: the load's by less than one, and each step by
 * a fifth of what it inherits, one for the product, and 0.6 for decay (1.2 *
 * 2^63 / 2^64); and it is high by less than 1/4, since startups lose bits to
 * the right. So whatever startup is feasible exceeds it by one at most.
 */
static unsigned recur(uint64_t work[], const struct planner_input *input,
                      const struct scale *scale)
{
    uint64_t load_ps = input->load_units * input->compute_ps; /* <= 2^63 */
    uint64_t left = load_work(input->load_units, scale);
    struct decay decay = {.stages = UINT32_MAX};
    unsigned phase = 0;

    work[0] = left;
    for (; phase < input->phases_max; ++phase) {
        uint64_t startup = input->startup_ps[phase];

        if (startup > load_ps) {
            break;
        }
        /* load_ps becomes work[0], and this is not more: < 2^63. */
        startup = (startup >> scale->right) * scale->factor;
        if (startup > left + SNAP_STARTUP) {
            break;
        }
        decay_set(&decay, input, input->stages[phase]);
        left = next_work(left, startup, decay.value);
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

    if (volume % ONE >= ONE - SNAP_VOLUME) {
        volume += ONE - volume % ONE;
    }
    return volume;
}

/*
 * Floor of what a node keeps of its volume after its children took `below`:
 * never more than the floors of both leave. An exact share comes out low by
 * less than SNAP_SHARE, as long as no volume below it was snapped.
 */
static uint32_t share_floor(uint64_t volume, uint64_t below, uint64_t units,
                            uint64_t below_units)
{
    uint64_t share = volume > below ? volume - below : 0;
    uint64_t share_units = (share + SNAP_SHARE) / ONE;
    uint64_t most = units > below_units ? units - below_units : 0;

    return (uint32_t)(share_units < most ? share_units : most);
}

/*
 * Floors of volumes and shares, from the last layer up. Rounding may leave a
 * volume slightly below its children's: its floor is then theirs. The sums of
 * children, 4 (1/5 + 1/25 + ...) of 2^63 at most, do not overflow.
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

        units = units > below_units ? units : below_units;
        plan->volume_units[layer] = (uint32_t)units;
        plan->share_units[layer] =
            share_floor(volume, below, units, below_units);
        below += 4 * volume;
        below_units += 4 * units;
    }
    plan->volume_units[0] = load_units;
    plan->share_units[0] = share_floor(whole, below, load_units, below_units);
    return whole > below ? whole - below : 0;
}

int planner_plan(struct planner_plan *plan, const struct planner_input *input)
{
    uint64_t work[PLANNER_PHASES_MAX + 1];
    struct scale scale;
    uint64_t share;
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
    share = floors(plan, work, input->load_units, &scale);
    plan->makespan_ps =
        share / ONE * input->compute_ps +
        multiply_high(share % ONE << 17, input->compute_ps << 17);
    return ERR_OK;
}

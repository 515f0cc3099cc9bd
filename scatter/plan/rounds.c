/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/rounds.h"

#include "scatter/plan/wide.h"

#include <stddef.h>

/* Growth from x to V up to which fixed point is exact enough. */
#define GROWTH_BITS 44u
/* Costs add less than 2^34 units to a volume. */
#define BASE_BITS 34u
/* A volume within 2^-26 unit of an integer counts as that integer. */
#define SNAP ((uint64_t)1 << 38)

#define LAYERS (ROUNDS_PHASES_MAX + 1)

/* Calls take less code than the additions that would be inlined. */
#define SMALL __attribute__((noinline))

/* slope * x + base, in units. */
struct affine {
    struct wide slope;
    struct wide base;
};

/* The costs in units: each time divided by the compute time of one unit. */
struct costs {
    struct wide_ratio rho;
    struct wide startup[LAYERS]; /* index: phase */
    struct wide startups;        /* of all phases */
    struct wide phase_queue;
    struct wide minus_phase_queue;
    struct wide between_rounds;
    struct wide begin;
    struct wide round_overhead;
    struct wide interval; /* v_{r,N} - rho sum v_{r+1}: see rounds.h */
    /* Units by which begin() shortens a layer's share of the first round: begin
       / compute off v_{1,N}, 5 + rho times as much off each volume above. */
    struct wide loss[LAYERS];
    struct wide losses; /* of the volumes of all phases */
    bool begins;        /* false: begin() takes more than any load */
    unsigned phases;
};

/* The rounds from the last one to the one at hand; index: phase. */
struct sweep {
    struct affine cells[2][LAYERS];
    struct affine *volume;      /* of the round at hand */
    struct affine *later;       /* of the round after it */
    struct affine kept[LAYERS]; /* v_j - 4 sum of the volumes below */
    struct affine sum;          /* of the volumes of the round at hand */
    struct affine total;        /* of all rounds so far */
    struct wide fixed;          /* of a_0: all startups, less overheads */
    struct wide x_min; /* no volume or share is negative from this x on .. */
    struct wide x_max; /* .. up to this one */
    bool possible;
};

static SMALL void affine_add(struct affine *to, const struct affine *other)
{
    to->slope = wide_add(to->slope, other->slope);
    to->base = wide_add(to->base, other->base);
}

static SMALL void affine_scale(struct affine *value, struct wide_ratio ratio)
{
    value->slope = wide_scale(value->slope, ratio);
    value->base = wide_scale(value->base, ratio);
}

static SMALL void affine_times_4(struct affine *value)
{
    value->slope = wide_shift_left(value->slope, 2);
    value->base = wide_shift_left(value->base, 2);
}

/* value - 4 below */
static SMALL void affine_leave(struct affine *left, const struct affine *value,
                               const struct affine *below)
{
    left->slope = wide_subtract(value->slope, wide_shift_left(below->slope, 2));
    left->base = wide_subtract(value->base, wide_shift_left(below->base, 2));
}

/*
 * Whether a volume, or a sum of volumes, fits the arithmetic. A slope is never
 * negative, although its products are cut off: with F_j the sum of floor(rho
 * v_{r+1,i}), i <= j, the slopes of v_{r,N} = floor(rho sum v_{r+1}) and
 * v_{r,j-1} >= 5 v_{r,j} - floor(rho v_{r+1,j}) are F_j or more, one after the
 * other.
 */
static SMALL bool affine_fits(const struct affine *a)
{
    return !wide_is_negative(a->slope) &&
           a->slope.high < (uint64_t)1 << GROWTH_BITS &&
           wide_within(a->base, BASE_BITS);
}

/* Sets *units = time / compute; false if that is 2^32 or more, which exceeds
   every load. */
static SMALL bool units_of(struct wide *units, uint64_t time_ps,
                           uint64_t compute_ps)
{
    bool fits;
    struct wide_ratio ratio = wide_ratio_of(time_ps, compute_ps, &fits);

    *units = (struct wide){ratio.whole, ratio.fraction};
    return fits;
}

static const struct affine zero = {{0, 0}, {0, 0}};

/*
 * A slope or a base: v_{j-1} = 5 v_j + rho (v_{r,j} - v_{r+1,j}) + extra, which
 * is the startup, or -phase_queue. Pointers to terms that are 0 may be NULL.
 */
static SMALL void step(struct wide *above, const struct wide *volume,
                       const struct wide *later, const struct wide *extra,
                       const struct wide_ratio *rho)
{
    struct wide moved = wide_scale(
        later != NULL ? wide_subtract(*volume, *later) : *volume, *rho);
    struct wide children = wide_shift_left(*volume, 2);

    *above = wide_add(wide_add(*volume, children), moved);
    if (extra != NULL) {
        *above = wide_add(*above, *extra);
    }
}

/* Sets loss, losses and begins from costs->begin. */
static void read_losses(struct costs *costs)
{
    struct wide volume = costs->begin;

    costs->begins = true;
    costs->losses = wide_of(0);
    for (unsigned phase = costs->phases; phase > 0; --phase) {
        if (volume.high >= (uint64_t)1 << BASE_BITS) {
            costs->begins = false;
            volume = wide_of(0);
        }
        costs->loss[phase] =
            wide_subtract(volume, wide_shift_left(costs->losses, 2));
        costs->losses = wide_add(costs->losses, volume);
        step(&volume, &volume, NULL, NULL, &costs->rho);
    }
}

static int check(const struct rounds_input *input)
{
    const struct planner_input *base = input->base;

    if (base->load_units == 0) {
        return ERR_EMPTY;
    }
    if (base->compute_ps == 0 || base->compute_ps > PLANNER_TIME_MAX_PS ||
        base->transfer_ps > PLANNER_TIME_MAX_PS ||
        base->load_units > PLANNER_LOAD_MAX_PS / base->compute_ps ||
        base->phases_want > ROUNDS_PHASES_MAX ||
        input->phase_queue_ps > PLANNER_STARTUP_MAX_PS ||
        input->between_rounds_ps > PLANNER_STARTUP_MAX_PS ||
        input->begin_ps > PLANNER_STARTUP_MAX_PS ||
        input->round_overhead_ps > PLANNER_STARTUP_MAX_PS ||
        input->rounds_min == 0 || input->rounds_min > input->rounds_max ||
        input->rounds_max > ROUNDS_MAX) {
        return ERR_RANGE;
    }
    for (unsigned i = 0; i < base->phases_want; ++i) {
        if (base->startup_ps[i] > PLANNER_STARTUP_MAX_PS) {
            return ERR_RANGE;
        }
    }
    return ERR_OK;
}

/* Sets *rho = transfer / compute; false if it exceeds ROUNDS_RHO_MAX. */
static bool read_rho(struct wide_ratio *rho, const struct planner_input *base)
{
    bool fits;

    *rho = wide_ratio_of(base->transfer_ps, base->compute_ps, &fits);
    return fits && (rho->whole < ROUNDS_RHO_MAX ||
                    (rho->whole == ROUNDS_RHO_MAX && rho->fraction == 0));
}

/* Result: 0; ERR_PHASES where a cost alone exceeds every load. */
static int read_costs(struct costs *costs, const struct rounds_input *input)
{
    const struct planner_input *base = input->base;
    uint64_t compute_ps;
    bool all = true;
    int error = check(input);

    if (error != ERR_OK) {
        return error;
    }
    if (!read_rho(&costs->rho, base)) {
        return ERR_RANGE;
    }
    compute_ps = base->compute_ps;
    costs->phases = base->phases_want;
    costs->startups = wide_of(0);
    for (unsigned phase = 1; phase <= costs->phases; ++phase) {
        if (phase > 1 &&
            base->startup_ps[phase - 1] == base->startup_ps[phase - 2]) {
            costs->startup[phase] = costs->startup[phase - 1];
        } else {
            all &= units_of(&costs->startup[phase], base->startup_ps[phase - 1],
                            compute_ps);
        }
        costs->startups = wide_add(costs->startups, costs->startup[phase]);
    }
    all &= units_of(&costs->phase_queue, input->phase_queue_ps, compute_ps);
    all &=
        units_of(&costs->between_rounds, input->between_rounds_ps, compute_ps);
    all &= units_of(&costs->begin, input->begin_ps, compute_ps);
    all &=
        units_of(&costs->round_overhead, input->round_overhead_ps, compute_ps);
    costs->minus_phase_queue = wide_negate(costs->phase_queue);
    costs->interval = wide_subtract(costs->startups, costs->between_rounds);
    for (unsigned phase = 1; phase <= costs->phases; ++phase) {
        costs->interval = wide_add(costs->interval, costs->phase_queue);
    }
    if (!all || costs->phases == 0) {
        return ERR_PHASES;
    }
    read_losses(costs);
    return ERR_OK;
}

/* Narrows the range of x to where slope * x + base >= 0. */
static void require(struct sweep *sweep, const struct affine *value)
{
    struct wide bound;

    if (wide_is_negative(value->slope)) {
        if (wide_is_negative(value->base)) {
            sweep->possible = false;
            return;
        }
        bound = wide_divide_roughly(value->base, wide_negate(value->slope));
        if (wide_less(bound, sweep->x_max)) {
            sweep->x_max = bound;
        }
    } else if (wide_is_negative(value->base)) {
        if (wide_is_zero(value->slope)) {
            sweep->possible = false;
            return;
        }
        bound = wide_divide_roughly(wide_negate(value->base), value->slope);
        if (wide_less(sweep->x_min, bound)) {
            sweep->x_min = bound;
        }
    }
}

/* Requires a volume of one unit or more: nodes count on R receipts. */
static void require_unit(struct sweep *sweep, const struct affine *volume)
{
    struct affine rest = *volume;

    rest.base = wide_subtract(rest.base, wide_of(1));
    require(sweep, &rest);
}

/*
 * Fills in the round at hand from v_{r,N} up; false if it outgrows the range
 * of the arithmetic, as every round before it then would. In the last round
 * every layer keeps more than the one below.
 */
static bool sweep_round(struct sweep *sweep, const struct costs *costs,
                        bool last)
{
    struct affine *volume = &sweep->volume[costs->phases];

    if (!affine_fits(volume)) {
        return false;
    }
    require_unit(sweep, volume);
    sweep->kept[costs->phases] = *volume;
    sweep->sum = *volume;
    for (unsigned phase = costs->phases; phase > 1; --phase, --volume) {
        const struct affine *later = &sweep->later[phase];
        struct affine *above = volume - 1;

        step(&above->slope, &volume->slope, last ? NULL : &later->slope, NULL,
             &costs->rho);
        step(&above->base, &volume->base, last ? NULL : &later->base,
             last ? &costs->startup[phase] : &costs->minus_phase_queue,
             &costs->rho);
        if (!affine_fits(above)) {
            return false;
        }
        if (!last) {
            affine_leave(&sweep->kept[phase - 1], above, &sweep->sum);
            require(sweep, &sweep->kept[phase - 1]);
        }
        affine_add(&sweep->sum, above);
    }
    affine_add(&sweep->total, &sweep->sum);
    sweep->fixed = wide_add(sweep->fixed, costs->startups);
    if (!last) {
        sweep->fixed = wide_subtract(sweep->fixed, costs->round_overhead);
    }
    /* The sum, as a part of the total, fits too: for proofs by intervals. */
    return affine_fits(&sweep->total) &&
           sweep->sum.slope.high < (uint64_t)1 << GROWTH_BITS;
}

static bool sweep_last(struct sweep *sweep, const struct costs *costs)
{
    sweep->volume = sweep->cells[0];
    sweep->later = sweep->cells[1];
    sweep->total = zero;
    sweep->fixed = wide_of(0);
    sweep->x_min = wide_of(0);
    sweep->x_max = wide_of((uint64_t)1 << 33);
    sweep->possible = true;
    sweep->volume[costs->phases] = zero;
    sweep->volume[costs->phases].slope = wide_of(1);
    return sweep_round(sweep, costs, true);
}

/* Goes on to the round before; in the first one every node needs begin()
   besides. */
static bool sweep_before(struct sweep *sweep, const struct costs *costs,
                         bool first)
{
    struct affine *deepest = &sweep->later[costs->phases];

    sweep->later = sweep->volume;
    sweep->volume = deepest - costs->phases;
    *deepest = sweep->sum;
    affine_scale(deepest, costs->rho);
    deepest->base = wide_add(deepest->base, costs->interval);
    if (first) {
        deepest->base = wide_subtract(deepest->base, costs->begin);
    }
    return sweep_round(sweep, costs, false);
}

static struct wide value_at(const struct affine *line, struct wide x)
{
    return wide_add(wide_multiply(line->slope, x), line->base);
}

/* Whether slope * x + base >= least, for x >= 0. */
static bool reaches(const struct affine *line, struct wide x, struct wide least)
{
    struct wide missing = wide_subtract(least, line->base);

    if (!wide_is_negative(line->slope)) {
        /* Mostly the product of the whole parts decides. */
        struct wide product = wide_product(line->slope.high, x.high);

        if (wide_is_negative(missing) || product.high != 0 ||
            product.low > missing.high) {
            return true;
        }
    }
    return !wide_less(wide_multiply(line->slope, x), missing);
}

/*
 * Whether every node keeps enough if the round at hand is the first. All its
 * volumes are then less than the load, since those of the rounds after it are
 * not negative and solve() has let the sum pass.
 */
static bool first_fits(const struct sweep *sweep, const struct costs *costs,
                       struct wide x)
{
    bool fits = reaches(&sweep->kept[costs->phases], x,
                        wide_add(costs->loss[costs->phases], wide_of(1)));

    for (unsigned phase = costs->phases - 1; fits && phase > 0; --phase) {
        fits = reaches(&sweep->kept[phase], x, costs->loss[phase]);
    }
    return fits;
}

/*
 * x and the originator's share for `rounds` rounds, in units. T = x + R G +
 * rho S and V = T + 4 S, with S the sum of all volumes. False if infeasible.
 */
static bool solve(struct wide *x, struct wide *share, const struct sweep *sweep,
                  const struct costs *costs, struct wide load, unsigned rounds,
                  bool roughly)
{
    struct affine sum = sweep->total;
    struct affine own;
    struct wide room;
    struct wide slack;

    if (rounds > 1) {
        sum.base = wide_subtract(sum.base, costs->losses);
    }
    own = sum;
    affine_scale(&own, costs->rho);
    own.slope = wide_add(own.slope, wide_of(1));
    own.base = wide_add(own.base, sweep->fixed);
    affine_times_4(&sum);
    affine_add(&sum, &own);
    if (!sweep->possible || (rounds > 1 && !costs->begins) ||
        !affine_fits(&sum)) {
        return false;
    }
    room = wide_subtract(load, sum.base);
    if (wide_is_negative(room)) {
        return false;
    }
    /* Rough: low by 2^-29 of itself; the bounds are rough in any case. */
    *x = roughly ? wide_divide_roughly(room, sum.slope)
                 : wide_divide(room, sum.slope);
    slack = wide_add(wide_shift_right(*x, 28), (struct wide){0, 1});
    if (roughly) {
        *x = wide_add(*x, slack);
    }
    *share = value_at(&own, *x);
    slack = wide_shift_left(slack, 2);
    return !wide_is_negative(*share) &&
           !wide_less(wide_add(*x, slack), sweep->x_min) &&
           !wide_less(wide_add(sweep->x_max, slack), *x);
}

/* units * compute in ps, rounded down: units < 2^33. */
static uint64_t time_of(struct wide units, uint64_t compute_ps)
{
    return units.high * compute_ps + wide_multiply_high(units.low, compute_ps);
}

struct choice {
    unsigned rounds;
    uint64_t time_ps; /* makespan, with the originator's costs of rounds */
};

/* Makes `rounds` rounds, at which the sweep is, the best choice if they are
   allowed, feasible, and faster than the best so far. */
static void choose(struct choice *best, const struct sweep *sweep,
                   const struct costs *costs, const struct rounds_input *input,
                   unsigned rounds)
{
    const struct planner_input *base = input->base;
    struct wide load = wide_of(base->load_units);
    struct wide x;
    struct wide share;
    uint64_t time_ps;

    if (rounds < input->rounds_min ||
        !solve(&x, &share, sweep, costs, load, rounds, true)) {
        return;
    }
    time_ps = time_of(share, base->compute_ps) +
              rounds * (input->round_overhead_ps +
                        costs->phases * input->phase_queue_ps);
    if (time_ps < best->time_ps &&
        (rounds == 1 || first_fits(sweep, costs, x))) {
        *best = (struct choice){rounds, time_ps};
    }
}

int rounds_best(unsigned *rounds, uint64_t *makespan_ps,
                const struct rounds_input *input)
{
    struct costs costs;
    struct sweep sweep;
    struct choice best = {0, UINT64_MAX};
    bool fits;
    int error = read_costs(&costs, input);

    if (error != ERR_OK) {
        return error;
    }
    fits = sweep_last(&sweep, &costs);
    for (unsigned r = 1; fits; ++r) {
        choose(&best, &sweep, &costs, input, r);
        fits = sweep.possible && r < input->rounds_max &&
               sweep_before(&sweep, &costs, false);
    }
    if (best.rounds == 0) {
        return ERR_PHASES;
    }
    *rounds = best.rounds;
    *makespan_ps = best.time_ps;
    return ERR_OK;
}

/* ---- the tables ---- */

/* floor of a volume, or the integer that it is within 2^-26 of. */
static uint64_t floor_units(struct wide units)
{
    if (wide_is_negative(units)) {
        return 0;
    }
    return units.high + (units.low > UINT64_MAX - SNAP);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/*
 * Floors of one round, from the last layer up; false if they are more than the
 * load. Cutting off may leave a share of zero slightly below zero, or a volume
 * slightly below its children's: the floors never take more than there is.
 */
static bool floors(struct rounds_plan *plan, const struct wide volume[],
                   unsigned round, uint32_t load_units)
{
    struct wide below = wide_of(0); /* 4 v_j, summed over j > i */
    uint64_t below_units = 0;       /* the same of the floors */

    for (unsigned layer = plan->phases; layer > 0; --layer) {
        uint64_t share_units = floor_units(wide_subtract(volume[layer], below));
        uint64_t units = larger(floor_units(volume[layer]), below_units);

        if (units > load_units) {
            return false;
        }
        share_units = smaller(share_units, difference(units, below_units));
        plan->volume_units[round][layer] = (uint32_t)units;
        plan->share_units[round][layer] = (uint32_t)share_units;
        below = wide_add(below, wide_shift_left(volume[layer], 2));
        below_units += 4 * units;
    }
    if (below_units > load_units) {
        return false;
    }
    plan->round_units[round] = (uint32_t)below_units;
    return true;
}

/* Fills in all rounds' volumes for this x, from the last round back; false if
   they exceed the load, which only begin() can cause. */
static bool fill(struct rounds_plan *plan, const struct costs *costs,
                 struct wide x, uint32_t load_units)
{
    struct sweep sweep;
    struct wide volume[LAYERS];

    for (unsigned left = plan->rounds; left > 0; --left) {
        unsigned round = left - 1;
        bool fits = left == plan->rounds
                        ? sweep_last(&sweep, costs)
                        : sweep_before(&sweep, costs, round == 0);

        if (!fits) {
            return false;
        }
        for (unsigned phase = 1; phase <= plan->phases; ++phase) {
            volume[phase] = value_at(&sweep.volume[phase], x);
        }
        if (!floors(plan, volume, round, load_units)) {
            return false;
        }
    }
    return true;
}

/*
 * Hands out the units that the floors leave: one each to the first children, in
 * order of round, phase and port; the rest is the originator's. False if the
 * floors exceed the load, which only begin() can cause.
 */
static bool hand_out(struct rounds_plan *plan, uint32_t load_units,
                     uint64_t share_units)
{
    uint32_t children = 4u * plan->phases;
    uint64_t sent = 0;
    uint32_t left;
    uint32_t own_units;

    for (unsigned round = 0; round < plan->rounds; ++round) {
        sent += plan->round_units[round];
    }
    if (sent > load_units) {
        return false;
    }
    left = (uint32_t)difference(load_units, sent);
    own_units = (uint32_t)smaller(share_units, left);
    left = (uint32_t)difference(left, own_units);
    for (unsigned round = 0; round < plan->rounds; ++round) {
        uint32_t extra = (uint32_t)smaller(left, children);

        plan->round_units[round] += extra;
        plan->volume_units[round][0] = plan->round_units[round];
        plan->share_units[round][0] = 0;
        left = (uint32_t)difference(left, extra);
    }
    own_units += left;
    plan->share_units[0][0] = own_units;
    plan->round_units[0] += own_units;
    plan->volume_units[0][0] = plan->round_units[0];
    return true;
}

int rounds_plan(struct rounds_plan *plan, const struct rounds_input *input,
                unsigned rounds)
{
    struct costs costs;
    struct sweep sweep;
    struct wide x;
    struct wide share;
    bool fits;
    int error = read_costs(&costs, input);

    if (error != ERR_OK) {
        return error;
    }
    if (rounds == 0 || rounds > ROUNDS_MAX) {
        return ERR_RANGE;
    }
    fits = sweep_last(&sweep, &costs);
    for (unsigned r = 1; fits && r < rounds; ++r) {
        fits = sweep_before(&sweep, &costs, false);
    }
    if (!fits || !solve(&x, &share, &sweep, &costs,
                        wide_of(input->base->load_units), rounds, false)) {
        return ERR_PHASES;
    }
    plan->phases = (uint8_t)costs.phases;
    plan->rounds = (uint8_t)rounds;
    plan->makespan_ps = time_of(share, input->base->compute_ps);
    return fill(plan, &costs, x, input->base->load_units) &&
                   hand_out(plan, input->base->load_units, floor_units(share))
               ? ERR_OK
               : ERR_PHASES;
}

void rounds_of_one(struct rounds_plan *plan, const struct planner_plan *one,
                   uint32_t load_units)
{
    plan->phases = one->phases;
    plan->rounds = 1;
    plan->makespan_ps = one->makespan_ps;
    plan->round_units[0] = load_units;
    for (unsigned layer = 0; layer <= one->phases; ++layer) {
        plan->volume_units[0][layer] = one->volume_units[layer];
        plan->share_units[0][layer] = one->share_units[layer];
    }
}

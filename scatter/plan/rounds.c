/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols: rounds.h. The *work* of a volume is the time in which one node
 * computes the volume. Times without _ps are in *steps*: the work of a load is
 * 2^37 to 2^38 steps. A *line* is a work as a function of y:
 *
 *   work = base + slope * y         y = x / x_0, 0 < y < 1
 *
 * The constant x_0 is so large that one round with y = 1/4 would take the load
 * or more.
 */
#include "scatter/plan/rounds.h"

#include "scatter/plan/fixed.h"

#define LOAD_BITS 38u
#define FINE_BITS 21u
/* Limit of a line's base and slope, in steps. */
#define WORK_MAX ((int64_t)1 << 52)
#define LEVELS_MAX 30u
/* Terms of costs.cut, the rounding error of a share. */
#define CUT_BITS 27
#define CUT_STEPS 4
#define LAYERS (ROUNDS_PHASES_MAX + 1)

struct line {
    int64_t base;
    int64_t slope;
};

/* The job's costs. Times without _ps are in steps. */
struct costs {
    struct fixed_shift shift; /* converts ps to units of 2^-26 step */
    uint32_t rho_whole;       /* integer part of transfer_ps / compute_ps */
    uint32_t rho_fraction;    /* fraction of this ratio, in units of 2^-32 */
    unsigned phases;          /* number of phases, N */
    uint32_t ahead; /* units that the originator computes in job->wait_ps */
    uint32_t load_units; /* units of the load without `ahead` */
    uint64_t load_ps;    /* work of load_units, ps */
    int64_t load;        /* work of load_units */
    int64_t unit;        /* work of one unit */
    int64_t x_0;         /* the constant x_0 of y = x / x_0 */
    /* Constant terms of the equations in rounds.h. Index: phase. */
    int64_t startup[LAYERS];  /* last round: startup of a circuit, g_j */
    int64_t constant[LAYERS]; /* other rounds: -q in phase N, else 0 */
    int64_t startups;         /* sum of startup[] over all phases: G */
    int64_t interval;       /* G + q - p: least compute time between receipts */
    int64_t begin;          /* additional time of a node in round 1 */
    int64_t round_overhead; /* originator's software in a round */
    int64_t each_round;     /* added for each round when plans are compared */
    int64_t gain;           /* gain_ps, or `load` if gain_ps is longer */
    int64_t cut;            /* most rounding error of a share of layer N */
    int64_t loss;       /* work that `begin` takes off round 1, in all phases */
    int64_t loss_moved; /* transfer time of `loss` */
};

/* State of the sweep from the last round back to round r. */
struct sweep {
    struct line moved[LAYERS]; /* transfer time of a volume; index: phase */
    struct line deepest;       /* work of a volume of phase N */
    struct line next;          /* sum of moved[] */
    struct line sum; /* volumes of all phases and rounds from r on, as a work */
    struct line sum_moved; /* transfer time of `sum` */
};

static void line_add(struct line *to, const struct line *other)
{
    to->base += other->base;
    to->slope += other->slope;
}

static bool line_fits(const struct line *line)
{
    return line->slope >= 0 && line->slope < WORK_MAX &&
           line->base > -WORK_MAX && line->base < WORK_MAX;
}

/* A number below 1: top / 2^(32 + shift). */
struct ratio {
    uint32_t top;
    unsigned shift; /* 0 .. 63 */
};

static int64_t times_ratio(int64_t slope, struct ratio y)
{
    return (int64_t)(fixed_part((uint64_t)slope, y.top) >> y.shift);
}

static int64_t line_at(const struct line *line, struct ratio y)
{
    return line->base + times_ratio(line->slope, y);
}

/* Returns the transfer time of a work >= 0. */
static inline int64_t move(int64_t work, const struct costs *costs)
{
    return (int64_t)(fixed_part((uint64_t)work, costs->rho_fraction) +
                     (uint64_t)work * costs->rho_whole);
}

static int64_t move_either(int64_t work, const struct costs *costs)
{
    return work < 0 ? -move(-work, costs) : move(work, costs);
}

static int check(const struct plan_job *job, unsigned least, unsigned most)
{
    int error = plan_check_load(job);

    if (error != ERR_OK) {
        return error;
    }
    if (job->phases > ROUNDS_PHASES_MAX ||
        job->queue_ps > PLANNER_STARTUP_MAX_PS ||
        job->round_ps > PLANNER_STARTUP_MAX_PS ||
        job->merge_ps > PLANNER_STARTUP_MAX_PS ||
        job->begin_ps > PLANNER_STARTUP_MAX_PS ||
        job->overhead_ps > PLANNER_STARTUP_MAX_PS ||
        job->wait_ps > PLANNER_STARTUP_MAX_PS || least < 2 || least > most ||
        most > ROUNDS_MAX) {
        return ERR_RANGE;
    }
    for (unsigned i = 0; i < job->phases; ++i) {
        if (job->startup_ps[i] > PLANNER_STARTUP_MAX_PS) {
            return ERR_RANGE;
        }
    }
    return ERR_OK;
}

/* Sets rho_whole and rho_fraction. Returns whether rho < ROUNDS_RHO_MAX. */
static bool read_rho(struct costs *costs, const struct plan_job *job)
{
    unsigned transfer_zeros;
    unsigned compute_zeros;
    int shift;
    uint64_t rho;

    costs->rho_whole = 0;
    costs->rho_fraction = 0;
    if (job->transfer_ps == 0) {
        return true;
    }
    rho = (uint64_t)fixed_top(job->transfer_ps, &transfer_zeros) *
          fixed_reciprocal(fixed_top(job->compute_ps, &compute_zeros));
    /* With this shift, rho / 2^(32 + shift) is the ratio. */
    shift = (int)transfer_zeros + 31 - (int)compute_zeros;
    if (shift < 22) {
        return false;
    }
    rho = shift < 64 ? rho >> (unsigned)shift : 0;
    costs->rho_whole = (uint32_t)(rho >> 32);
    costs->rho_fraction = (uint32_t)(rho & UINT32_MAX);
    return costs->rho_whole < ROUNDS_RHO_MAX;
}

/* Converts time_ps to steps. Returns whether time_ps <= load_ps. */
static bool steps_of(int64_t *steps, const struct costs *costs,
                     uint64_t time_ps)
{
    *steps =
        (int64_t)(fixed_shifted(time_ps, costs->shift) >> (64 - LOAD_BITS));
    return time_ps <= costs->load_ps;
}

/* Converts time_ps, at most load_ps, to units of 2^-FINE_BITS step. */
static uint64_t fine_of(const struct costs *costs, uint64_t time_ps)
{
    return fixed_shifted(time_ps, costs->shift) >> (64 - LOAD_BITS - FINE_BITS);
}

/* Returns false if the loss of a phase is too large. */
static bool read_losses(struct costs *costs)
{
    int64_t volume = costs->begin;

    costs->loss = 0;
    costs->loss_moved = 0;
    for (unsigned phase = costs->phases; phase > 0; --phase) {
        int64_t moved;

        if (volume >= WORK_MAX) {
            return false;
        }
        moved = move(volume, costs);
        costs->loss += volume;
        costs->loss_moved += moved;
        volume = 5 * volume + moved;
    }
    return true;
}

/* Returns false if the divisor of x_0 is too large. */
static bool read_first(struct costs *costs)
{
    unsigned bits = 31 - (unsigned)__builtin_clz(costs->rho_whole + 5);
    unsigned levels = costs->phases * bits;

    if (levels > LEVELS_MAX) {
        return false;
    }
    costs->x_0 = (int64_t)((uint64_t)costs->load << 2 >> levels);
    return true;
}

/* Returns false if a time except gain_ps exceeds load_ps. */
static bool read_times(struct costs *costs, const struct plan_job *job)
{
    uint64_t sending = fine_of(costs, job->queue_ps);
    int64_t between;
    int64_t queue;
    bool fits = steps_of(&between, costs, job->round_ps + job->merge_ps);

    fits &= steps_of(&costs->unit, costs, job->compute_ps);
    fits &= steps_of(&queue, costs, job->queue_ps);
    fits &= steps_of(&costs->begin, costs, job->begin_ps);
    fits &= steps_of(&costs->round_overhead, costs, job->overhead_ps);
    if (!steps_of(&costs->gain, costs, job->gain_ps)) {
        costs->gain = costs->load;
    }
    costs->each_round = costs->unit + costs->round_overhead + queue;
    costs->startups = 0;
    for (unsigned phase = 1; phase <= costs->phases; ++phase) {
        fits &=
            steps_of(&costs->startup[phase], costs, job->startup_ps[phase - 1]);
        costs->startups += costs->startup[phase];
        costs->constant[phase] = phase == costs->phases ? -queue : 0;
        sending += fine_of(costs, job->startup_ps[phase - 1]);
    }
    /* The sum is rounded once, because each phase multiplies an error by 5. */
    costs->interval = (int64_t)(sending >> FINE_BITS) - between;
    return fits;
}

static int read_costs(struct costs *costs, const struct plan_job *job)
{
    uint64_t ahead = job->wait_ps > 0 ? job->wait_ps / job->compute_ps : 0;

    if (!read_rho(costs, job)) {
        return ERR_RANGE;
    }
    if (ahead >= job->load_units) {
        return ERR_PHASES;
    }
    costs->ahead = (uint32_t)ahead;
    costs->load_units = job->load_units - costs->ahead;
    costs->load_ps = fixed_product(job->compute_ps, costs->load_units);
    costs->shift = fixed_shift_of(costs->load_ps);
    costs->phases = job->phases;
    (void)steps_of(&costs->load, costs, costs->load_ps);
    costs->cut = costs->load >> CUT_BITS;
    for (unsigned phase = 1; phase < costs->phases; ++phase) {
        costs->cut =
            (int64_t)fixed_multiply_high((uint64_t)costs->cut, FIXED_FIFTH);
    }
    costs->cut += CUT_STEPS;
    return costs->phases > 0 && read_times(costs, job) && read_first(costs) &&
                   read_losses(costs)
               ? ERR_OK
               : ERR_PHASES;
}

/* Moves the sweep back to a round with this volume of phase N. Returns false if
   a line is out of range. */
static bool sweep_round(struct sweep *sweep, const struct costs *costs,
                        struct line volume, const int64_t constants[])
{
    struct line sum = {0, 0};
    struct line sum_moved = {0, 0};

    sweep->deepest = volume;
    for (unsigned phase = costs->phases; phase > 0; --phase) {
        struct line *later = &sweep->moved[phase];
        struct line moved;

        if (!line_fits(&volume)) {
            return false;
        }
        moved.base = move_either(volume.base, costs);
        moved.slope = move(volume.slope, costs);
        line_add(&sum, &volume);
        line_add(&sum_moved, &moved);
        volume.base =
            5 * volume.base + moved.base - later->base + constants[phase];
        volume.slope = 5 * volume.slope + moved.slope - later->slope;
        *later = moved;
    }
    sweep->next = sum_moved;
    line_add(&sweep->sum, &sum);
    line_add(&sweep->sum_moved, &sum_moved);
    return line_fits(&sum_moved) && line_fits(&sweep->sum) &&
           line_fits(&sweep->sum_moved);
}

/* Returns part / whole for 0 < part < whole; the 30 highest bits are right. */
static struct ratio ratio_of(uint64_t part, uint64_t whole)
{
    unsigned part_zeros;
    unsigned whole_zeros;
    uint32_t top = fixed_top(part, &part_zeros);
    uint32_t inverse = fixed_reciprocal(fixed_top(whole, &whole_zeros));
    uint64_t product = (uint64_t)top * inverse;
    int more = (int)part_zeros - (int)whole_zeros;

    /* The quotient is product / 2^(63 + more). */
    if (more <= 0) {
        return (struct ratio){(uint32_t)(product >> 31 & UINT32_MAX), 0};
    }
    return (struct ratio){(uint32_t)(product >> 32), (unsigned)(more - 1)};
}

/* Returns the constant part of the originator's share, as a work. */
static int64_t fixed_of(const struct costs *costs, unsigned rounds)
{
    return rounds * costs->startups - (rounds - 1) * costs->round_overhead;
}

/* Sets *y, and *share to the work of the originator's share. Returns false if
   the rounds are infeasible. */
static bool solve(struct ratio *y, int64_t *share, const struct sweep *sweep,
                  const struct costs *costs, unsigned rounds)
{
    struct line own = sweep->sum_moved;
    struct line all = sweep->sum;
    int64_t least = costs->unit - (costs->unit >> 10) - 1;
    int64_t room;

    own.base += fixed_of(costs, rounds) - costs->loss_moved;
    own.slope += costs->x_0;
    all.base = own.base + 4 * (all.base - costs->loss);
    all.slope = own.slope + 4 * all.slope;
    room = costs->load - all.base;
    if (room <= 0 || room >= all.slope / 2) {
        return false;
    }
    *y = ratio_of((uint64_t)room, (uint64_t)all.slope);
    *share = line_at(&own, *y);
    return *share >= 0 && times_ratio(costs->x_0, *y) >= least &&
           line_at(&sweep->deepest, *y) - costs->begin >= least;
}

static uint64_t time_of(int64_t steps, const struct costs *costs)
{
    unsigned bits = 64 - LOAD_BITS;
    unsigned zeros = costs->shift.zeros;
    uint64_t value = (uint64_t)steps;

    if (zeros <= bits) {
        return fixed_product(value, (uint32_t)1 << (bits - zeros));
    }
    return (value + ((uint64_t)1 << (zeros - bits - 1))) >> (zeros - bits);
}

struct choice {
    unsigned rounds;
    struct ratio y;
    int64_t time;  /* compared time, steps; INT64_MAX: no choice yet */
    unsigned idle; /* numbers of rounds tried since a gain > costs->gain */
};

/* Sets *best to `rounds` rounds if they are feasible and faster. */
static void try_rounds(struct choice *best, const struct sweep *sweep,
                       const struct costs *costs, unsigned rounds)
{
    struct ratio y;
    int64_t time;

    best->idle += 1;
    if (!solve(&y, &time, sweep, costs, rounds)) {
        return;
    }
    time += rounds * costs->each_round;
    if (time < best->time) {
        if (best->time - time > costs->gain) {
            best->idle = 0;
        }
        best->time = time;
        best->rounds = rounds;
        best->y = y;
    }
}

static bool choose_rounds(struct choice *best, const struct costs *costs,
                          unsigned least, unsigned most)
{
    const int64_t *constants = costs->startup;
    struct line volume = {0, costs->x_0};
    struct line zero = {0, 0};
    struct sweep sweep;
    unsigned idle = costs->gain > 0 ? 1 : 2;

    *best = (struct choice){.time = INT64_MAX};
    for (unsigned phase = 1; phase <= costs->phases; ++phase) {
        sweep.moved[phase] = zero;
    }
    sweep.sum = zero;
    sweep.sum_moved = zero;
    for (unsigned r = 1; r <= most && best->idle < idle; ++r) {
        if (!sweep_round(&sweep, costs, volume, constants)) {
            break;
        }
        if (r >= least) {
            try_rounds(best, &sweep, costs, r);
        }
        volume = sweep.next;
        volume.base += costs->interval;
        constants = costs->constant;
    }
    return best->time < INT64_MAX;
}

/* Conversion of a work in steps to units of the load, in 2^-bits unit. */
struct units {
    uint32_t of_work; /* result for 2^32 steps */
    unsigned bits;
    uint64_t close; /* 2^-8 unit, added before rounding down */
};

static struct units unit_scale(const struct costs *costs)
{
    unsigned zeros = (unsigned)__builtin_clz(costs->load_units | 1) & 31;
    uint32_t top = (uint32_t)(costs->load >> (LOAD_BITS - 32)) | (uint32_t)1
                                                                     << 31;
    uint64_t scaled = ((uint64_t)costs->load_units << zeros & UINT32_MAX) *
                      fixed_reciprocal(top);
    unsigned bits = zeros + LOAD_BITS - 33;

    return (struct units){(uint32_t)(scaled >> 32), bits,
                          ((uint64_t)1 << bits) >> 8};
}

/* State of fill() at a round, in steps. */
struct row {
    int64_t moved[LAYERS]; /* transfer time of a volume; index: phase */
    int64_t next;          /* sum of moved[] */
    int64_t sum_moved;     /* sum of `next` of this and later rounds */
};

/* Sets the volumes and shares of `round`, in units. `work` is the work of a
   volume of layer N. Returns false if a volume or share is out of range. */
static bool fill_round(struct rounds_plan *plan, struct row *row,
                       const struct costs *costs, const struct units *units,
                       int64_t work, unsigned round)
{
    const int64_t *constants =
        round + 1 == plan->rounds ? costs->startup : costs->constant;
    int64_t cut = costs->cut; /* most rounding error of the layer's share */
    int64_t below = 0; /* compute time of the children's volumes, steps */
    uint64_t below_exact = 0; /* the children's volumes, in 2^-bits unit */
    uint32_t below_units = 0; /* the children's volumes in whole units */

    row->next = 0;
    for (unsigned phase = plan->phases; phase > 0; --phase) {
        int64_t moved;
        uint64_t exact;
        uint64_t volume;
        uint64_t share;
        uint32_t whole;

        if (work < 0 || work + cut < below || work > costs->load) {
            return false;
        }
        moved = move(work, costs);
        exact = fixed_part((uint64_t)work, units->of_work);
        volume = exact + units->close;
        share = fixed_difference(volume, below_exact) >> units->bits;
        whole = fixed_larger_u32((uint32_t)(volume >> units->bits & UINT32_MAX),
                                 below_units);
        if (whole == 0 || whole > (costs->load_units - below_units) / 4) {
            return false;
        }
        plan->volume_units[round][phase] = whole;
        plan->share_units[round][phase] =
            fixed_smaller(share, whole - below_units);
        below += 4 * work;
        below_exact += 4 * exact;
        below_units += 4 * whole;
        cut *= 5;
        work = 5 * work + moved - row->moved[phase] + constants[phase];
        row->moved[phase] = moved;
        row->next += moved;
    }
    row->sum_moved += row->next;
    plan->round_units[round] = below_units;
    return true;
}

/* Sets all volumes and shares, and *own to the work of the originator's share.
   Returns false if one is out of range. */
static bool fill(struct rounds_plan *plan, int64_t *own,
                 const struct costs *costs, const struct units *units,
                 struct ratio y)
{
    int64_t x = times_ratio(costs->x_0, y);
    struct row row = {.sum_moved = 0};
    int64_t deepest = x;

    for (unsigned left = plan->rounds; left > 0; --left) {
        if (left == 1) {
            deepest -= costs->begin;
        }
        if (!fill_round(plan, &row, costs, units, deepest, left - 1)) {
            return false;
        }
        deepest = row.next + costs->interval;
    }
    *own = x + row.sum_moved + fixed_of(costs, plan->rounds);
    return *own >= 0 && *own <= costs->load;
}

/* Hands out what volumes leave of the load: share_units to the originator, then
   one unit to each of its children, then the rest to the originator. Returns
   false if volumes exceed the load. */
static bool hand_out(struct rounds_plan *plan, uint32_t load_units,
                     uint64_t share_units)
{
    uint32_t children = 4u * plan->phases;
    uint32_t left = load_units;
    uint32_t own_units;

    for (unsigned round = 0; round < plan->rounds; ++round) {
        if (plan->round_units[round] > left) {
            return false;
        }
        left -= plan->round_units[round];
    }
    own_units = fixed_smaller(share_units, left);
    left -= own_units;
    for (unsigned round = 0; round < plan->rounds; ++round) {
        uint32_t extra = fixed_smaller(left, children);

        plan->round_units[round] += extra;
        plan->volume_units[round][0] = plan->round_units[round];
        plan->share_units[round][0] = 0;
        left -= extra;
    }
    own_units += left;
    plan->share_units[0][0] = own_units;
    plan->round_units[0] += own_units;
    plan->volume_units[0][0] = plan->round_units[0];
    return true;
}

static bool make(struct rounds_plan *plan, const struct costs *costs,
                 const struct choice *choice)
{
    struct units units = unit_scale(costs);
    uint64_t share;
    int64_t own;

    plan->phases = (uint8_t)costs->phases;
    plan->rounds = (uint8_t)choice->rounds;
    if (!fill(plan, &own, costs, &units, choice->y)) {
        return false;
    }
    plan->makespan_ps = time_of(own, costs);
    share = fixed_part((uint64_t)own, units.of_work) + units.close;
    return hand_out(plan, costs->load_units + costs->ahead,
                    (share >> units.bits & UINT32_MAX) + costs->ahead);
}

int rounds_plan(struct rounds_plan *plan, uint64_t *time_ps,
                const struct plan_job *job, unsigned least, unsigned most)
{
    uint64_t limit_ps = fixed_difference(*time_ps, job->wait_ps);
    struct costs costs;
    struct choice choice;
    int error = check(job, least, most);

    if (error == ERR_OK) {
        error = read_costs(&costs, job);
    }
    if (error != ERR_OK) {
        return error;
    }
    while (most >= least && choose_rounds(&choice, &costs, least, most) &&
           time_of(choice.time, &costs) < limit_ps) {
        if (make(plan, &costs, &choice)) {
            plan->makespan_ps += job->wait_ps;
            *time_ps = time_of(choice.time, &costs) + job->wait_ps;
            return ERR_OK;
        }
        plan->rounds = 0;
        most = choice.rounds > 0 ? choice.rounds - 1 : 0;
    }
    return ERR_PHASES;
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

void rounds_copy(struct rounds_plan *to, const struct rounds_plan *from)
{
    to->phases = from->phases;
    to->rounds = from->rounds;
    to->makespan_ps = from->makespan_ps;
    for (unsigned round = 0; round < from->rounds; ++round) {
        to->round_units[round] = from->round_units[round];
        for (unsigned layer = 0; layer <= from->phases; ++layer) {
            to->volume_units[round][layer] = from->volume_units[round][layer];
            to->share_units[round][layer] = from->share_units[round][layer];
        }
    }
}

/* Returns the load's time, ps, if the originator's four ports never rest. */
static uint64_t ports_ps(const struct plan_job *job, uint64_t load_ps)
{
    uint64_t whole_ps = job->transfer_ps + 4 * job->compute_ps;
    struct ratio ratio;

    if (job->transfer_ps == 0) {
        return 0;
    }
    ratio = ratio_of(job->transfer_ps, whole_ps);
    return fixed_part(load_ps, ratio.top) >> ratio.shift;
}

uint64_t rounds_bound_ps(const struct plan_job *job)
{
    uint64_t load_ps = fixed_product(job->compute_ps, job->load_units);
    uint64_t ports = ports_ps(job, load_ps);
    uint64_t own = load_ps;
    uint64_t work = load_ps;

    for (unsigned phase = 0; phase < job->phases; ++phase) {
        uint64_t startup_ps = job->startup_ps[phase];

        if (startup_ps > work) {
            return UINT64_MAX;
        }
        work = fixed_multiply_high(work - startup_ps, FIXED_FIFTH);
        own = fixed_difference(own, 4 * work);
    }
    return fixed_larger(own, ports);
}

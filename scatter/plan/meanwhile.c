/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/meanwhile.h"

#include "scatter/plan/fixed.h"

#define CHILDREN 4u /* nodes that a node sends to in each phase */
/* Weight of the first and the last round. */
#define WEIGHT_ONE ((uint32_t)1 << 12)

/* The factors q of meanwhile.h, in quarters. */
static const uint8_t factors[] = {5, 6, 8, 12, 16};
#define FACTORS (sizeof factors / sizeof factors[0])

/* Factors are tried if makespan > TRIED_FROM * a node's software in a round. */
#define TRIED_FROM 512u

/* The job's costs. Ports are those of the originator. Times without _ps are in
   steps of 2^shift ps. */
struct costs {
    uint64_t work_ps;  /* compute time of a node in all rounds */
    uint64_t in_ps;    /* time in which a port sends all units */
    uint64_t out_ps;   /* time in which a port receives all outputs */
    uint32_t work;     /* work_ps in steps */
    uint32_t in;       /* in_ps in steps */
    uint32_t out;      /* out_ps in steps */
    uint32_t startups; /* time to send a round, without transfer of units */
    uint32_t back;     /* time to return a round, without transfer of outputs */
    uint32_t software; /* time of a node's software in each round */
    uint32_t wait;     /* time from the scatter's start to the first send */
    uint32_t others_units; /* units for all nodes but the originator */
    uint32_t first;  /* weight of round 0's transfer in a score; 65536: 1 */
    unsigned phases; /* number of phases, N */
    unsigned shift;
    /* Part of the nodes that get units over index + 1 circuits, in 2^-32. */
    uint32_t behind[ROUNDS_PHASES_MAX];
};

struct shape {
    unsigned rounds;
    uint32_t part[ROUNDS_MAX]; /* a round's part of all units, in 2^-32 */
    uint32_t end;              /* time of the last arrival, in steps */
    uint64_t score;            /* weighted time, in steps; least: best */
};

/* 4^(d + 1) * binomial(N, d + 1) nodes get units over d + 1 circuits. */
static void count_behind(struct costs *costs, uint32_t all)
{
    uint64_t nodes = CHILDREN * costs->phases;

    for (unsigned d = 0; d < costs->phases; ++d) {
        costs->behind[d] = (uint32_t)(((nodes << 32) - 1) / (all - 1));
        nodes = nodes * CHILDREN * (costs->phases - d - 1) / (d + 2);
    }
}

/* Sets `first`: the time that take_more() saves per unit, as a part of the
   unit's compute time. */
static void weigh_first(struct costs *costs, uint32_t all)
{
    uint64_t others = (uint64_t)costs->work * (all - 1) + 1;
    uint64_t longest = fixed_larger_u32(costs->work, costs->in + costs->out);
    uint64_t weight = (longest << 16) / others;

    costs->first = weight > UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
}

static int read_costs(struct costs *costs, const struct plan_job *job)
{
    uint64_t own_units = job->load_units;
    uint64_t startups_ps = 0;
    uint64_t software_ps = job->round_ps + job->return_ps + job->child_ps;
    uint64_t wait_ps = job->first_ps + job->wait_ps;
    uint64_t all_ps;  /* OR of all times: as many bits as the longest */
    uint32_t all = 1; /* nodes of the pattern */
    unsigned shift = 0;

    costs->phases = job->phases;
    costs->work_ps = fixed_product(job->compute_ps, job->load_units);
    for (unsigned i = 0; i < costs->phases; ++i) {
        costs->work_ps = fixed_multiply_high(costs->work_ps, FIXED_FIFTH);
        startups_ps += job->startup_ps[i];
        own_units /= 5;
        all *= 5;
    }
    costs->others_units = job->load_units - (uint32_t)own_units;
    costs->in_ps =
        fixed_product(job->transfer_ps, costs->others_units) / CHILDREN;
    costs->out_ps =
        fixed_product(job->output_ps, costs->others_units) / CHILDREN;
    all_ps = costs->work_ps | costs->in_ps | costs->out_ps | startups_ps |
             job->back_ps | software_ps | wait_ps;
    if (all_ps >= MEANWHILE_ALL_MAX_PS) {
        return ERR_RANGE;
    }
    /* Times must be below 2^24 steps: end_of() adds up to 100 in 32 bits. */
    while (all_ps >> shift >= (uint64_t)1 << 24) {
        shift += 1;
    }
    costs->shift = shift;
    costs->work = (uint32_t)(costs->work_ps >> shift);
    costs->in = (uint32_t)(costs->in_ps >> shift);
    costs->out = (uint32_t)(costs->out_ps >> shift);
    costs->startups = (uint32_t)(startups_ps >> shift);
    costs->back = (uint32_t)(job->back_ps >> shift);
    costs->software = (uint32_t)(software_ps >> shift);
    costs->wait = (uint32_t)(wait_ps >> shift);
    weigh_first(costs, all);
    count_behind(costs, all);
    return ERR_OK;
}

/* Parts grow by factor / 4 until the middle round, then fall. */
static void set_shape(struct shape *shape, unsigned rounds, uint32_t factor)
{
    uint32_t weight = WEIGHT_ONE;
    uint32_t sum = 0;
    uint64_t inverse;
    uint32_t rest = 0;

    shape->rounds = rounds;
    for (unsigned i = 0; 2 * i < rounds; ++i) {
        unsigned last = rounds - 1 - i;

        shape->part[i] = weight;
        shape->part[last] = weight;
        sum += i == last ? weight : 2 * weight;
        weight = weight * factor / 4;
    }
    inverse = ((uint64_t)1 << 62) / sum;
    for (unsigned i = 0; i < rounds; ++i) {
        shape->part[i] = (uint32_t)(shape->part[i] * inverse >> 30);
        rest -= shape->part[i];
    }
    shape->part[rounds / 2] += rest; /* all parts now add up to 2^32 */
}

/* Returns the part of all outputs that a port receives after nodes have
   computed round `turn`, in units of 2^-32. */
static uint32_t part_back(const struct costs *costs, const struct shape *shape,
                          unsigned turn)
{
    uint32_t sum = 0;

    for (unsigned d = 0; d < costs->phases && d <= turn; ++d) {
        sum += fixed_part_u32(costs->behind[d], shape->part[turn - d]);
    }
    return sum;
}

static uint32_t end_of(const struct costs *costs, const struct shape *shape)
{
    uint32_t computed[ROUNDS_MAX];
    uint32_t port = costs->wait;
    uint32_t node = 0;
    uint32_t left = UINT32_MAX;
    unsigned sent = 0;
    unsigned turn = 0;

    while (turn < shape->rounds) {
        if (sent == shape->rounds || (turn < sent && computed[turn] <= port)) {
            uint32_t back = part_back(costs, shape, turn);

            port = fixed_larger_u32(port, computed[turn]) + costs->back +
                   fixed_part_u32(costs->out, back);
            left -= back;
            turn += 1;
        } else {
            uint32_t part = shape->part[sent];

            port += costs->startups + fixed_part_u32(costs->in, part);
            node = fixed_larger_u32(node, port) + costs->software +
                   fixed_part_u32(costs->work, part);
            computed[sent] = node;
            sent += 1;
        }
    }
    return port + (costs->phases - 1) * costs->back +
           fixed_part_u32(costs->out, left);
}

/* Returns the largest factor, in quarters, that does not delay outputs. */
static uint32_t factor_of(const struct costs *costs)
{
    uint64_t port_ps = fixed_larger(costs->in_ps, costs->out_ps);
    unsigned best = 0;

    for (unsigned i = 1; i < FACTORS; ++i) {
        uint64_t falls_ps = port_ps;

        for (unsigned n = 0; n < costs->phases; ++n) {
            falls_ps = falls_ps * factors[i] / 4;
        }
        if (falls_ps <= costs->work_ps + costs->work_ps / 8) {
            best = i;
        }
    }
    return factors[best];
}

/* Returns `most`, lowered by a rule of thumb if software takes long. */
static unsigned rounds_most(const struct costs *costs, unsigned least,
                            unsigned most)
{
    unsigned rounds = most;
    uint64_t ends = costs->in + (uint64_t)costs->phases * costs->out;

    while (rounds > least && rounds > 3 &&
           6u * (rounds - 3) * (uint64_t)costs->software > ends) {
        rounds -= 1;
    }
    return rounds;
}

/* Sets *best to the shape and returns true if its score is lower. */
static bool try_shape(struct shape *best, const struct costs *costs,
                      unsigned rounds, uint32_t factor)
{
    struct shape shape;
    uint64_t first;

    set_shape(&shape, rounds, factor);
    shape.end = end_of(costs, &shape);
    first = fixed_part_u32(costs->in, shape.part[0]);
    shape.score = shape.end + (first * costs->first >> 16);
    if (shape.score >= best->score) {
        return false;
    }
    *best = shape;
    return true;
}

/* Sets *best to the best shape. A number that gains no time ends the
   search, unless ports are the bottleneck. */
static void choose_rounds(struct shape *best, const struct costs *costs,
                          unsigned least, unsigned most)
{
    bool limited = costs->in + costs->out > costs->work;
    uint32_t factor = factor_of(costs);
    unsigned rounds = rounds_most(costs, least, most);

    best->score = UINT64_MAX;
    while (rounds >= least) {
        if (!try_shape(best, costs, rounds, factor) && !limited) {
            break;
        }
        rounds -= rounds > 3 ? rounds / 4 : 1;
    }
}

/* Tries all factors if transfers are long. Returns whether *best changes. */
static bool choose_factor(struct shape *best, const struct costs *costs)
{
    unsigned rounds = best->rounds;
    bool worth = costs->in + costs->out > costs->work / 2 &&
                 best->end > (uint64_t)TRIED_FROM * costs->software;
    bool better = false;

    for (unsigned i = 0; worth && i < FACTORS; ++i) {
        better |= try_shape(best, costs, rounds, factors[i]);
    }
    return better;
}

/* Sets one->volume_units to the volumes of all rounds together. Extra units
   stand for the time to receive outputs. Returns ERR_OK; ERR_PHASES if a volume
   is too small; an error of planner_plan(). */
static int plan_volumes(struct planner_plan *one, const struct plan_job *job,
                        const struct shape *shape)
{
    struct plan_job all = *job;
    uint64_t merge = shape->rounds * job->child_ps / job->compute_ps;
    uint64_t merges[ROUNDS_PHASES_MAX + 1];
    uint64_t below = 0; /* sum of merges[] of a node's children */
    int error;

    for (unsigned layer = job->phases + 1u; layer > 0; --layer) {
        unsigned i = layer - 1;

        merges[i] = CHILDREN * (job->phases - i) * merge + below;
        below += CHILDREN * merges[i];
    }
    if (merges[0] > UINT32_MAX - job->load_units) {
        return ERR_PHASES;
    }
    all.load_units += (uint32_t)merges[0];
    all.transfer_ps = fixed_part(job->transfer_ps, shape->part[0]);
    all.startup_ps[0] +=
        job->first_ps + job->wait_ps +
        shape->rounds * fixed_difference(job->round_ps + job->return_ps,
                                         job->overhead_ps + job->queue_ps);
    all.results_denominator = 0;
    error = planner_plan(one, &all);
    if (error == ERR_OK && one->phases < job->phases) {
        error = ERR_PHASES;
    }
    below = 0; /* the children's volumes, units */
    for (unsigned i = job->phases; error == ERR_OK && i > 0; --i) {
        if (one->volume_units[i] <= merges[i] + below) {
            error = ERR_PHASES;
        } else {
            one->volume_units[i] -= (uint32_t)merges[i];
            below += CHILDREN * (uint64_t)one->volume_units[i];
        }
    }
    return error;
}

/* Moves units to the originator if the last output arrives, at ends_ps, after
   the originator's end. Returns the new end, ps. */
static uint64_t take_more(struct planner_plan *one, uint64_t ends_ps,
                          const struct plan_job *job, const struct costs *costs)
{
    uint64_t all_ps =
        fixed_larger(costs->work_ps, costs->in_ps + costs->out_ps);
    uint64_t unit_ps = all_ps / costs->others_units;
    uint64_t units;
    uint32_t part;

    if (ends_ps <= one->makespan_ps) {
        return one->makespan_ps;
    }
    units = (ends_ps - one->makespan_ps) / (job->compute_ps + unit_ps);
    if (units > costs->others_units / 2) {
        units = costs->others_units / 2;
    }
    part = (uint32_t)((units << 32) / costs->others_units);
    for (unsigned i = 1; i <= costs->phases; ++i) {
        one->volume_units[i] -=
            (uint32_t)fixed_part(one->volume_units[i], part);
    }
    return ends_ps - units * unit_ps;
}

/* Returns volume_units * part / 2^32, rounded down; part 0 stands for 2^32. */
static uint32_t cut_at(uint32_t volume_units, uint32_t part)
{
    return part == 0 ? volume_units : (uint32_t)fixed_part(volume_units, part);
}

/* Returns false if a circuit would carry no unit or the load is exceeded. */
static bool divide(struct rounds_plan *plan, const struct planner_plan *one,
                   const struct shape *shape, uint32_t load_units)
{
    uint32_t begin = 0;

    plan->phases = one->phases;
    plan->rounds = (uint8_t)shape->rounds;
    for (unsigned round = 0; round < shape->rounds; ++round) {
        uint32_t end = begin + shape->part[round];
        uint32_t below = 0; /* the children's volumes, units */

        for (unsigned layer = one->phases; layer > 0; --layer) {
            uint32_t volume = one->volume_units[layer];
            uint32_t units = fixed_larger_u32(
                cut_at(volume, end) - (uint32_t)fixed_part(volume, begin),
                below);

            if (units == 0 || units > (load_units - below) / CHILDREN) {
                return false;
            }
            plan->volume_units[round][layer] = units;
            plan->share_units[round][layer] = units - below;
            below += CHILDREN * units;
        }
        plan->round_units[round] = below;
        plan->volume_units[round][0] = below;
        plan->share_units[round][0] = 0;
        load_units -= below;
        begin = end;
    }
    plan->share_units[0][0] = load_units;
    plan->volume_units[0][0] += load_units;
    plan->round_units[0] += load_units;
    return true;
}

static int check(const struct plan_job *job, unsigned least, unsigned most)
{
    int error = plan_check_load(job);

    return error == ERR_OK && (job->phases - 1u >= ROUNDS_PHASES_MAX ||
                               least < 2 || least > most || most > ROUNDS_MAX)
               ? ERR_RANGE
               : error;
}

/* Sets *late to whether the plan ends at before_ps or later. Returns ERR_OK;
   ERR_PHASES if infeasible or late; an error of planner_plan(). */
static int plan_shape(struct rounds_plan *plan, bool *late,
                      const struct plan_job *job, const struct costs *costs,
                      const struct shape *shape, uint64_t before_ps)
{
    struct planner_plan one;
    uint64_t ends_ps = (uint64_t)shape->end << costs->shift;
    int error;

    plan->rounds = 0;
    *late = ends_ps >= before_ps;
    if (*late) {
        return ERR_PHASES;
    }
    error = plan_volumes(&one, job, shape);
    if (error != ERR_OK) {
        return error;
    }
    ends_ps = take_more(&one, ends_ps, job, costs);
    *late = ends_ps >= before_ps;
    if (*late || !divide(plan, &one, shape, job->load_units)) {
        plan->rounds = 0;
        return ERR_PHASES;
    }
    plan->makespan_ps = ends_ps;
    return ERR_OK;
}

int meanwhile_plan(struct rounds_plan *plan, uint64_t *time_ps,
                   const struct plan_job *job, unsigned least, unsigned most)
{
    struct costs costs;
    struct shape usual;
    struct shape best;
    bool other;
    bool late;
    int error = check(job, least, most);

    if (error == ERR_OK) {
        error = read_costs(&costs, job);
    }
    if (error != ERR_OK) {
        return error;
    }
    choose_rounds(&usual, &costs, least, most);
    best = usual;
    other = choose_factor(&best, &costs);
    error = plan_shape(plan, &late, job, &costs, &best, *time_ps);
    if (error == ERR_PHASES && other && !late) {
        /* `best` failed, as a circuit would carry no unit: `usual` may fit. */
        error = plan_shape(plan, &late, job, &costs, &usual, *time_ps);
    }
    if (error == ERR_OK) {
        *time_ps = plan->makespan_ps;
    }
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/tree_rounds.h"

#include "scatter/plan/fixed.h"

#include <stddef.h>

/* s': s of the child before c in the lane; for the first, of the parent. */

#define NEAR_BITS 12u /* lack allowed in the last round: 2^-12 makespan */
#define LEFT_BITS 10u /* load that make() may leave: 2^-10 makespan */
#define TRIALS 4u     /* most trials of make() */
#define TIMES_MAX 16  /* limit of all rounds, in makespans of one round */
#define LACKS_MAX ((int32_t)1 << 28) /* limit of set_times()'s result */
#define PLACE_BITS 20u /* fraction bits of value_at()'s interpolation */

/* Times are in steps of struct tree_cost. Arrays have one entry a node. */
struct plan {
    const struct plan_job *job;
    uint8_t *tree;
    const struct tree_cost *cost;
    struct tree_common common;
    uint32_t nodes;
    unsigned rounds_max; /* most rounds that the originator can queue */
    int64_t load;      /* time of a node that is not slow for the whole load */
    int32_t round_end; /* a node's software at a round's end */
    int32_t again;     /* originator's software in each later round */
    int32_t planning;  /* least gain of a further round */
    int32_t least;     /* lower bound of the makespan */
    /* The round that is being planned. */
    int32_t *offset; /* time to send the subtree's q over one hop */
    int32_t *behind; /* constant of s_c = scale * s' - behind */
    int32_t *time;  /* s_i: time from begin of the round to begin of the next */
    int32_t *moved; /* m_i: transfer time of the part of node i */
};

/* Rounds planned so far, from the last round back. */
struct sweep {
    int32_t *moved;  /* m'_i: transfer times of the following round */
    int32_t time;    /* sum of s_0 of these rounds */
    unsigned rounds; /* number of these rounds */
    int64_t taken;   /* load of all nodes but the originator */
    bool fits;       /* these rounds are feasible */
};

static uint32_t next_of(const struct plan *plan, uint32_t index)
{
    return index + tree_nodes(plan->tree + TREE_BRANCH_BYTES * index);
}

static int32_t signed_part(int32_t a, uint32_t fraction)
{
    return (int32_t)((int64_t)a * fraction >> 32);
}

static int32_t software_of(const struct plan *plan, const struct sweep *sweep,
                           uint32_t index)
{
    const struct tree_cost *cost = &plan->cost[index];

    return cost->software +
           (sweep->rounds == 0 ? 0 : plan->round_end << cost->slow_shift);
}

/* Returns s' - s_c - m_c: the startup in the last round, else -m'_c. */
static int32_t startup_of(const struct plan *plan, const struct sweep *sweep,
                          uint32_t child)
{
    const struct tree_cost *cost = &plan->cost[child];

    return sweep->rounds == 0 ? cost->circuit + cost->first
                              : -sweep->moved[child];
}

static void set_offsets(struct plan *plan, const struct sweep *sweep)
{
    for (uint32_t i = plan->nodes; i-- > 0;) {
        int32_t lane[TORUS_PORTS] = {0};
        uint32_t end = next_of(plan, i);
        int32_t offset = (int32_t)((int64_t)software_of(plan, sweep, i) *
                                       plan->common.transfer >>
                                   (24 + plan->cost[i].slow_shift));

        for (uint32_t child = i + 1; child < end;
             child = next_of(plan, child)) {
            const struct tree_cost *cost = &plan->cost[child];
            int32_t startup = startup_of(plan, sweep, child);
            int32_t *at = &lane[cost->lane];
            int32_t behind = signed_part(
                startup - cost->stages * plan->offset[child], cost->scale);
            int32_t left = signed_part(*at, cost->scale) + behind;
            int32_t moved = *at + startup - left;

            offset += cost->stages == 1 ? moved : moved / cost->stages;
            *at = left;
            plan->behind[child] = behind;
        }
        plan->offset[i] = offset;
    }
}

/* Returns by how much s_0 is too short, else 0. */
static int32_t set_times(struct plan *plan, const struct sweep *sweep,
                         int32_t s_0)
{
    int32_t least = sweep->rounds == 0 ? 0 : 1 << plan->common.shift;
    int32_t lacks = 0;

    plan->time[0] = s_0;
    for (uint32_t i = 0; i < plan->nodes; ++i) {
        int32_t s = plan->time[i];
        int32_t lane[TORUS_PORTS] = {s, s, s, s};
        int32_t held[TORUS_PORTS] = {0};
        uint32_t end = next_of(plan, i);

        for (uint32_t child = i + 1; child < end;
             child = next_of(plan, child)) {
            const struct tree_cost *cost = &plan->cost[child];
            int32_t *at = &lane[cost->lane];
            int32_t want =
                software_of(plan, sweep, child) + (least << cost->slow_shift);

            s = signed_part(*at, cost->scale) - plan->behind[child];
            plan->moved[child] = *at - startup_of(plan, sweep, child) - s;
            plan->time[child] = s;
            *at = s;
            if (sweep->rounds > 0) {
                int32_t *sent = &held[cost->lane];

                *sent += cost->circuit + sweep->moved[child];
                want = want > *sent ? want : *sent;
            }
            want -= s;
            if (want > signed_part(lacks, cost->part)) {
                uint64_t more =
                    ((uint64_t)want << 32) / ((uint64_t)cost->part + 1) + 1;

                lacks = more < LACKS_MAX ? (int32_t)more : LACKS_MAX;
            }
        }
    }
    return lacks;
}

/* Adds `more` to s_0. Other times grow by their fractions of it. */
static void lengthen(struct plan *plan, int32_t more)
{
    plan->time[0] += more;
    for (uint32_t i = 1; i < plan->nodes; ++i) {
        int32_t longer = signed_part(more, plan->cost[i].part);

        plan->time[i] += longer;
        plan->moved[i] += signed_part(more, plan->cost[i].above) - longer;
    }
}

static int32_t share_of(const struct plan *plan, const struct sweep *sweep,
                        uint32_t index)
{
    int32_t share = plan->time[index] - software_of(plan, sweep, index);

    return share > 0 ? share >> plan->cost[index].slow_shift : 0;
}

/* Plans the round before those of the sweep. The last round gets the given s_0,
   after a call of set_offsets(). Writes the round's `table` unless NULL. */
static void add_round(struct plan *plan, struct sweep *sweep, int32_t s_0,
                      uint32_t table[], unsigned number)
{
    bool last = sweep->rounds == 0;
    int64_t position;
    int32_t lacks;

    if (!last) {
        s_0 = plan->again;
        set_offsets(plan, sweep);
    }
    lacks = set_times(plan, sweep, s_0);
    if (!last && lacks > 0) {
        s_0 += lacks;
        lengthen(plan, lacks);
        lacks = 0;
    }
    sweep->time += s_0;
    sweep->fits = sweep->fits && lacks <= plan->common.makespan >> NEAR_BITS &&
                  sweep->time <= TIMES_MAX * plan->common.makespan;
    position = plan->load - sweep->taken;
    for (uint32_t i = plan->nodes; i-- > 1;) {
        if (table != NULL) {
            table[2 + i] = (uint32_t)(position >> plan->common.shift);
        }
        position -= share_of(plan, sweep, i);
        sweep->moved[i] = plan->moved[i];
    }
    sweep->taken = plan->load - position;
    if (table != NULL) {
        table[0] = number;
        table[1] = (uint32_t)(position >> plan->common.shift);
        table[2] = table[1];
    }
    sweep->rounds += 1;
}

static int64_t all_of(const struct plan *plan, const struct sweep *sweep)
{
    return sweep->taken + ((sweep->time - plan->cost[0].software -
                            (int32_t)(sweep->rounds - 1) * plan->again) >>
                           plan->cost[0].slow_shift);
}

/* Two values of the last round's s_0, and the load taken with each. */
struct ends {
    int32_t s_0[2];
    int64_t takes[2];
    unsigned rounds;
};

/* Returns a / b, rounded to 0. The compiler's division takes 1 KiB. */
static int64_t quotient(int64_t a, int64_t b)
{
    uint64_t whole = (uint64_t)(a < 0 ? -a : a) / (uint64_t)(b < 0 ? -b : b);

    return (a < 0) != (b < 0) ? -(int64_t)whole : (int64_t)whole;
}

/* Interpolates a time between `first` and `second` for exactly the load. */
static int32_t value_at(const struct plan *plan, const struct ends *ends,
                        int32_t first, int32_t second)
{
    int64_t place = quotient((plan->load - ends->takes[0]) * (1 << PLACE_BITS),
                             ends->takes[1] - ends->takes[0]);

    return first + (int32_t)((second - first) * place >> PLACE_BITS);
}

/* Sets best->rounds to 0 if no number of rounds ends before `limit`. */
static void choose_rounds(struct plan *plan, struct ends *best, unsigned least,
                          int32_t limit, int32_t *moved)
{
    struct sweep low = {.moved = moved, .fits = true};
    struct sweep high = {.moved = moved + plan->nodes, .fits = true};
    struct ends ends;
    /* Numbers of rounds without a gain that end the search. */
    unsigned idle_most = plan->planning > 0 ? 1 : 2;
    unsigned idle = 0;

    best->rounds = 0;
    set_offsets(plan, &low);
    ends.s_0[0] = set_times(plan, &low, 0);
    ends.s_0[1] = ends.s_0[0] + (plan->common.makespan - ends.s_0[0]) / 4;
    while (low.rounds < plan->rounds_max && idle < idle_most &&
           plan->least + (int32_t)(low.rounds + 1) * plan->planning < limit) {
        add_round(plan, &low, ends.s_0[0], NULL, 0);
        add_round(plan, &high, ends.s_0[1], NULL, 0);
        ends.rounds = low.rounds;
        ends.takes[0] = all_of(plan, &low);
        ends.takes[1] = all_of(plan, &high);
        if (!low.fits || !high.fits || ends.takes[0] >= plan->load ||
            ends.takes[0] >= ends.takes[1]) {
            break;
        }
        if (low.rounds >= least) {
            int32_t time = value_at(plan, &ends, low.time, high.time) +
                           (int32_t)low.rounds * plan->planning;

            idle += 1;
            if (time < limit) {
                limit = time;
                *best = ends;
                idle = 0;
            }
        }
    }
}

/* Plans ends->rounds rounds by the secant method. Sets begin[r] to the step at
   which round r begins. Returns the makespan, steps; INT32_MAX: infeasible. */
static int32_t make(struct plan *plan, struct ends *ends, uint32_t tables[],
                    int32_t begin[], int32_t *moved)
{
    struct sweep sweep = {.moved = moved};
    int64_t more = plan->load;
    int64_t end;

    for (unsigned i = 0;
         i < TRIALS && more > plan->common.makespan >> LEFT_BITS; ++i) {
        int32_t s_0 = value_at(plan, ends, ends->s_0[0], ends->s_0[1]);

        sweep = (struct sweep){.moved = moved, .fits = true};
        set_offsets(plan, &sweep);
        for (unsigned round = ends->rounds; round-- > 0;) {
            add_round(plan, &sweep, s_0,
                      tables + (size_t)round * TREE_ROUND_WORDS(plan->nodes),
                      round);
            begin[round] = -sweep.time;
            if (!sweep.fits) {
                return INT32_MAX;
            }
        }
        ends->s_0[i % 2] = s_0;
        ends->takes[i % 2] = all_of(plan, &sweep);
        more = plan->load - ends->takes[i % 2];
        more = more < 0 ? -more : more;
        if (ends->takes[0] == ends->takes[1]) {
            break;
        }
    }
    end = sweep.time + (more << plan->cost[0].slow_shift);
    if (sweep.taken > plan->load || end > TIMES_MAX * plan->common.makespan) {
        return INT32_MAX;
    }
    for (unsigned round = 0; round < ends->rounds; ++round) {
        begin[round] += sweep.time;
    }
    return (int32_t)end;
}

static void set_ranges(const struct plan *plan, const uint32_t table[])
{
    for (uint32_t i = 0; i < plan->nodes; ++i) {
        tree_store_range(plan->tree + TREE_BRANCH_BYTES * i,
                         i == 0 ? 0 : table[1 + i],
                         table[1 + next_of(plan, i)]);
    }
}

uint32_t tree_rounds_bytes(uint32_t nodes)
{
    return nodes * (uint32_t)(sizeof(struct tree_cost) + 6 * sizeof(int32_t));
}

/* Returns false if several rounds are infeasible or can save no time. */
static bool begin_plan(struct plan *plan, struct tree_cost *cost, void *work,
                       uint64_t makespan_ps)
{
    const struct plan_job *job = plan->job;
    uint32_t sends = 0;
    uint64_t least; /* lower bound of the makespan, ps */

    if (job->equal || plan->nodes == 1) {
        return false;
    }
    least = fixed_product(job->compute_ps, job->load_units) /
            tree_speeds(work, plan->nodes) * 8;
    if (makespan_ps <= least + 2 * job->gain_ps ||
        tree_costs(cost, &plan->common, work) != ERR_OK) {
        return false;
    }
    for (uint32_t at = 1; at < plan->nodes; at = next_of(plan, at)) {
        sends += 1;
    }
    plan->rounds_max = fixed_smaller(job->sends_max / sends, plan->rounds_max);
    plan->load = (int64_t)((uint64_t)job->load_units << plan->common.shift);
    plan->round_end = tree_steps(work, job->round_ps);
    plan->planning = tree_steps(work, job->gain_ps);
    plan->least = tree_steps(work, least);
    plan->again = tree_steps(work, job->overhead_ps + sends * job->queue_ps)
                  << cost[0].slow_shift;
    return true;
}

unsigned tree_rounds_plan(uint8_t *tree, const struct tree_rounds *rounds,
                          uint64_t *makespan_ps, const struct plan_job *job,
                          void *work)
{
    struct tree_cost *cost = rounds->memory;
    uint32_t nodes = tree_nodes(tree);
    int32_t *words = (int32_t *)(void *)(cost + nodes);
    struct plan plan = {.job = job,
                        .tree = tree,
                        .cost = cost,
                        .nodes = nodes,
                        .rounds_max = rounds->most,
                        .offset = words,
                        .behind = words + nodes,
                        .time = words + 2 * (size_t)nodes,
                        .moved = words + 3 * (size_t)nodes};
    bool one = rounds->least == rounds->most;
    int32_t begin[ROUNDS_MAX];
    struct ends ends;
    int32_t limit;
    int32_t time;

    if (!begin_plan(&plan, cost, work, *makespan_ps)) {
        return 1;
    }
    words += 4 * (size_t)nodes;
    limit = one ? INT32_MAX : plan.common.makespan;
    choose_rounds(&plan, &ends, rounds->least, limit, words);
    if (ends.rounds == 0) {
        return 1;
    }
    time = make(&plan, &ends, rounds->tables, begin, words);
    if (time >= limit) {
        return 1;
    }
    set_ranges(&plan, rounds->tables);
    *makespan_ps = tree_time_ps(work, time);
    for (unsigned round = 0; round < ends.rounds; ++round) {
        rounds->begin_ps[round] = tree_time_ps(work, begin[round]);
    }
    return ends.rounds;
}

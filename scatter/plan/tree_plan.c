/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/tree_plan.h"

#include "scatter/plan/fixed.h"

#include <string.h>

/* Times are in steps: the *reference*, a node that is not slow, computes a unit
   in 2^unit_shift steps. Loads are the reference's compute times. */
#define ALONE_BITS 44u /* limit of a feasible plan's times: 2^44 steps */
#define LOAD_BITS 58u  /* limit of loads: 2^58 steps */
#define TIME_BITS 47u  /* limit of times while planning: 2^47 steps */
#define COST_MOST ((uint64_t)1 << 46) /* limit of each cost, steps */
/* Limit of the originator's software, as units that the reference computes. */
#define SOFTWARE_UNITS_MAX ((uint64_t)1 << 35)

#define ONE ((uint64_t)1 << 32) /* 1, in 2^-32 */
#define RHO_BITS 36u            /* fraction bits of tree_work.rho */
#define NODES_BITS 14u          /* a tree has fewer than 2^14 nodes */

/* Not inlined: the image is 160 bytes shorter. */
#define NOINLINE __attribute__((noinline))

/* The reciprocal of a 64-bit value. */
struct inverse {
    uint32_t word;  /* 2^63 / the value's 32 bits after the zeros */
    unsigned zeros; /* leading zero bits of the value */
};

struct tree_node {
    uint64_t slope;     /* speed p of the subtree, 2^-32 of the reference's */
    int64_t offset;     /* offset q of the subtree, a load in steps */
    int64_t behind;     /* constant of s = scale * s' - behind, steps */
    int64_t left;       /* time s from receipt until all finish, steps */
    int64_t share;      /* load of the node itself, steps */
    int64_t first;      /* parent's software, steps; 0 if not first of lane */
    uint64_t startup;   /* startup of the circuit to the node, steps; in
                           plan_equal() the time of receipt, ps */
    uint32_t scale;     /* factor of s' in s, 2^-32 */
    uint16_t sends;     /* children of the node */
    uint16_t stages;    /* sends of each unit on its way to the node */
    uint8_t lane;       /* number of the parent's lane, from 0 */
    uint8_t slow_shift; /* a unit takes the reference's time << slow_shift */
};

/* A cache entry: what meet() computes for children that have the same slope,
   offset, nodes and hops. */
struct met {
    uint64_t slope; /* 0: the entry is empty */
    int64_t offset;
    int64_t behind;
    uint64_t startup;
    uint32_t scale;
    uint32_t stages;
    uint32_t nodes; /* nodes of the child's subtree */
    uint32_t hops;  /* hops of the circuit to the child */
};

#define MET 8u /* number of cache entries */

struct tree_work {
    const struct plan_job *job;
    uint8_t *tree;
    uint32_t nodes;       /* nodes left in the tree */
    bool infeasible;      /* a number was out of its range */
    unsigned unit_shift;  /* a unit takes the reference 2^unit_shift steps */
    unsigned steps_shift; /* a step of struct tree_cost: 2^steps_shift steps */
    struct inverse per_compute; /* 1 / compute_ps */
    uint64_t load;              /* the job's load, steps */
    uint64_t rho;               /* transfer_ps / compute_ps, in 2^-RHO_BITS */
    /* Costs of the job, steps. */
    struct plan_circuit circuit;
    uint64_t split;
    uint64_t queue;
    uint64_t start;      /* root's software without sends, steps */
    uint64_t leaf;       /* other nodes' software without sends, steps */
    struct met met[MET]; /* cache; many subtrees are equal */
    struct tree_node node[];
};

uint32_t tree_work_bytes(uint32_t nodes)
{
    return (uint32_t)sizeof(struct tree_work) +
           nodes * (uint32_t)sizeof(struct tree_node);
}

static uint8_t *branch_at(const struct tree_work *work, uint32_t index)
{
    return work->tree + TREE_BRANCH_BYTES * index;
}

static uint32_t next_of(const struct tree_work *work, uint32_t index)
{
    uint32_t next = index + tree_nodes(branch_at(work, index));

    return next < work->nodes ? next : work->nodes;
}

static int check(const struct plan_job *job)
{
    const struct plan_circuit *circuit_ps = &job->circuit_ps;
    int error = plan_check_load(job);

    return error == ERR_OK &&
                   ((circuit_ps->startup | circuit_ps->hop |
                     circuit_ps->branch | job->split_ps | job->queue_ps |
                     job->start_ps | job->begin_ps) >>
                            36 !=
                        0 ||
                    (job->ports != 1 && job->ports != 2 &&
                     job->ports != TORUS_PORTS))
               ? ERR_RANGE
               : error;
}

/* Returns the lane of a node's send number `order`, from 0. */
static unsigned lane_of(const struct plan_job *job, unsigned port,
                        uint32_t order)
{
    return job->ports == TORUS_PORTS ? port : order & (job->ports - 1u);
}

/* Returns how often each unit of a circuit is sent. */
static uint32_t stages_of(const struct plan_job *job, uint32_t hops)
{
    uint32_t stages = job->store_and_forward ? hops : 1;

    return stages < TREE_STAGES_MAX ? stages : TREE_STAGES_MAX;
}

#define STARTUP_LONG ((uint64_t)1 << 62)

/* Returns the time of the circuit without units, in the unit of `costs`.
   Returns STARTUP_LONG if it is too long. */
static uint64_t startup_of(const struct plan_circuit *costs,
                           const uint8_t *branch, uint32_t hops,
                           uint32_t stages)
{
    uint64_t once = costs->startup + costs->branch * tree_nodes(branch);
    bool fits = (hops <= TREE_STAGES_MAX) & (once >> 50 == 0);

    /* The mask changes nothing: Frama-C then sees a range. */
    once &= ((uint64_t)1 << 50) - 1;
    return fits ? once * stages + costs->hop * hops : STARTUP_LONG;
}

static struct inverse inverse_of(uint64_t value)
{
    struct inverse inverse;
    uint32_t top = fixed_top(value, &inverse.zeros);
    uint64_t word = fixed_reciprocal(top);
    /* A second step of Newton's method. */
    uint64_t error = (~(word * top) & (((uint64_t)1 << 35) - 1)) + 1;

    word += (error >> 3) * word >> 60;
    inverse.word = word < ONE ? (uint32_t)word : UINT32_MAX;
    return inverse;
}

/* Returns a / value, in 2^-bits; 2^62 at most. */
static uint64_t quotient(uint64_t a, struct inverse per_value, unsigned bits)
{
    unsigned zeros;
    uint64_t product;
    int shift;

    if (a == 0) {
        return 0;
    }
    product = (uint64_t)fixed_top(a, &zeros) * per_value.word;
    shift = 63 + (int)zeros - (int)(bits + per_value.zeros);
    if (shift < 2) {
        return (uint64_t)1 << 62;
    }
    return shift < 64 ? product >> (unsigned)shift : 0;
}

/* Returns a * fraction / 2^32, rounded down. */
NOINLINE static int64_t signed_part(int64_t a, uint32_t fraction)
{
    return (a >> 32) * fraction +
           (int64_t)((uint64_t)(a & UINT32_MAX) * fraction >> 32);
}

/* Returns a * factor / 2^32. */
NOINLINE static int64_t times(int64_t a, uint64_t factor)
{
    return a * (int64_t)(factor >> 32) +
           signed_part(a, (uint32_t)(factor & UINT32_MAX));
}

/* Returns a if |a| <= 2^bits; else returns 0 and sets work->infeasible. */
NOINLINE static int64_t bounded(struct tree_work *work, int64_t a,
                                unsigned bits)
{
    int64_t most = (int64_t)1 << bits;

    if (a >= -most && a <= most) {
        return a;
    }
    work->infeasible = true;
    return 0;
}

static inline uint64_t capped(uint64_t cost)
{
    return cost < COST_MOST ? cost : COST_MOST;
}

static uint64_t cost_of(const struct tree_work *work, uint64_t time_ps)
{
    return capped(quotient(time_ps, work->per_compute, work->unit_shift));
}

/* Returns the steps that `node` takes if the reference takes `cost` steps. */
static int64_t slowed(const struct tree_node *node, uint64_t cost)
{
    return (int64_t)(capped(cost) << node->slow_shift);
}

/* Returns the time of the software at the reference's speed, in steps. */
static int64_t software_of(const struct tree_work *work, uint32_t index)
{
    uint32_t sends = work->node[index].sends;
    uint64_t cost = index == 0 ? work->start : work->leaf;

    return (int64_t)(sends > 0 ? capped(cost + sends * work->queue) : cost);
}

/* Returns rho / (1 + rho p), in 2^-32. The mask is for Frama-C. */
static uint64_t rate_of(uint64_t slope, uint64_t scale)
{
    uint64_t rate = slope == ONE ? ONE - scale
                                 : quotient(ONE - scale, inverse_of(slope), 32);

    return rate & ((ONE << 4) - 1);
}

/* Returns 1 / (1 + rho p), in 2^-32; 0 if below 2^-24. */
static uint64_t scale_of(uint64_t rho, uint64_t slope)
{
    uint64_t part = slope & UINT32_MAX;
    uint64_t whole = (rho >> 32) * (slope >> 32);
    uint64_t more;
    uint64_t scale;

    if (whole >= (uint64_t)1 << (RHO_BITS - 32 + 24)) {
        return 0;
    }
    more = (whole << 32) + (rho >> 32) * part +
           (rho & UINT32_MAX) * (slope >> 32) +
           ((rho & UINT32_MAX) * part >> 32);
    scale = quotient(ONE, inverse_of(ONE + (more >> (RHO_BITS - 32))), 32);
    return scale < ONE ? scale : UINT32_MAX;
}

NOINLINE static void meet(struct tree_work *work, struct met *met,
                          const uint8_t *branch)
{
    uint32_t stages = stages_of(work->job, met->hops);
    uint64_t rho = (work->rho & ((ONE << 20) - 1)) * stages;
    uint64_t startup = startup_of(&work->circuit, branch, met->hops, stages);
    uint64_t scale = scale_of(rho, met->slope);

    if (startup >= COST_MOST) {
        work->infeasible = true;
        startup = COST_MOST;
    }
    met->scale = (uint32_t)scale;
    met->stages = stages;
    met->startup = startup;
    met->behind = bounded(work,
                          signed_part((int64_t)startup, met->scale) -
                              times(met->offset, rate_of(met->slope, scale)),
                          TIME_BITS);
}

static inline void set_behind(struct tree_work *work, struct tree_node *child,
                              const uint8_t *branch, struct torus_path path)
{
    uint32_t nodes = tree_nodes(branch);
    uint32_t hops = torus_path_hops(path);
    struct met *met = &work->met[(4 * nodes + hops) % MET];

    if (met->slope != child->slope || met->offset != child->offset ||
        met->nodes != nodes || met->hops != hops) {
        met->slope = child->slope;
        met->offset = child->offset;
        met->nodes = nodes;
        met->hops = hops;
        meet(work, met, branch);
    }
    child->scale = met->scale;
    child->behind = met->behind;
    child->startup = met->startup;
    child->stages = (uint16_t)met->stages;
}

/* ---- slope p and offset q of every subtree, from the leaves up ---- */

/* Time of the lane's last child: slope * (time of the parent) - offset. */
struct lane {
    uint32_t slope; /* in 2^-32 */
    int64_t offset; /* steps */
};

static void add_children(struct tree_work *work, struct tree_node *node,
                         const uint8_t *branch, const uint8_t *end)
{
    const struct lane empty = {UINT32_MAX, 0};
    struct lane lane[TORUS_PORTS] = {empty, empty, empty, empty};
    struct tree_node *child = node + 1;
    uint64_t queued = work->split;
    unsigned used = 0;
    uint32_t order = 0;

    for (branch += TREE_BRANCH_BYTES; branch < end;
         child += tree_nodes(branch), branch = tree_next(branch)) {
        struct torus_path path = tree_path(branch);
        unsigned number = lane_of(work->job, path.port, order);
        struct lane *at = &lane[number];

        queued += work->queue;
        child->first = 0;
        if ((used >> number & 1) == 0) {
            used |= 1u << number;
            child->first = slowed(node, queued);
        }
        set_behind(work, child, branch, path);
        child->lane = (uint8_t)number;
        at->slope = (uint32_t)fixed_part(at->slope, child->scale);
        at->offset =
            bounded(work,
                    signed_part(at->offset + child->first, child->scale) +
                        child->behind,
                    TIME_BITS);
        node->slope = (node->slope + fixed_part(child->slope, at->slope)) &
                      ((ONE << NODES_BITS) - 1);
        node->offset = bounded(work,
                               node->offset + child->offset +
                                   times(at->offset, child->slope),
                               LOAD_BITS);
        order += 1;
    }
    node->sends = (uint16_t)order;
}

static void set_line(struct tree_work *work, uint32_t index)
{
    struct tree_node *node = &work->node[index];
    const uint8_t *branch = branch_at(work, index);

    node->slow_shift = (uint8_t)tree_slow_shift(branch);
    node->slope = ONE >> node->slow_shift;
    node->offset = 0;
    node->sends = 0;
    if (tree_nodes(branch) > 1) {
        add_children(work, node, branch, branch_at(work, next_of(work, index)));
    }
    node->offset += software_of(work, index);
}

/* ---- s, the time that each node has left, from the root down ---- */

/* Returns false if the share is negative. */
static bool set_share(struct tree_work *work, uint32_t index)
{
    struct tree_node *node = &work->node[index];
    int64_t all = node->left;
    int64_t left[TORUS_PORTS] = {all, all, all, all}; /* index: lane */
    struct tree_node *child = node + 1;
    const uint8_t *branch = branch_at(work, index) + TREE_BRANCH_BYTES;

    node->share = (all >> node->slow_shift) - software_of(work, index);
    if (node->sends == 0) {
        return node->share >= 0;
    }
    for (uint32_t sends = node->sends; sends > 0; --sends) {
        int64_t *at = &left[child->lane];

        *at = bounded(
            work, signed_part(*at - child->first, child->scale) - child->behind,
            TIME_BITS);
        child->left = *at;
        child += tree_nodes(branch);
        branch = tree_next(branch);
    }
    return node->share >= 0;
}

/* Returns the makespan, steps. */
static int64_t time_of_all(struct tree_work *work)
{
    const struct tree_node *root = &work->node[0];
    struct inverse per = inverse_of(root->slope);
    int64_t load = (int64_t)work->load + root->offset;
    uint64_t all = load > 0 ? (uint64_t)load : 0;
    int64_t time = bounded(work, (int64_t)quotient(all, per, 32), TIME_BITS);
    int64_t rest = (int64_t)all - times(time, root->slope);

    time = rest < 0 ? time - (int64_t)quotient((uint64_t)-rest, per, 32)
                    : time + (int64_t)quotient((uint64_t)rest, per, 32);
    return bounded(work, time, TIME_BITS);
}

NOINLINE static bool solve(struct tree_work *work)
{
    work->infeasible = false;
    for (uint32_t i = work->nodes; i > 0; --i) {
        set_line(work, i - 1);
    }
    work->node[0].left = time_of_all(work);
    for (uint32_t i = 0; i < work->nodes; ++i) {
        if (!set_share(work, i) || work->infeasible) {
            return false;
        }
    }
    return true;
}

static void set_ranges(struct tree_work *work)
{
    uint32_t load_units = work->job->load_units;
    int64_t position = (int64_t)work->load;

    for (uint32_t left = work->nodes; left > 0; --left) {
        uint32_t i = left - 1;
        uint32_t next = next_of(work, i);
        uint32_t end = next < work->nodes
                           ? tree_first_unit(branch_at(work, next))
                           : load_units;

        position -= work->node[i].share;
        if (i == 0 || position < 0) {
            position = 0;
        }
        tree_store_range(branch_at(work, i),
                         (uint32_t)(position >> work->unit_shift & UINT32_MAX),
                         end);
    }
}

/* ---- equal shares ---- */

#define TOO_LONG_PS ((uint64_t)1 << 62) /* limit of times, ps */

static uint64_t cut(uint64_t time_ps)
{
    return time_ps < TOO_LONG_PS ? time_ps : TOO_LONG_PS;
}

/* Returns the first unit of node `index`: floor(index * units / nodes). */
static uint32_t first_of(const struct tree_work *work, uint32_t index)
{
    uint32_t units = work->job->load_units;

    return index * (units / work->nodes) +
           index * (units % work->nodes) / work->nodes;
}

static uint64_t units_ps(const struct tree_work *work, uint64_t unit_ps,
                         uint32_t index, uint32_t end)
{
    return cut(
        fixed_product(unit_ps, first_of(work, end) - first_of(work, index)));
}

/* Sets node[child].startup to the time, ps, at which the child has its units.
   lane_ps[]: times at which lanes are free, ps; 0 before the first send. */
static void serve(struct tree_work *work, uint32_t child, uint32_t order,
                  uint64_t lane_ps[], uint64_t queued_ps)
{
    const struct plan_job *job = work->job;
    const uint8_t *branch = branch_at(work, child);
    struct torus_path path = tree_path(branch);
    uint32_t hops = torus_path_hops(path);
    uint32_t stages = stages_of(job, hops);
    uint64_t *at = &lane_ps[lane_of(job, path.port, order)];

    *at = cut(
        (*at == 0 ? queued_ps : *at) +
        units_ps(work, job->transfer_ps * stages, child, next_of(work, child)) +
        startup_of(&job->circuit_ps, branch, hops, stages));
    work->node[child].startup = *at;
}

/* Returns the time, ps, at which the node has computed its share. */
static uint64_t pass(struct tree_work *work, uint32_t index)
{
    const struct plan_job *job = work->job;
    unsigned slow = tree_slow_shift(branch_at(work, index));
    uint64_t received_ps = work->node[index].startup;
    uint64_t software_ps = job->split_ps;
    uint64_t lane_ps[TORUS_PORTS] = {0};
    uint32_t order = 0;

    for (uint32_t child = index + 1; child < next_of(work, index);
         child = next_of(work, child), ++order) {
        software_ps += job->queue_ps;
        serve(work, child, order, lane_ps, received_ps + (software_ps << slow));
    }
    software_ps += job->start_ps + (index == 0 ? 0 : job->begin_ps);
    return received_ps + (software_ps << slow) +
           units_ps(work, job->compute_ps << slow, index, index + 1);
}

static int plan_equal(struct tree_work *work, uint64_t *makespan_ps)
{
    work->node[0].startup = 0;
    *makespan_ps = 0;
    for (uint32_t i = 0; i < work->nodes; ++i) {
        *makespan_ps = fixed_larger(*makespan_ps, pass(work, i));
    }
    for (uint32_t i = 0; i < work->nodes; ++i) {
        tree_store_range(branch_at(work, i), first_of(work, i),
                         first_of(work, next_of(work, i)));
    }
    return *makespan_ps < TOO_LONG_PS ? ERR_OK : ERR_RANGE;
}

/* Sets *time_ps to the duration of `time` steps. ERR_RANGE: too long. */
static int time_of(const struct tree_work *work, uint64_t *time_ps,
                   uint64_t time)
{
    uint64_t compute_ps = work->job->compute_ps;
    struct fixed_shift shift = fixed_shift_of(compute_ps);
    uint64_t product;
    int down = (int)(work->unit_shift + shift.zeros) - (int)ALONE_BITS;

    if (time >= (uint64_t)1 << ALONE_BITS) {
        return ERR_RANGE;
    }
    product = fixed_multiply_high(time << (64 - ALONE_BITS),
                                  fixed_shifted(compute_ps, shift));
    if (down < 0) {
        *time_ps = fixed_product(product, 1u << (-down & 3));
    } else {
        *time_ps = product >> (unsigned)down;
    }
    return *time_ps >> 63 == 0 ? ERR_OK : ERR_RANGE;
}

/* Returns false if the originator's software is too long. */
static bool set_unit(struct tree_work *work)
{
    const struct plan_job *job = work->job;
    uint32_t sends = 0;
    uint64_t software;
    uint64_t alone;
    struct fixed_shift shift;

    for (uint32_t i = 1; i < work->nodes; i = next_of(work, i)) {
        sends += 1;
    }
    software = quotient(job->split_ps + job->start_ps + sends * job->queue_ps,
                        work->per_compute, 0);
    if (software >= SOFTWARE_UNITS_MAX) {
        return false;
    }
    alone = (job->load_units + software + 1) << tree_slow_shift(work->tree);
    shift = fixed_shift_of(alone);
    /* The zeros always exceed 64 - ALONE_BITS; Frama-C does not see this. */
    work->unit_shift =
        shift.zeros > 64u - ALONE_BITS ? shift.zeros - (64u - ALONE_BITS) : 0;
    work->load = fixed_shifted(job->load_units, shift) >> (64u - ALONE_BITS);
    return true;
}

static bool lay_out(struct tree_work *work)
{
    const struct plan_job *job = work->job;

    work->per_compute = inverse_of(job->compute_ps);
    work->rho = quotient(job->transfer_ps, work->per_compute, RHO_BITS);
    if (work->rho >> (RHO_BITS + 16) != 0 || !set_unit(work)) {
        return false;
    }
    work->circuit =
        (struct plan_circuit){cost_of(work, job->circuit_ps.startup),
                              cost_of(work, job->circuit_ps.hop),
                              cost_of(work, job->circuit_ps.branch)};
    work->split = cost_of(work, job->split_ps);
    work->queue = cost_of(work, job->queue_ps);
    work->start = work->split + cost_of(work, job->start_ps);
    work->leaf = work->start + cost_of(work, job->begin_ps);
    return true;
}

int tree_plan(uint8_t *tree, const struct plan_job *job, void *memory,
              uint64_t *makespan_ps, unsigned *phases)
{
    struct tree_work *work = memory;
    int error = check(job);

    if (error != ERR_OK) {
        return error;
    }
    memset(work, 0, sizeof *work);
    work->job = job;
    work->tree = tree;
    work->nodes = tree_nodes(tree);
    *phases = tree_last_phase(tree);
    if (job->equal) {
        return plan_equal(work, makespan_ps);
    }
    if (!lay_out(work)) {
        return ERR_RANGE;
    }
    while (!solve(work)) {
        if (*phases == 0) {
            return ERR_RANGE;
        }
        *phases -= 1;
        tree_cut(tree, *phases);
        work->nodes = tree_nodes(tree);
    }
    set_ranges(work);
    return time_of(work, makespan_ps,
                   (uint64_t)(work->node[0].left & INT64_MAX));
}

#define STEPS_BITS 24u    /* bits of tree_common.makespan */
#define UNITS_MIN 16u     /* least makespan of tree_costs(), in units */
#define TRANSFER_BITS 24u /* fraction bits of tree_common.transfer */

static int32_t steps_of(const struct tree_work *work, uint64_t time)
{
    return (int32_t)(time >> work->steps_shift & INT32_MAX);
}

int32_t tree_steps(const void *memory, uint64_t time_ps)
{
    const struct tree_work *work = memory;

    return steps_of(work, cost_of(work, time_ps));
}

uint64_t tree_time_ps(const void *memory, int32_t steps)
{
    const struct tree_work *work = memory;
    uint64_t time_ps = 0;

    (void)!time_of(work, &time_ps, (uint64_t)steps << work->steps_shift);
    return time_ps;
}

/* Sets cost[] of the node's children, except software and slow_shift. */
static void fill_costs(const struct tree_work *work, struct tree_cost cost[],
                       uint32_t index)
{
    uint32_t all = cost[index].part;
    uint32_t part[TORUS_PORTS] = {all, all, all, all};
    uint32_t end = next_of(work, index);

    for (uint32_t i = index + 1; i < end; i = next_of(work, i)) {
        const struct tree_node *child = &work->node[i];
        uint32_t *left = &part[child->lane];
        uint32_t above = *left;

        *left = (uint32_t)fixed_part(above, child->scale);
        cost[i] =
            (struct tree_cost){.circuit = steps_of(work, child->startup),
                               .first = steps_of(work, (uint64_t)child->first),
                               .scale = child->scale,
                               .part = *left,
                               .above = above,
                               .stages = child->stages,
                               .lane = child->lane};
    }
}

uint32_t tree_speeds(const void *memory, uint32_t nodes)
{
    const struct tree_work *work = memory;
    uint32_t speeds = 0;

    for (uint32_t i = 0; i < nodes; ++i) {
        speeds += 8u >> work->node[i].slow_shift;
    }
    return speeds;
}

int tree_costs(struct tree_cost cost[], struct tree_common *common,
               void *memory)
{
    struct tree_work *work = memory;
    uint64_t makespan = (uint64_t)(work->node[0].left & INT64_MAX);
    uint64_t units = makespan >> work->unit_shift;
    unsigned bits = 64u - fixed_shift_of(makespan | 1).zeros;

    if (units < UNITS_MIN || units >> (STEPS_BITS - 1) != 0 ||
        work->rho >> (RHO_BITS + 32 - TRANSFER_BITS) != 0) {
        return ERR_RANGE;
    }
    work->steps_shift = bits - STEPS_BITS;
    cost[0].part = UINT32_MAX;
    for (uint32_t i = 0; i < work->nodes; ++i) {
        unsigned slow_shift = work->node[i].slow_shift;

        fill_costs(work, cost, i);
        cost[i].software =
            steps_of(work, (uint64_t)software_of(work, i) << slow_shift);
        cost[i].slow_shift = (uint8_t)slow_shift;
    }
    common->makespan = steps_of(work, makespan);
    common->shift = work->unit_shift - work->steps_shift;
    common->transfer = (uint32_t)(work->rho >> (RHO_BITS - TRANSFER_BITS));
    return ERR_OK;
}

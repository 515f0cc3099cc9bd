/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/tree.h"

#include "scatter/plan/wide.h"

#include <string.h>

/*
 * Limits in units of the reference's compute time. No plan takes longer than
 * the originator alone with its software: 2^32 units at an eighth of the speed,
 * and 2^35. A node that would need 2^36, or a subtree whose offset would be
 * 2^50, counts as one that gets less than nothing.
 */
#define ALONE_BITS 35u
#define TIME_BITS 36u
#define OFFSET_BITS 50u
#define LEFT_BITS 56u  /* of a child's offset: OFFSET_BITS and SLOW_BITS */
#define SLOPE_BITS 15u /* a slope is at most the number of nodes */
#define SLOW_BITS TREE_SLOW_SHIFT_MAX

/* Equal shares may take longer: there is no node that the plan could drop. */
#define EQUAL_BITS 61u

/* slope * s - offset: units, or time in units of the reference's compute. */
struct line {
    struct wide slope;
    struct wide offset;
};

/* A time in both measures. */
struct known {
    uint64_t time_ps;
    uint64_t whole; /* units, and in 2^-64 of one */
    uint64_t fraction;
};

/* A child that was met: child_left() of one that is like it. */
struct met {
    uint32_t nodes; /* of its subtree; 0: none yet */
    uint32_t hops;
    struct line takes;
    struct line left;
};

#define KNOWN_BITS 5u
#define MET 8u
/* What was worked out once. */
struct memo {
    struct known known[1u << KNOWN_BITS];
    struct met met[MET];
};

struct tree_work {
    const struct tree_input *input;
    uint8_t *tree;
    uint32_t nodes;        /* not cut off so far */
    bool out_of_range;     /* a number left its range */
    unsigned step_shift;   /* see struct tree_common */
    struct wide_ratio rho; /* transfer / compute */
    struct line *takes;    /* W of every node's subtree: see tree.h */
    struct wide *left;     /* s of every node: the time that it has left */
    uint16_t *kept;        /* for cut(): branches kept before each one */
    uint8_t *slow_shift;   /* node i is 2^slow_shift[i] times slower */
    struct memo *memo;     /* software costs and equal subtrees come often */
};

uint32_t tree_work_bytes(uint32_t nodes)
{
    return (uint32_t)(sizeof(struct tree_work) + sizeof(struct memo)) +
           nodes * (uint32_t)(sizeof(struct line) + sizeof(struct wide) +
                              sizeof(uint16_t) + sizeof(uint8_t));
}

static uint8_t *branch_at(const struct tree_work *work, uint32_t index)
{
    return work->tree + TREE_BRANCH_BYTES * index;
}

/* ---- the structure ---- */

static bool branch_valid(const uint8_t *branch, unsigned phase_min,
                         struct torus_size size)
{
    return tree_nodes(branch) >= 1 && tree_phase(branch) >= phase_min &&
           tree_phase(branch) <= TREE_PHASES_MAX &&
           torus_path_valid(size, tree_path(branch));
}

bool tree_valid(const uint8_t *tree, uint32_t bytes, struct torus_size size)
{
    uint32_t nodes = bytes / TREE_BRANCH_BYTES;

    if (nodes == 0 || nodes > TREE_NODES_MAX ||
        bytes % TREE_BRANCH_BYTES != 0 || tree_nodes(tree) != nodes ||
        tree_phase(tree) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        const uint8_t *branch = tree + TREE_BRANCH_BYTES * i;
        uint32_t end = i + tree_nodes(branch);
        unsigned phase_min = tree_phase(branch) + 1u;
        uint32_t at = i + 1;

        while (at < end && end <= nodes) {
            const uint8_t *child = tree + TREE_BRANCH_BYTES * at;

            if (!branch_valid(child, phase_min, size)) {
                return false;
            }
            phase_min = tree_phase(child);
            at += tree_nodes(child);
        }
        if (at != end) {
            return false;
        }
    }
    return true;
}

/* Copies a branch, with another number of nodes; units and first unit are not
   known yet. */
static void move_branch(uint8_t *to, const uint8_t *from, uint32_t nodes)
{
    bytes_store_u16(to + 8, (uint16_t)nodes);
    to[10] = from[10];
    to[11] = from[11];
    bytes_store_u32(to + 12, bytes_load_u32(from + 12));
}

/* Drops every branch of a phase after `last`; its descendants' phases are later
   still. */
static void cut(struct tree_work *work, unsigned last)
{
    uint32_t nodes = work->nodes;
    uint16_t *kept = work->kept;
    uint32_t to = 0;

    for (uint32_t i = 0; i < nodes; ++i) {
        kept[i] = (uint16_t)to;
        to += tree_phase(branch_at(work, i)) <= last;
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        uint8_t *branch = branch_at(work, i);
        uint32_t end = i + tree_nodes(branch);
        uint32_t after = end < nodes ? kept[end] : to;

        if (tree_phase(branch) <= last) {
            uint32_t place = kept[i];
            uint32_t below = after - (place + 1u);

            move_branch(branch_at(work, place), branch, 1u + below);
            work->slow_shift[place] = work->slow_shift[i];
        }
    }
    work->nodes = to;
}

static unsigned last_phase(const struct tree_work *work)
{
    unsigned last = 0;

    for (uint32_t i = 0; i < work->nodes; ++i) {
        unsigned phase = tree_phase(branch_at(work, i));

        last = phase > last ? phase : last;
    }
    return last;
}

/* The node after the subtree of node `index`. */
static uint32_t next_of(const struct tree_work *work, uint32_t index)
{
    return index + tree_nodes(branch_at(work, index));
}

/* The same, and not beyond the tree: so no node is. */
static uint32_t end_of(const struct tree_work *work, uint32_t index)
{
    uint32_t end = next_of(work, index);

    return end < work->nodes ? end : work->nodes;
}

static uint32_t children_of(const struct tree_work *work, uint32_t index)
{
    uint32_t end = end_of(work, index);
    uint32_t count = 0;

    for (uint32_t at = index + 1; at < end; at = next_of(work, at)) {
        count += 1;
    }
    return count;
}

/* ---- costs, in units of the reference's compute time ---- */

/* a, if |a| < 2^bits; else 0, and work->out_of_range is set. */
static struct wide bounded(struct tree_work *work, struct wide a, unsigned bits)
{
    if (!wide_within(a, bits)) {
        work->out_of_range = true;
        a = wide_of(0);
    }
    return a;
}

static struct wide units_of(struct tree_work *work, uint64_t time_ps)
{
    uint64_t hash = (time_ps & UINT32_MAX) * 2654435769u >> (32 - KNOWN_BITS);
    struct known *known = &work->memo->known[hash % (1u << KNOWN_BITS)];
    uint64_t compute_ps = work->input->compute_ps;
    struct wide_ratio ratio;
    uint64_t whole;
    bool fits;

    if (known->time_ps == time_ps) {
        /* The mask only lets an analysis see a size. */
        whole = known->whole & (((uint64_t)1 << TIME_BITS) - 1);
        return wide_add(wide_of(whole), (struct wide){0, known->fraction});
    }
    ratio = wide_ratio_of(time_ps, compute_ps, &fits);
    whole = fits ? ratio.whole : time_ps / compute_ps;
    if (whole >> TIME_BITS != 0) {
        work->out_of_range = true;
        return wide_of(0);
    }
    *known = (struct known){time_ps, whole, ratio.fraction};
    return wide_add(wide_of(whole), (struct wide){0, ratio.fraction});
}

static uint32_t hops_of(struct tree_work *work, const uint8_t *branch)
{
    uint32_t hops = torus_path_hops(tree_path(branch));

    if (hops > PLANNER_STAGES_MAX) {
        work->out_of_range = true;
        hops = 1;
    }
    return hops;
}

/* How many times a circuit's volume is sent in sequence. */
static uint32_t stages_of(struct tree_work *work, const uint8_t *branch)
{
    return work->input->store_and_forward ? hops_of(work, branch) : 1;
}

static struct wide startup_of(struct tree_work *work, const uint8_t *branch)
{
    const struct tree_input *input = work->input;
    uint64_t once_ps =
        input->startup_ps + input->branch_ps * tree_nodes(branch);

    /* Below (2^36 + 2^36 2^16) 2^11 + 2^36 2^11. */
    return units_of(work, once_ps * stages_of(work, branch) +
                              input->hop_ps * hops_of(work, branch));
}

static struct wide times(struct wide a, uint32_t factor)
{
    return wide_scale(a, (struct wide_ratio){factor, 0});
}

/* transfer / compute, for all stages of a circuit. */
static struct wide rate_of(struct tree_work *work, const uint8_t *branch)
{
    return times((struct wide){work->rho.whole, work->rho.fraction},
                 stages_of(work, branch));
}

/* The queue of a node's send number `order`, out of `port`: each port's own, or
   with fewer ports at once, the sends in turn. */
static unsigned lane_of(const struct tree_work *work, unsigned port,
                        uint32_t order)
{
    return work->input->ports == TORUS_PORTS ? port
                                             : order % work->input->ports;
}

/* Time of node `index` for software: a slow node's software is slow, too. */
static struct wide software_of(struct tree_work *work, uint32_t index,
                               uint64_t time_ps)
{
    return units_of(work, time_ps << work->slow_shift[index]);
}

/* Time from a node's receipt until its send number `order` can start. */
static struct wide queued_after(struct tree_work *work, uint32_t index,
                                uint32_t order)
{
    return software_of(work, index,
                       work->input->split_ps +
                           (order + 1u) * work->input->queue_ps);
}

/* Time from the receipt of a node with `sends` children until it computes. */
static struct wide computes_after(struct tree_work *work, uint32_t index,
                                  uint32_t sends)
{
    const struct tree_input *input = work->input;
    uint64_t begin_ps = index == 0 ? 0 : input->begin_ps;

    return software_of(work, index,
                       input->split_ps + input->kernel_start_ps + begin_ps +
                           sends * input->queue_ps);
}

/* ---- W of every subtree, from the leaves up ---- */

/* slope * (inner) - offset, of a line: composition. */
static struct line compose(struct line outer, struct line inner)
{
    return (struct line){
        wide_multiply(outer.slope, inner.slope),
        wide_add(wide_multiply(outer.slope, inner.offset), outer.offset)};
}

static struct line bounded_line(struct tree_work *work, struct line line,
                                unsigned offset_bits)
{
    return (struct line){bounded(work, line.slope, SLOPE_BITS),
                         bounded(work, line.offset, offset_bits)};
}

/* The same for a child that is like none of those that were met. */
static struct line new_child_left(struct tree_work *work, const uint8_t *branch,
                                  struct line takes)
{
    struct wide rate = rate_of(work, branch);
    struct wide scale = wide_divide(
        wide_of(1), wide_add(wide_of(1), wide_multiply(rate, takes.slope)));
    struct wide startup = startup_of(work, branch);
    /* scale * rate <= 1 / p_c <= 8; first, as rate q_c may not fit. */
    struct wide credit = wide_multiply(
        bounded(work, wide_multiply(scale, rate), SLOW_BITS + 1), takes.offset);

    /* s_c = scale * (s - startup + rate q_c) */
    return (struct line){scale,
                         wide_subtract(wide_multiply(scale, startup), credit)};
}

static bool same(struct wide a, struct wide b)
{
    return a.high == b.high && a.low == b.low;
}

/* A child's time left as a line in the time left of its parent's lane. */
static struct line child_left(struct tree_work *work, uint32_t child)
{
    const uint8_t *branch = branch_at(work, child);
    const struct line *takes = &work->takes[child];
    uint32_t nodes = tree_nodes(branch);
    uint32_t hops = torus_path_hops(tree_path(branch));
    struct met *met = &work->memo->met[(4 * nodes + hops) % MET];
    struct line left;

    if (met->nodes == nodes && met->hops == hops &&
        same(met->takes.offset, takes->offset) &&
        same(met->takes.slope, takes->slope)) {
        return bounded_line(work, met->left, LEFT_BITS);
    }
    left = new_child_left(work, branch, *takes);
    if (!work->out_of_range) {
        *met = (struct met){nodes, hops, *takes, left};
    }
    return left;
}

static struct line subtree_line(struct tree_work *work, uint32_t index)
{
    static const struct line whole = {{1, 0}, {0, 0}};
    struct line lane[TORUS_PORTS] = {whole, whole, whole, whole};
    bool used[TORUS_PORTS] = {false};
    uint32_t end = end_of(work, index);
    uint32_t order = 0;
    unsigned shift = work->slow_shift[index];
    struct line takes = {
        shift == 0 ? wide_of(1) : wide_shift_right(wide_of(1), shift), {0, 0}};

    takes.offset = wide_multiply(
        takes.slope, computes_after(work, index, children_of(work, index)));
    for (uint32_t child = index + 1; child < end;
         child = next_of(work, child), ++order) {
        unsigned port = tree_path(branch_at(work, child)).port;
        unsigned at = lane_of(work, port, order);
        struct line got;

        if (!used[at]) {
            lane[at].offset = queued_after(work, index, order);
            used[at] = true;
        }
        lane[at] = bounded_line(
            work, compose(child_left(work, child), lane[at]), TIME_BITS);
        got = compose(work->takes[child], lane[at]);
        takes.slope = wide_add(takes.slope, got.slope);
        takes.offset = wide_add(takes.offset, got.offset);
        takes = bounded_line(work, takes, OFFSET_BITS);
    }
    return takes;
}

/* ---- times left, from the root down ---- */

/* Units of the subtree of node `index`, once they are given. */
static struct wide volume_of(const struct tree_work *work, uint32_t index)
{
    return wide_of(tree_units(branch_at(work, index)));
}

/* A child's time left if `lane` is left of its parent's queue. */
static struct wide child_time_left(struct tree_work *work, uint32_t child,
                                   struct wide lane)
{
    const uint8_t *branch = branch_at(work, child);
    struct line left;

    if (work->input->equal) {
        lane = wide_subtract(lane, startup_of(work, branch));
        return wide_subtract(
            lane, wide_multiply(rate_of(work, branch), volume_of(work, child)));
    }
    left = child_left(work, child);
    return wide_subtract(wide_multiply(left.slope, lane), left.offset);
}

/* Sets the times left of a node's children; false if one would get less than
   nothing. */
static bool set_times_left(struct tree_work *work, uint32_t index)
{
    unsigned bits = work->input->equal ? EQUAL_BITS : TIME_BITS;
    struct wide lane[TORUS_PORTS] = {{0, 0}};
    bool used[TORUS_PORTS] = {false};
    bool enough = !work->input->equal;
    uint32_t end = end_of(work, index);
    uint32_t order = 0;

    for (uint32_t child = index + 1; child < end;
         child = next_of(work, child), ++order) {
        unsigned port = tree_path(branch_at(work, child)).port;
        unsigned at = lane_of(work, port, order);

        if (!used[at]) {
            lane[at] = wide_subtract(work->left[index],
                                     queued_after(work, index, order));
            used[at] = true;
        }
        lane[at] = bounded(work, child_time_left(work, child, lane[at]), bits);
        work->left[child] = lane[at];
        enough = enough && !wide_is_negative(lane[at]) &&
                 !wide_less(wide_multiply(work->takes[child].slope, lane[at]),
                            work->takes[child].offset);
    }
    return enough &&
           !wide_less(work->left[index], computes_after(work, index, order));
}

/* The time in which the whole tree takes the load. */
static struct wide time_of_all(struct tree_work *work)
{
    struct line all = work->takes[0];
    uint32_t factor = 1u << work->slow_shift[0];
    struct wide volume =
        times(wide_add(wide_of(work->input->load_units), all.offset), factor);
    struct wide slope = times(all.slope, factor); /* 1 of its own at least */

    if (wide_is_negative(volume) || slope.high < 1) {
        work->out_of_range = true;
        return wide_of(0);
    }
    return bounded(work, wide_divide(volume, slope), TIME_BITS);
}

static bool solve(struct tree_work *work)
{
    work->out_of_range = false;
    for (uint32_t i = work->nodes; i > 0; --i) {
        work->takes[i - 1] = subtree_line(work, i - 1);
    }
    if (work->out_of_range) {
        return false;
    }
    work->left[0] = time_of_all(work);
    for (uint32_t i = 0; i < work->nodes; ++i) {
        if (!set_times_left(work, i)) {
            return false;
        }
    }
    return !work->out_of_range;
}

/* ---- ranges ---- */

/* A node's own share. */
static struct wide share_of(struct tree_work *work, uint32_t index)
{
    struct wide time =
        wide_subtract(work->left[index],
                      computes_after(work, index, children_of(work, index)));
    unsigned shift = work->slow_shift[index];

    if (wide_is_negative(time)) {
        work->out_of_range = true;
        time = wide_of(0);
    }
    return shift == 0 ? time : wide_shift_right(time, shift);
}

static void set_ranges(struct tree_work *work)
{
    uint32_t nodes = work->nodes;
    uint32_t load_units = work->input->load_units;
    struct wide position = wide_of(0);

    for (uint32_t i = 0; i < nodes; ++i) {
        uint32_t first = (uint32_t)((uint64_t)load_units * i / nodes);

        if (!work->input->equal) {
            /* The sum is rounded: it may be a little more. */
            if (position.high >= load_units) {
                position = wide_of(load_units);
            }
            first = (uint32_t)position.high;
            position = wide_add(position, share_of(work, i));
        }
        bytes_store_u32(branch_at(work, i) + 4, first);
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        uint8_t *branch = branch_at(work, i);
        uint32_t end = i + tree_nodes(branch);
        uint32_t end_unit =
            end < nodes ? tree_first_unit(branch_at(work, end)) : load_units;

        uint32_t first_unit = tree_first_unit(branch);

        bytes_store_u32(branch, end_unit - first_unit);
    }
}

/* ---- equal shares: when they would be done ---- */

/* When the last node ends with equal shares. The root's time left is set to 0,
   so that -left[i] is when node i has its message. */
static struct wide last_end(struct tree_work *work)
{
    uint32_t nodes = work->nodes;
    struct wide last = wide_of(0);

    work->left[0] = wide_of(0);
    for (uint32_t i = 0; i < nodes; ++i) {
        struct wide end = wide_negate(work->left[i]);
        uint32_t count = children_of(work, i);
        uint32_t end_unit = i + 1 < nodes
                                ? tree_first_unit(branch_at(work, i + 1))
                                : work->input->load_units;
        uint32_t first_unit = tree_first_unit(branch_at(work, i));
        uint32_t own = end_unit - first_unit;

        set_times_left(work, i);
        end = wide_add(end, computes_after(work, i, count));
        end = wide_add(end, times(wide_of(own), 1u << work->slow_shift[i]));
        last = wide_less(last, end) ? end : last;
    }
    return last;
}

/* ---- all of it ---- */

/* ERR_RANGE if that is 2^63 ps or more. */
static int time_of(uint64_t *time_ps, struct wide units, uint64_t compute_ps)
{
    uint64_t part_ps = wide_multiply_high(units.low, compute_ps);
    uint64_t whole;

    if (wide_is_negative(units)) {
        return ERR_RANGE;
    }
    whole = (uint64_t)units.high;
    if (whole >= PLANNER_LOAD_MAX_PS / compute_ps) {
        return ERR_RANGE;
    }
    *time_ps = whole * compute_ps + part_ps;
    return ERR_OK;
}

static int check(const struct tree_input *input)
{
    if (input->load_units == 0) {
        return ERR_EMPTY;
    }
    if (input->compute_ps == 0 || input->compute_ps > PLANNER_TIME_MAX_PS ||
        input->transfer_ps > PLANNER_TIME_MAX_PS ||
        input->load_units > PLANNER_LOAD_MAX_PS / input->compute_ps ||
        (input->startup_ps | input->hop_ps | input->branch_ps |
         input->split_ps | input->queue_ps | input->kernel_start_ps |
         input->begin_ps) >>
                36 !=
            0 ||
        (input->ports != 1 && input->ports != 2 &&
         input->ports != TORUS_PORTS)) {
        return ERR_RANGE;
    }
    return ERR_OK;
}

/* Sets *work up, its arrays behind it; false if transfer / compute is 2^16 or
   more. */
static bool lay_out(struct tree_work *work, uint8_t *tree,
                    const struct tree_input *input)
{
    uint32_t nodes = tree_nodes(tree);
    bool fits;

    *work = (struct tree_work){.input = input, .tree = tree, .nodes = nodes};
    work->rho = wide_ratio_of(input->transfer_ps, input->compute_ps, &fits);
    if (!fits || work->rho.whole > UINT16_MAX) {
        return false;
    }
    work->memo = (struct memo *)(void *)(work + 1);
    memset(work->memo, 0, sizeof *work->memo);
    work->takes = (struct line *)(void *)(work->memo + 1);
    work->left = (struct wide *)(void *)(work->takes + nodes);
    work->kept = (uint16_t *)(void *)(work->left + nodes);
    work->slow_shift = (uint8_t *)(void *)(work->kept + nodes);
    for (uint32_t i = 0; i < nodes; ++i) {
        uint32_t shift = tree_first_unit(branch_at(work, i));

        work->left[i] = wide_of(0);
        work->slow_shift[i] =
            (uint8_t)(shift < TREE_SLOW_SHIFT_MAX ? shift
                                                  : TREE_SLOW_SHIFT_MAX);
    }
    return true;
}

/* Cuts the last phase off until no node that is left gets less than nothing. */
static int plan_phases(struct tree_work *work, unsigned *phases)
{
    bounded(work, computes_after(work, 0, children_of(work, 0)), ALONE_BITS);
    if (work->out_of_range) {
        return ERR_RANGE;
    }
    while (!solve(work)) {
        if (*phases == 0) {
            return ERR_RANGE;
        }
        *phases -= 1;
        cut(work, *phases);
    }
    return ERR_OK;
}

int tree_plan(uint8_t *tree, const struct tree_input *input, void *memory,
              uint64_t *makespan_ps, unsigned *phases)
{
    struct tree_work *work = (struct tree_work *)memory;
    struct wide makespan;
    int error = check(input);

    if (error != ERR_OK) {
        return error;
    }
    if (!lay_out(work, tree, input)) {
        return ERR_RANGE;
    }
    *phases = last_phase(work);
    if (!input->equal) {
        error = plan_phases(work, phases);
    }
    set_ranges(work);
    makespan = input->equal ? last_end(work) : work->left[0];
    if (error != ERR_OK || work->out_of_range) {
        return ERR_RANGE;
    }
    return time_of(makespan_ps, makespan, input->compute_ps);
}

/* ---- costs, for several rounds ---- */

#define STEPS_BITS 24u /* of the makespan */
#define UNITS_MIN 16u  /* and its units */
#define RHO_BITS 24u

static int32_t steps_of(const struct tree_work *work, struct wide time)
{
    return (int32_t)(wide_shift_left(time, work->step_shift).high & INT32_MAX);
}

int32_t tree_steps(void *memory, uint64_t time_ps)
{
    struct tree_work *work = (struct tree_work *)memory;

    return steps_of(work, units_of(work, time_ps));
}

uint64_t tree_time_ps(void *memory, int32_t steps)
{
    const struct tree_work *work = (const struct tree_work *)memory;
    struct wide units =
        wide_shift_right(wide_of((uint32_t)steps), work->step_shift);
    uint64_t time_ps = 0;

    /* It is less than what one round takes, which is in range. */
    (void)!time_of(&time_ps, units, work->input->compute_ps);
    return time_ps;
}

/* Fills in what the children of node `index` cost. Result: how many there are.
 */
static uint32_t fill_costs(struct tree_work *work, struct tree_cost cost[],
                           uint32_t index)
{
    uint32_t part[TORUS_PORTS];
    bool used[TORUS_PORTS] = {false};
    uint32_t end = end_of(work, index);
    uint32_t order = 0;

    for (unsigned lane = 0; lane < TORUS_PORTS; ++lane) {
        part[lane] = cost[index].part;
    }
    for (uint32_t child = index + 1; child < end;
         child = next_of(work, child), ++order) {
        const uint8_t *branch = branch_at(work, child);
        struct tree_cost *at = &cost[child];
        unsigned lane = lane_of(work, tree_path(branch).port, order);
        struct wide scale = child_left(work, child).slope;

        at->circuit = steps_of(work, startup_of(work, branch));
        at->first =
            used[lane] ? 0 : steps_of(work, queued_after(work, index, order));
        used[lane] = true;
        at->scale = scale.high > 0 ? UINT32_MAX : (uint32_t)(scale.low >> 32);
        part[lane] = (uint32_t)((uint64_t)part[lane] * at->scale >> 32);
        at->part = part[lane];
        at->stages = (uint16_t)stages_of(work, branch);
        at->lane = (uint8_t)lane;
    }
    return order;
}

int tree_costs(struct tree_cost cost[], struct tree_common *common,
               void *memory)
{
    struct tree_work *work = (struct tree_work *)memory;
    uint64_t units = work->left[0].high;

    if (units < UNITS_MIN || units >> (STEPS_BITS - 1) != 0 ||
        work->rho.whole >> (32 - RHO_BITS) != 0) {
        return ERR_RANGE;
    }
    work->step_shift =
        STEPS_BITS - 32 + (unsigned)__builtin_clz((uint32_t)units);
    cost[0].part = UINT32_MAX;
    common->speeds = 0;
    for (uint32_t i = 0; i < work->nodes; ++i) {
        uint32_t sends = fill_costs(work, cost, i);

        cost[i].software = steps_of(work, computes_after(work, i, sends));
        cost[i].slow_shift = work->slow_shift[i];
        common->speeds += 8u >> work->slow_shift[i];
    }
    common->makespan = steps_of(work, work->left[0]);
    common->shift = work->step_shift;
    common->transfer = work->rho.whole << RHO_BITS |
                       (uint32_t)(work->rho.fraction >> (64 - RHO_BITS));
    return ERR_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/tree.h"

#include "scatter/wide.h"

/* Largest time or load in units of compute time. */
#define UNITS_BITS 44u

/* slope * s - offset: units, or time in units of the reference's compute. */
struct line {
    struct wide slope;
    struct wide offset;
};

struct tree_work {
    const struct tree_input *input;
    uint8_t *tree;
    struct wide_ratio rho; /* transfer / compute */
    struct line *takes;    /* W of every node's subtree */
    struct wide *left;     /* s of every node */
    uint16_t *kept;        /* for cut(): branches kept before each one */
    uint8_t *slow;         /* shift, of every node */
};

uint32_t tree_work_bytes(uint32_t nodes)
{
    return nodes * (uint32_t)(sizeof(struct line) + sizeof(struct wide) +
                              sizeof(uint16_t) + sizeof(uint8_t));
}

static uint8_t *branch_at(const struct tree_work *work, uint32_t index)
{
    return work->tree + TREE_BRANCH_BYTES * index;
}

/* ---- the structure ---- */

static bool branch_valid(const uint8_t *branch, const uint8_t *end,
                         struct torus_size size)
{
    uint32_t room = (uint32_t)(end - branch) / TREE_BRANCH_BYTES;

    return tree_nodes(branch) >= 1 && tree_nodes(branch) <= room &&
           tree_phase(branch) >= 1 && tree_phase(branch) <= TREE_PHASES_MAX &&
           torus_path_valid(size, tree_path(branch));
}

bool tree_valid(const uint8_t *tree, uint32_t bytes, struct torus_size size)
{
    const uint8_t *end = tree + bytes;

    if (bytes < TREE_BRANCH_BYTES || bytes % TREE_BRANCH_BYTES != 0 ||
        bytes > TREE_NODES_MAX * TREE_BRANCH_BYTES || tree_next(tree) != end ||
        tree_phase(tree) != 0) {
        return false;
    }
    for (const uint8_t *at = tree; at < end; at += TREE_BRANCH_BYTES) {
        const uint8_t *last = tree_next(at);
        unsigned before = tree_phase(at) + 1u;

        for (const uint8_t *child = at + TREE_BRANCH_BYTES; child < last;
             child = tree_next(child)) {
            if (!branch_valid(child, last, size) ||
                tree_phase(child) < before ||
                tree_phase(child) <= tree_phase(at)) {
                return false;
            }
            before = tree_phase(child);
        }
    }
    return true;
}

static void copy_branch(uint8_t *to, const uint8_t *from)
{
    for (uint32_t i = 0; i < TREE_BRANCH_BYTES; i += 4) {
        bytes_store_u32(to + i, bytes_load_u32(from + i));
    }
}

/* Drops every branch beyond phase `last`; its descendants are there too. */
static void cut(struct tree_work *work, unsigned last)
{
    uint32_t nodes = tree_nodes(work->tree);
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
            bytes_store_u16(branch + 8, (uint16_t)(after - kept[i]));
            copy_branch(branch_at(work, kept[i]), branch);
            work->slow[kept[i]] = work->slow[i];
        }
    }
}

static unsigned last_phase(const struct tree_work *work)
{
    unsigned last = 0;

    for (uint32_t i = tree_nodes(work->tree); i-- > 0;) {
        unsigned phase = tree_phase(branch_at(work, i));

        last = phase > last ? phase : last;
    }
    return last;
}

/* The node after the subtree of node `index`. */
static uint32_t end_of(const struct tree_work *work, uint32_t index)
{
    return index + tree_nodes(branch_at(work, index));
}

static uint32_t children_of(const struct tree_work *work, uint32_t index)
{
    uint32_t count = 0;

    for (uint32_t at = index + 1; at < end_of(work, index);
         at = end_of(work, at)) {
        count += 1;
    }
    return count;
}

/* ---- costs, in units of the reference's compute time ---- */

static struct wide units_of(const struct tree_work *work, uint64_t time_ps)
{
    bool fits;
    struct wide_ratio ratio =
        wide_ratio_of(time_ps, work->input->compute_ps, &fits);

    return (struct wide){fits ? ratio.whole : UINT32_MAX, ratio.fraction};
}

/* How often a circuit's volume is sent one after the other. */
static uint32_t stages_of(const struct tree_work *work, const uint8_t *branch)
{
    return work->input->store_and_forward ? torus_path_hops(tree_path(branch))
                                          : 1;
}

static struct wide startup_of(const struct tree_work *work,
                              const uint8_t *branch)
{
    const struct tree_input *input = work->input;
    uint64_t once_ps =
        input->startup_ps + input->branch_ps * tree_nodes(branch);

    return units_of(work,
                    once_ps * stages_of(work, branch) +
                        input->hop_ps * torus_path_hops(tree_path(branch)));
}

static struct wide times(struct wide a, uint32_t factor)
{
    return wide_scale(a, (struct wide_ratio){factor, 0});
}

/* transfer / compute, for all stages of a circuit. */
static struct wide rate_of(const struct tree_work *work, const uint8_t *branch)
{
    return times((struct wide){work->rho.whole, work->rho.fraction},
                 stages_of(work, branch));
}

/* The queue that send `order` of a node goes through, out of `port`. */
static unsigned lane_of(const struct tree_work *work, unsigned port,
                        uint32_t order)
{
    return work->input->ports == TORUS_PORTS ? port
                                             : order % work->input->ports;
}

/* Software of node `index`: slow boards are slow in that too. */
static struct wide software_of(const struct tree_work *work, uint32_t index,
                               uint64_t time_ps)
{
    return units_of(work, time_ps << work->slow[index]);
}

/* What is gone when a node's send `order` can start at the earliest. */
static struct wide queued_after(const struct tree_work *work, uint32_t index,
                                uint32_t order)
{
    return software_of(work, index,
                       work->input->parse_ps +
                           (order + 1u) * work->input->send_ps);
}

/* What is gone when a node with `sends` children begins to compute. */
static struct wide computes_after(const struct tree_work *work, uint32_t index,
                                  uint32_t sends)
{
    const struct tree_input *input = work->input;
    uint64_t begin_ps = index == 0 ? 0 : input->begin_ps;

    return software_of(work, index,
                       input->parse_ps + input->start_ps + begin_ps +
                           sends * input->send_ps);
}

/* ---- W of every subtree, from the leaves up ---- */

/* slope * (inner) - offset, of a line: composition. */
static struct line compose(struct line outer, struct line inner)
{
    return (struct line){
        wide_multiply(outer.slope, inner.slope),
        wide_add(wide_multiply(outer.slope, inner.offset), outer.offset)};
}

/* What is left for a child when `lane` was left of its parent's port. */
static struct line child_left(const struct tree_work *work, uint32_t child)
{
    const uint8_t *branch = branch_at(work, child);
    struct line takes = work->takes[child];
    struct wide rate = rate_of(work, branch);
    struct wide scale = wide_divide(
        wide_of(1), wide_add(wide_of(1), wide_multiply(rate, takes.slope)));
    struct wide startup = startup_of(work, branch);
    struct wide credit = wide_multiply(rate, takes.offset);

    /* s_c = scale * (s - startup + rate q_c) */
    return (struct line){scale,
                         wide_multiply(scale, wide_subtract(startup, credit))};
}

static struct line take(struct tree_work *work, uint32_t index)
{
    static const struct line whole = {{1, 0}, {0, 0}};
    struct line lane[TORUS_PORTS] = {whole, whole, whole, whole};
    bool used[TORUS_PORTS] = {false};
    uint32_t count = children_of(work, index);
    uint32_t child = index + 1;
    unsigned slow = work->slow[index];
    struct line takes = {
        slow == 0 ? wide_of(1) : wide_shift_right(wide_of(1), slow), {0, 0}};

    takes.offset =
        wide_multiply(takes.slope, computes_after(work, index, count));
    for (uint32_t order = 0; order < count;
         ++order, child = end_of(work, child)) {
        unsigned port = tree_path(branch_at(work, child)).port;
        unsigned at = lane_of(work, port, order);
        struct line got;

        if (!used[at]) {
            lane[at].offset = queued_after(work, index, order);
            used[at] = true;
        }
        lane[at] = compose(child_left(work, child), lane[at]);
        got = compose(work->takes[child], lane[at]);
        takes.slope = wide_add(takes.slope, got.slope);
        takes.offset = wide_add(takes.offset, got.offset);
    }
    return takes;
}

/* ---- times left, from the root down ---- */

/* Units of the subtree of node `index`, once they are given. */
static struct wide volume_of(const struct tree_work *work, uint32_t index)
{
    return wide_of(tree_units(branch_at(work, index)));
}

/* What is left for a child when `lane` is left of its parent's port. */
static struct wide serve(const struct tree_work *work, uint32_t child,
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

/* s of all children of a node; false if one would get less than nothing. */
static bool give(struct tree_work *work, uint32_t index)
{
    struct wide lane[TORUS_PORTS];
    bool used[TORUS_PORTS] = {false};
    bool enough = !work->input->equal;
    uint32_t count = children_of(work, index);
    uint32_t child = index + 1;

    for (uint32_t order = 0; order < count;
         ++order, child = end_of(work, child)) {
        unsigned port = tree_path(branch_at(work, child)).port;
        unsigned at = lane_of(work, port, order);

        if (!used[at]) {
            lane[at] = wide_subtract(work->left[index],
                                     queued_after(work, index, order));
            used[at] = true;
        }
        lane[at] = serve(work, child, lane[at]);
        work->left[child] = lane[at];
        enough = enough && !wide_is_negative(lane[at]) &&
                 !wide_less(wide_multiply(work->takes[child].slope, lane[at]),
                            work->takes[child].offset);
    }
    return enough &&
           !wide_less(work->left[index], computes_after(work, index, count));
}

static bool solve(struct tree_work *work)
{
    uint32_t nodes = tree_nodes(work->tree);
    struct line all;

    for (uint32_t i = nodes; i-- > 0;) {
        work->takes[i] = take(work, i);
        if (!wide_within(work->takes[i].slope, 20) ||
            !wide_within(work->takes[i].offset, UNITS_BITS)) {
            return false;
        }
    }
    all = work->takes[0];
    work->left[0] = wide_divide(
        wide_add(wide_of(work->input->load_units), all.offset), all.slope);
    for (uint32_t i = 0; i < nodes; ++i) {
        if (!give(work, i)) {
            return false;
        }
    }
    return true;
}

/* ---- ranges ---- */

/* A node's own share. */
static struct wide share_of(struct tree_work *work, uint32_t index)
{
    struct wide time =
        wide_subtract(work->left[index],
                      computes_after(work, index, children_of(work, index)));
    unsigned slow = work->slow[index];

    return slow == 0 ? time : wide_shift_right(time, slow);
}

static void set_ranges(struct tree_work *work)
{
    uint32_t nodes = tree_nodes(work->tree);
    uint32_t load_units = work->input->load_units;
    struct wide position = wide_of(0);

    for (uint32_t i = 0; i < nodes; ++i) {
        uint64_t first = position.high;

        if (work->input->equal) {
            first = (uint64_t)load_units * i / nodes;
        } else {
            position = wide_add(position, share_of(work, i));
        }
        bytes_store_u32(branch_at(work, i) + 4,
                        first < load_units ? (uint32_t)first : load_units);
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        uint8_t *branch = branch_at(work, i);
        uint32_t end = i + tree_nodes(branch);
        uint32_t end_unit =
            end < nodes ? tree_first_unit(branch_at(work, end)) : load_units;

        bytes_store_u32(branch, end_unit - tree_first_unit(branch));
    }
}

/* ---- equal shares: when they would be done ---- */

/* With nothing left at the start, what a node lacks is when it ends. */
static struct wide last_end(struct tree_work *work)
{
    uint32_t nodes = tree_nodes(work->tree);
    struct wide last = wide_of(0);

    work->left[0] = wide_of(0);
    for (uint32_t i = 0; i < nodes; ++i) {
        struct wide end = wide_negate(work->left[i]);
        uint32_t count = children_of(work, i);
        const uint8_t *branch = branch_at(work, i);
        uint32_t own = count == 0 ? tree_units(branch)
                                  : tree_first_unit(branch_at(work, i + 1)) -
                                        tree_first_unit(branch);

        give(work, i);
        end = wide_add(end, computes_after(work, i, count));
        end = wide_add(end, times(wide_of(own), 1u << work->slow[i]));
        last = wide_less(last, end) ? end : last;
    }
    return last;
}

/* ---- all of it ---- */

/* In ps; 2^62 at most. */
static uint64_t time_of(struct wide units, uint64_t compute_ps)
{
    const uint64_t most_ps = (uint64_t)1 << 62;

    if (wide_multiply_high(units.high << 2, compute_ps) != 0) {
        return most_ps;
    }
    return units.high * compute_ps + wide_multiply_high(units.low, compute_ps);
}

static int check(const struct tree_input *input)
{
    if (input->load_units == 0) {
        return ERR_EMPTY;
    }
    if (input->compute_ps == 0 || input->compute_ps > PLANNER_TIME_MAX_PS ||
        input->transfer_ps > PLANNER_TIME_MAX_PS ||
        input->load_units > PLANNER_LOAD_MAX_PS / input->compute_ps ||
        input->transfer_ps / input->compute_ps > UINT16_MAX ||
        (input->startup_ps | input->hop_ps | input->branch_ps |
         input->parse_ps | input->send_ps | input->start_ps |
         input->begin_ps) >>
                36 !=
            0 ||
        (input->ports != 1 && input->ports != 2 &&
         input->ports != TORUS_PORTS)) {
        return ERR_RANGE;
    }
    return ERR_OK;
}

static void lay_out(struct tree_work *work, void *memory, uint8_t *tree,
                    const struct tree_input *input)
{
    uint32_t nodes = tree_nodes(tree);
    bool fits;

    work->input = input;
    work->tree = tree;
    work->rho = wide_ratio_of(input->transfer_ps, input->compute_ps, &fits);
    work->takes = (struct line *)memory;
    work->left = (struct wide *)(void *)(work->takes + nodes);
    work->kept = (uint16_t *)(void *)(work->left + nodes);
    work->slow = (uint8_t *)(void *)(work->kept + nodes);
    for (uint32_t i = 0; i < nodes; ++i) {
        uint32_t slow = tree_first_unit(branch_at(work, i));

        work->slow[i] = (uint8_t)(slow < TREE_SLOW_MAX ? slow : TREE_SLOW_MAX);
    }
}

int tree_plan(uint8_t *tree, const struct tree_input *input, void *memory,
              uint64_t *makespan_ps, unsigned *phases)
{
    struct tree_work work;
    int error = check(input);

    if (error != ERR_OK) {
        return error;
    }
    lay_out(&work, memory, tree, input);
    *phases = last_phase(&work);
    if (!input->equal) {
        while (!solve(&work)) {
            if (*phases == 0) {
                return ERR_RANGE;
            }
            *phases -= 1;
            cut(&work, *phases);
        }
    }
    set_ranges(&work);
    *makespan_ps = time_of(input->equal ? last_end(&work) : work.left[0],
                           input->compute_ps);
    return ERR_OK;
}

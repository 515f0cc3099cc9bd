/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/tree_equal.h"

#include "scatter/plan/fixed.h"

#include <stddef.h>

/* Times are cut to this, which is refused in the end. */
#define TOO_LONG_PS ((uint64_t)1 << 62)

static uint64_t cut(uint64_t time_ps)
{
    return time_ps < TOO_LONG_PS ? time_ps : TOO_LONG_PS;
}

/* When nodes receive, and when all that were passed have ended. */
struct times {
    const struct tree_input *input;
    const uint8_t *tree;
    const uint8_t *tree_end;
    uint64_t *received_ps;
    uint64_t end_ps;
};

static uint64_t *received_of(const struct times *times, const uint8_t *branch)
{
    return &times->received_ps[(branch - times->tree) /
                               (ptrdiff_t)TREE_BRANCH_BYTES];
}

/* Stores the first unit of every branch's range in the place of its units:
   that of its first unit still says how slow the node is. */
static void set_firsts(uint8_t *tree, uint32_t load_units)
{
    uint32_t nodes = tree_nodes(tree);
    uint32_t share = load_units / nodes;
    uint32_t more = load_units % nodes;
    uint32_t first = 0;
    uint32_t rest = 0; /* of i V / n, in 1 / n */

    for (uint32_t i = 0; i < nodes; ++i) {
        bytes_store_u32(tree + TREE_BRANCH_BYTES * i, first);
        first += share;
        rest += more;
        if (rest >= nodes) {
            rest -= nodes;
            first += 1;
        }
    }
}

/* The first unit of a branch's range, or the load's end behind the tree. */
static uint32_t first_of(const struct times *times, const uint8_t *branch)
{
    return branch < times->tree_end ? tree_units(branch)
                                    : times->input->load_units;
}

/* Sets when child number `order` has received, where its parent's lanes are
   free from lane_ps[]; one that is not used yet, from `queued_ps`. */
static void serve(struct times *times, const uint8_t *child, uint32_t order,
                  uint64_t lane_ps[], uint64_t queued_ps)
{
    const struct tree_input *input = times->input;
    struct torus_path path = tree_path(child);
    uint32_t hops = torus_path_hops(path);
    uint32_t stages = tree_stages(input, hops);
    uint64_t volume_ps = fixed_product(input->transfer_ps * stages,
                                       first_of(times, tree_next(child)) -
                                           first_of(times, child));
    uint64_t *at = &lane_ps[tree_lane(input, path.port, order)];

    *at = cut((*at == 0 ? queued_ps : *at) + cut(volume_ps) +
              tree_startup(&input->circuit_ps, child, hops, stages));
    *received_of(times, child) = *at;
}

/* Serves a branch's children, and counts when it has computed its share. */
static void pass(struct times *times, const uint8_t *branch)
{
    const struct tree_input *input = times->input;
    const uint8_t *own_end = branch + TREE_BRANCH_BYTES;
    const uint8_t *end = tree_next(branch);
    unsigned slow = tree_slow_shift(branch);
    uint64_t received_ps = *received_of(times, branch);
    uint64_t share_ps = fixed_product(
        input->compute_ps, first_of(times, own_end) - first_of(times, branch));
    uint64_t software_ps = input->split_ps;
    uint64_t lane_ps[TORUS_PORTS] = {0};
    uint32_t order = 0;
    uint64_t end_ps;

    for (const uint8_t *child = own_end; child < end;
         child = tree_next(child), ++order) {
        software_ps += input->queue_ps;
        serve(times, child, order, lane_ps,
              received_ps + (software_ps << slow));
    }
    software_ps +=
        input->kernel_start_ps + (branch == times->tree ? 0 : input->begin_ps);
    end_ps = received_ps + (software_ps << slow) +
             cut(fixed_product(share_ps, 1u << slow));
    times->end_ps = end_ps > times->end_ps ? end_ps : times->end_ps;
}

int tree_plan_equal(uint8_t *tree, const struct tree_input *input,
                    uint64_t received_ps[], uint64_t *makespan_ps)
{
    struct times times = {.input = input,
                          .tree = tree,
                          .tree_end = tree_next(tree),
                          .received_ps = received_ps};

    set_firsts(tree, input->load_units);
    received_ps[0] = 0;
    for (const uint8_t *at = tree; at < times.tree_end;
         at += TREE_BRANCH_BYTES) {
        pass(&times, at);
    }
    for (uint8_t *at = tree; at < times.tree_end; at += TREE_BRANCH_BYTES) {
        tree_store_range(at, tree_units(at), first_of(&times, tree_next(at)));
    }
    *makespan_ps = times.end_ps;
    return times.end_ps < TOO_LONG_PS ? ERR_OK : ERR_RANGE;
}

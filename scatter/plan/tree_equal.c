/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/tree_equal.h"

#include "scatter/plan/fixed.h"

/* Times are cut to this, which is refused in the end. */
#define TOO_LONG_PS ((uint64_t)1 << 62)

static uint64_t cut(uint64_t time_ps)
{
    return time_ps < TOO_LONG_PS ? time_ps : TOO_LONG_PS;
}

/* When nodes receive, and when all that were passed have ended. A node is
   known by its number in the order of the tree. */
struct times {
    const struct tree_input *input;
    const uint8_t *tree;
    uint32_t nodes;
    uint32_t share; /* V / n .. */
    uint32_t more;  /* .. and what is left */
    uint64_t *received_ps;
    uint64_t end_ps;
};

static const uint8_t *branch_at(const struct times *times, uint32_t index)
{
    return times->tree + TREE_BRANCH_BYTES * index;
}

/* floor(index V / n). */
static uint32_t first_of(const struct times *times, uint32_t index)
{
    return index * times->share + index * times->more / times->nodes;
}

/* The time of all units of the nodes from number `index` on to number `end`. */
static uint64_t time_of(const struct times *times, uint64_t unit_ps,
                        uint32_t index, uint32_t end)
{
    return cut(
        fixed_product(unit_ps, first_of(times, end) - first_of(times, index)));
}

/* Sets when node `child`, which is sent to in turn `order`, has received; its
   parent's lanes are free from lane_ps[], one that is not used yet from
   `queued_ps`. */
static void serve(struct times *times, uint32_t child, uint32_t order,
                  uint64_t lane_ps[], uint64_t queued_ps)
{
    const struct tree_input *input = times->input;
    const uint8_t *branch = branch_at(times, child);
    struct torus_path path = tree_path(branch);
    uint32_t hops = torus_path_hops(path);
    uint32_t stages = tree_stages(input, hops);
    uint64_t *at = &lane_ps[tree_lane(input, path.port, order)];

    *at = cut((*at == 0 ? queued_ps : *at) +
              time_of(times, input->transfer_ps * stages, child,
                      child + tree_nodes(branch)) +
              tree_startup(&input->circuit_ps, branch, hops, stages));
    times->received_ps[child] = *at;
}

/* Serves the children of node `index`, and counts when it has computed its
   share. */
static void pass(struct times *times, uint32_t index)
{
    const struct tree_input *input = times->input;
    const uint8_t *branch = branch_at(times, index);
    uint32_t end = index + tree_nodes(branch);
    unsigned slow = tree_slow_shift(branch);
    uint64_t received_ps = times->received_ps[index];
    uint64_t software_ps = input->split_ps;
    uint64_t lane_ps[TORUS_PORTS] = {0};
    uint32_t order = 0;
    uint64_t end_ps;

    for (uint32_t child = index + 1; child < end;
         child += tree_nodes(branch_at(times, child)), ++order) {
        software_ps += input->queue_ps;
        serve(times, child, order, lane_ps,
              received_ps + (software_ps << slow));
    }
    software_ps += input->kernel_start_ps + (index == 0 ? 0 : input->begin_ps);
    end_ps = received_ps + (software_ps << slow) +
             time_of(times, input->compute_ps << slow, index, index + 1);
    times->end_ps = end_ps > times->end_ps ? end_ps : times->end_ps;
}

int tree_plan_equal(uint8_t *tree, const struct tree_input *input,
                    uint64_t received_ps[], uint64_t *makespan_ps)
{
    uint32_t nodes = tree_nodes(tree);
    struct times times = {.input = input,
                          .tree = tree,
                          .nodes = nodes,
                          .share = input->load_units / nodes,
                          .more = input->load_units % nodes,
                          .received_ps = received_ps};

    received_ps[0] = 0;
    for (uint32_t i = 0; i < nodes; ++i) {
        pass(&times, i);
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        uint8_t *branch = tree + TREE_BRANCH_BYTES * i;

        tree_store_range(branch, first_of(&times, i),
                         first_of(&times, i + tree_nodes(branch)));
    }
    *makespan_ps = times.end_ps;
    return times.end_ps < TOO_LONG_PS ? ERR_OK : ERR_RANGE;
}

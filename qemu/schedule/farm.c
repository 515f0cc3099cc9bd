/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/tree.h"

#include "qemu/base/memory.h"
#include "scatter/plan/tree.h"

#include <stdlib.h>

bool schedule_farm(struct schedule_circuit circuits[], struct torus_size size)
{
    return schedule_scatter(circuits, size) || schedule_nearest(circuits, size);
}

/* ---- two levels ---- */

/* A farm of two levels, while servers are chosen. Arrays have the indices of
   tree[]. */
struct levels {
    const struct schedule_branch *tree;
    struct torus_size size;
    const struct schedule_holes *holes; /* or NULL */
    uint32_t nodes;
    uint32_t *parent;
    uint32_t *server; /* node that serves each node; 0: the originator */
    uint32_t *served; /* number of nodes that each node serves */
};

static void find_parents(struct levels *levels)
{
    for (uint32_t i = 0; i < levels->nodes; ++i) {
        uint32_t end = i + levels->tree[i].nodes;

        for (uint32_t child = i + 1; child < end;
             child = schedule_tree_next(levels->tree, child)) {
            levels->parent[child] = i;
        }
    }
}

static struct torus_path path_from(const struct levels *levels, uint32_t server,
                                   uint32_t node,
                                   const uint32_t queued[TORUS_PORTS])
{
    return schedule_shorter_queue(levels->size, levels->tree[server].at,
                                  levels->tree[node].at, queued, levels->holes);
}

/* Gives each node a server. Nodes of phases up to `last`, and children of the
   originator, are served by the originator. Returns how many clients the server
   with most of them has. */
static uint32_t divide(struct levels *levels, unsigned last)
{
    static const uint32_t queued[TORUS_PORTS];
    uint32_t most = 0;

    for (uint32_t i = 0; i < levels->nodes; ++i) {
        levels->served[i] = 0;
    }
    for (uint32_t i = 1; i < levels->nodes; ++i) {
        uint32_t parent = levels->parent[i];
        uint32_t server = 0;

        if (parent != 0 && levels->tree[i].phase > last) {
            server = levels->server[parent];
            server = server != 0 ? server : parent;
            server = path_from(levels, server, i, queued).hops > 0 ? server : 0;
        }
        levels->server[i] = server;
        levels->served[server] += 1;
        most = most > levels->served[server] ? most : levels->served[server];
    }
    return most;
}

/* Stores each node's server and the path from it. The path begins at that port
   of the server which has the fewest clients so far; queued[server] has these
   numbers. */
static void store_servers(uint8_t *stored, const struct levels *levels,
                          uint32_t (*queued)[TORUS_PORTS])
{
    for (uint32_t i = 1; i < levels->nodes; ++i) {
        uint32_t server = levels->server[i];
        struct torus_path path = path_from(levels, server, i, queued[server]);
        uint32_t direct = tree_direct_pack(path);

        queued[server][path.port] += 1 + levels->served[i];
        if (server != 0) {
            direct |= TREE_IN_GROUP;
        }
        bytes_store_u32(stored + TREE_BRANCH_BYTES * i, direct);
    }
}

/* Chooses the division in which the server with most clients has as few as
   possible. */
static void divide_best(struct levels *levels)
{
    unsigned phases = 0;
    unsigned best = UINT16_MAX; /* a farm of one level */
    uint32_t least = divide(levels, best);

    for (uint32_t i = 1; i < levels->nodes; ++i) {
        unsigned phase = levels->tree[i].phase;

        phases = phase > phases ? phase : phases;
    }
    for (unsigned last = 1; last < phases; ++last) {
        uint32_t most = divide(levels, last);

        if (most < least) {
            least = most;
            best = last;
        }
    }
    (void)divide(levels, best);
}

void schedule_farm_masters(uint8_t *stored, const struct schedule_branch tree[],
                           struct torus_size size,
                           const struct schedule_holes *holes)
{
    uint32_t nodes = tree[0].nodes;
    uint32_t *memory =
        memory_or_exit(calloc(3 * (size_t)nodes, sizeof *memory));
    uint32_t(*queued)[TORUS_PORTS] =
        memory_or_exit(calloc(nodes, sizeof *queued));
    struct levels levels = {.tree = tree,
                            .size = size,
                            .holes = holes,
                            .nodes = nodes,
                            .parent = memory,
                            .server = memory + nodes,
                            .served = memory + 2 * (size_t)nodes};

    find_parents(&levels);
    divide_best(&levels);
    store_servers(stored, &levels, queued);
    free(memory);
    free(queued);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/tree.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* Arrays of schedule_tree_order() with an entry for each node, in one
   allocation. */
struct order {
    const struct schedule_circuit *circuits;
    uint32_t nodes;
    uint32_t reached; /* number of nodes in the tree, with the originator */
    uint32_t *sorted; /* nodes by phase, then by port; first the originator */
    uint32_t *count;  /* number of nodes in the subtree of each node */
    uint32_t *child;  /* first child of each node */
    uint32_t *sibling;
    uint32_t *place; /* index of each node in the tree */
};

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static void sort_phases(struct order *order)
{
    uint64_t *key = memory_or_exit(malloc(order->nodes * sizeof *key));

    order->reached = 1;
    order->sorted[0] = 0;
    for (uint32_t i = 1; i < order->nodes; ++i) {
        const struct schedule_circuit *circuit = &order->circuits[i];

        if (circuit->phase > 0) {
            key[order->reached++] = (uint64_t)circuit->phase << 48 |
                                    (uint64_t)circuit->path.port << 32 | i;
        }
    }
    qsort(key + 1, order->reached - 1, sizeof *key, compare_keys);
    for (uint32_t i = 1; i < order->reached; ++i) {
        order->sorted[i] = (uint32_t)key[i];
    }
    free(key);
}

static void link_children(struct order *order)
{
    for (uint32_t i = 0; i < order->nodes; ++i) {
        order->count[i] = 1;
        order->child[i] = NONE;
    }
    for (uint32_t i = order->reached - 1; i > 0; --i) {
        uint32_t node = order->sorted[i];
        uint32_t parent = order->circuits[node].from;

        order->sibling[node] = order->child[parent];
        order->child[parent] = node;
        order->count[parent] += order->count[node];
    }
}

static void place_children(struct order *order)
{
    order->place[0] = 0;
    for (uint32_t i = 0; i < order->reached; ++i) {
        uint32_t node = order->sorted[i];
        uint32_t place = order->place[node] + 1;

        for (uint32_t child = order->child[node]; child != NONE;
             child = order->sibling[child]) {
            order->place[child] = place;
            place += order->count[child];
        }
    }
}

int schedule_tree_order(struct schedule_branch tree[], struct torus_size size,
                        struct torus_coord originator,
                        const struct schedule_circuit circuits[])
{
    uint32_t nodes = torus_nodes(size);
    uint32_t *memory = memory_or_exit(malloc(5 * nodes * sizeof *memory));
    struct order order = {.circuits = circuits, .nodes = nodes};
    int phases;

    order.sorted = memory;
    order.count = memory + nodes;
    order.child = memory + 2 * nodes;
    order.sibling = memory + 3 * nodes;
    order.place = memory + 4 * nodes;
    sort_phases(&order);
    link_children(&order);
    place_children(&order);
    tree[0] =
        (struct schedule_branch){originator, (uint16_t)order.reached, 0, {0}};
    for (uint32_t i = 1; i < order.reached; ++i) {
        uint32_t node = order.sorted[i];

        tree[order.place[node]] = (struct schedule_branch){
            torus_shift(size, originator, torus_coord_of(size, node)),
            (uint16_t)order.count[node], circuits[node].phase,
            circuits[node].path};
    }
    phases =
        order.reached > 1 ? circuits[order.sorted[order.reached - 1]].phase : 0;
    free(memory);
    return phases;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scatters as trees, for any torus: who sends to whom, in which phase, over
 * which path. A tree is an array in preorder: a node, then the subtrees of its
 * children, so that every subtree is a contiguous piece of it. Children are
 * listed by rising phase, within a phase by port: the order in which a node
 * sends to them, and in which a job carries them (scatter/plan/tree.h).
 *
 * Trees are made on the host only: these functions take memory with
 * memory_or_exit(), and give it back before they return. They keep no state.
 */
#ifndef QEMU_SCHEDULE_TREE_H
#define QEMU_SCHEDULE_TREE_H

#include "hal/nodiscard.h"
#include "torus/torus.h"

/* Nodes of the largest tree. */
#define SCHEDULE_NODES_MAX 15625u

/* The longest side of a torus that has one. */
#define SCHEDULE_SIDE_MAX 125u

struct schedule_branch {
    struct torus_coord at;
    uint16_t nodes;         /* of this subtree, itself included */
    uint16_t phase;         /* that activates it, from 1; 0: the root */
    struct torus_path path; /* from its parent; all 0 for the root */
};

/* The circuit that reaches a node. */
struct schedule_circuit {
    uint32_t from;  /* index of the sender */
    uint16_t phase; /* from 1; 0: nobody reaches it */
    struct torus_path path;
};

/* Ports that lead to another node. */
static inline uint32_t schedule_ports(struct torus_size size)
{
    return (size.width > 1 ? 2u : 0u) + (size.height > 1 ? 2u : 0u);
}

/* The child after child `index` of the same parent, or the parent's end. */
static inline uint32_t schedule_tree_next(const struct schedule_branch tree[],
                                          uint32_t index)
{
    return index + tree[index].nodes;
}

/*
 * The circuits as a tree. circuits[i] says how the node i (row-major) places
 * from the originator is reached; circuits[0] is not read. A node is reached
 * from one of an earlier phase, or is not in the tree. tree[width * height] is
 * the caller's; tree[0].nodes of it are filled in. Result: the last phase.
 * Cost: O(nodes + phases).
 */
NODISCARD int schedule_tree_order(struct schedule_branch tree[],
                                  struct torus_size size,
                                  struct torus_coord originator,
                                  const struct schedule_circuit circuits[]);

/*
 * The tree of the circuits that fill() sets, all 0 before; it returns false if
 * there are none for this torus. Result: the last phase; -1 if fill() fails, or
 * if the torus is empty or has more than SCHEDULE_NODES_MAX nodes.
 */
typedef bool schedule_fill(struct schedule_circuit circuits[],
                           struct torus_size size);
NODISCARD int schedule_tree_grow(struct schedule_branch tree[],
                                 struct torus_size size,
                                 struct torus_coord originator,
                                 schedule_fill *fill);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scatters as trees, for any torus: who sends to whom, in which phase, over
 * which path. A tree is an array in preorder: a node, then the subtrees of its
 * children, so that every subtree is a contiguous piece of it. Children are
 * listed by falling phase, within a phase by port: the order in which a node's
 * range is cut and in which results come back.
 */
#ifndef TORUS_TREE_H
#define TORUS_TREE_H

#include "torus/torus.h"

/* Nodes of the largest tree. */
#define TORUS_TREE_MAX 15625u
#define TORUS_TREE_PHASES_MAX 255u

struct torus_branch {
    struct torus_coord at;
    uint16_t nodes;         /* of this subtree, itself included */
    uint8_t phase;          /* that activates it, from 1; 0: the root */
    struct torus_path path; /* from its parent; all 0 for the root */
};

/* The child after child `index` of the same parent, or the parent's end. */
static inline uint32_t torus_tree_next(const struct torus_branch tree[],
                                       uint32_t index)
{
    return index + tree[index].nodes;
}

/*
 * The scatter of this project. On 5^k x 5^k it is that of torus/pattern.h; on
 * any other torus of 1x1 to 31x31 every phase's circuits are link-disjoint too.
 * tree[width * height] is the caller's. Result: the number of phases, or -1 if
 * there is no tree for this size. Allocates on the host; not for targets.
 */
int torus_tree_scatter(struct torus_branch tree[], struct torus_size size,
                       struct torus_coord originator);

#endif

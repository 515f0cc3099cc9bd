/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Circuits of a tree that share a link in different phases. Nodes of an uneven
 * tree do not run in step, so only causes keep such circuits apart: the one was
 * delivered to the other's sender or an ancestor of it, or left the same port
 * of one of them earlier. Pairs that nothing orders may meet.
 */
#ifndef QEMU_MODEL_TREE_PAIRS_H
#define QEMU_MODEL_TREE_PAIRS_H

#include "qemu/schedule/tree.h"

struct tree_pairs {
    uint32_t shared;    /* of different phases, with a common link */
    uint32_t unordered; /* of these, those that no cause orders */
};

/*
 * Counts the pairs of a tree. Cost: O(pairs * phases), and O(nodes * phases).
 */
void tree_pairs_count(struct tree_pairs *pairs,
                      const struct schedule_branch tree[],
                      struct torus_size size);

#endif

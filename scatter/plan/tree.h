/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree along which a load is scattered. It is an array of branches, one for
 * each node, in preorder: a node, then the subtrees of its children, first sent
 * first. A child is sent its piece of the array unchanged. A branch has 16
 * bytes, little-endian:
 *
 *    0  u32 units of the subtree       8  u16 nodes of the subtree
 *    4  u32 first unit of its range   10  u8  bits 0 to 3 port, 4 to 7 turn
 *   12  u16 hops up to the turn       11  u8  phase, from 1; 0: the root
 *   14  u16 hops after the turn
 *
 * Port, turn and hops are the path from the parent. A node's range begins with
 * its own share; the ranges of its children follow.
 *
 * The host sends the originator a tree in an *order*, the message with a job.
 * In an order the word `first unit` is a shift: the node computes a unit in
 * 2^shift times the time of a node that is not slow. The word `units` is the
 * path of the node's circuits if the job becomes a farm:
 *
 *    bits 0 to 3  port   4 to 6  turn   8 to 19  hops   20 to 31  hops after
 *         7  set if the node is in a group
 *
 * A master serves the nodes of its group: the master is their nearest ancestor
 * outside any group, and their paths begin at it. The originator serves all
 * other nodes, by paths from the root. The root's children are in no group.
 */
#ifndef SCATTER_PLAN_TREE_H
#define SCATTER_PLAN_TREE_H

#include "hal/bytes.h"
#include "torus/torus.h"

#include <stdbool.h>

#define TREE_BRANCH_BYTES 16u
#define TREE_NODES_MAX 15625u
#define TREE_PHASES_MAX 226u /* each phase has a kind of result message */
#define TREE_SLOW_SHIFT_MAX 3u

static inline uint32_t tree_units(const uint8_t *branch)
{
    return bytes_load_u32(branch);
}

static inline uint32_t tree_first_unit(const uint8_t *branch)
{
    return bytes_load_u32(branch + 4);
}

static inline uint32_t tree_nodes(const uint8_t *branch)
{
    return bytes_load_u16(branch + 8);
}

static inline unsigned tree_phase(const uint8_t *branch)
{
    return branch[11];
}

static inline struct torus_path tree_path(const uint8_t *branch)
{
    return (struct torus_path){branch[10] & 0xfu, branch[10] >> 4,
                               bytes_load_u16(branch + 12),
                               bytes_load_u16(branch + 14)};
}

/* Returns the word `units` of a branch in an order, from the farm's `path` to
   the node. The node is in no group. */
static inline uint32_t tree_direct_pack(struct torus_path path)
{
    return path.port | (uint32_t)path.turn << 4 | (uint32_t)path.hops << 8 |
           (uint32_t)path.hops_after << 20;
}

/* Returns the farm's path to the node of a branch in an order. */
static inline struct torus_path tree_direct(const uint8_t *branch)
{
    uint32_t packed = tree_units(branch);

    return (struct torus_path){
        (uint8_t)(packed & 0xfu), (uint8_t)(packed >> 4 & 0x7u),
        (uint16_t)(packed >> 8 & 0xfffu), (uint16_t)(packed >> 20)};
}

#define TREE_IN_GROUP 0x80u /* bit of `units` in an order */

/* Whether a master serves the node of a branch in an order. */
static inline bool tree_in_group(const uint8_t *branch)
{
    return (branch[0] & TREE_IN_GROUP) != 0;
}

/* Returns the shift in the branch of an order: the node computes a unit in
   2^shift times the time of a node that is not slow. */
static inline unsigned tree_slow_shift(const uint8_t *branch)
{
    uint32_t shift = tree_first_unit(branch);

    return shift < TREE_SLOW_SHIFT_MAX ? shift : TREE_SLOW_SHIFT_MAX;
}

/* Returns the branch after the subtree of `branch`. */
static inline const uint8_t *tree_next(const uint8_t *branch)
{
    return branch + TREE_BRANCH_BYTES * tree_nodes(branch);
}

/* Returns the next branch after `at` in the group of the master `root`. Returns
   tree_next(root) or a later branch if there is none. The tree need not be
   valid. */
static inline const uint8_t *tree_next_of_group(const uint8_t *root,
                                                const uint8_t *at)
{
    const uint8_t *end = tree_next(root);

    at += TREE_BRANCH_BYTES;
    while (at < end && !tree_in_group(at)) {
        uint32_t nodes = tree_nodes(at);

        at += TREE_BRANCH_BYTES * (nodes > 0 ? nodes : 1u);
    }
    return at;
}

/* Whether the array of `bytes` bytes is a tree: subtrees lie inside the
   parent's, all paths are valid, phases are at most TREE_PHASES_MAX, rise from
   parent to child and never fall from child to child. */
bool tree_valid(const uint8_t *tree, uint32_t bytes, struct torus_size size);

/* Returns the latest phase of a tree; 0 for a tree of one node. */
unsigned tree_last_phase(const uint8_t *tree);

/* Removes all branches of phases after `last`. Overwrites the word `units` of
   all branches. */
void tree_cut(uint8_t *tree, unsigned last);

#endif

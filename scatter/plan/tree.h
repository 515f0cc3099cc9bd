/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scatter that is any tree: other sizes of torus, nodes of different speed,
 * fewer ports, other schedules. A tree is an array of branches in preorder, as
 * they travel: a node, then the subtrees of its children in the order of
 * sending, so that a child is sent its piece of the array as it is. 16 bytes
 * each, little-endian:
 *
 *    0  u32 units of the subtree       8  u16 nodes of the subtree
 *    4  u32 first unit of its range   10  u8  port, bits 4 to 7: turn
 *   12  u16 hops                      11  u8  phase, from 1; 0: the root
 *   14  u16 hops after the turn
 *
 * A node's range begins with its own share; the children's follow in the order
 * of the array. In an order `first unit` says how many times slower than the
 * reference the node computes, as a shift; tree_plan.h plans the units.
 *
 * A job along a tree may become a farm, so an order's `units` are a farm's. A
 * farm's job is announced along the tree, but circuits lead from the originator
 * to every node directly: `units` is the path from the root,
 *
 *    bits 0 to 3  port   4 to 6  turn   8 to 19  hops   20 to 31  hops after
 *         7  in a group
 *
 * A node in a group is served by a master, its nearest ancestor that is in
 * none, and the path leads from there. The originator serves all others; its
 * children in the tree are in no group.
 */
#ifndef SCATTER_PLAN_TREE_H
#define SCATTER_PLAN_TREE_H

#include "hal/bytes.h"
#include "torus/torus.h"

#include <stdbool.h>

#define TREE_BRANCH_BYTES 16u
#define TREE_NODES_MAX 15625u
#define TREE_PHASES_MAX 228u /* each has a kind of message */
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

/* Packs a farm's path from the root; the root's has 0 hops. */
static inline uint32_t tree_direct_pack(struct torus_path path)
{
    return path.port | (uint32_t)path.turn << 4 | (uint32_t)path.hops << 8 |
           (uint32_t)path.hops_after << 20;
}

static inline struct torus_path tree_direct(const uint8_t *branch)
{
    uint32_t packed = tree_units(branch);

    return (struct torus_path){
        (uint8_t)(packed & 0xfu), (uint8_t)(packed >> 4 & 0x7u),
        (uint16_t)(packed >> 8 & 0xfffu), (uint16_t)(packed >> 20)};
}

/* Whether a farm's master serves the node, not the originator. */
#define TREE_IN_GROUP 0x80u
static inline bool tree_in_group(const uint8_t *branch)
{
    return (branch[0] & TREE_IN_GROUP) != 0;
}

/* How many times slower than the reference the node of a branch that has no
   units yet computes, as a shift. */
static inline unsigned tree_slow_shift(const uint8_t *branch)
{
    uint32_t shift = tree_first_unit(branch);

    return shift < TREE_SLOW_SHIFT_MAX ? shift : TREE_SLOW_SHIFT_MAX;
}

/* The next child of the same parent, or the parent's end. */
static inline const uint8_t *tree_next(const uint8_t *branch)
{
    return branch + TREE_BRANCH_BYTES * tree_nodes(branch);
}

/* The next branch behind `at` whose node the root serves as a farm's master;
   tree_next() of the root, or one behind it, if there is none. The tree need
   not be valid: each step leads to a later branch. */
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

/* Whether `bytes` hold one whole tree: every subtree inside its parent's, paths
   that torus_path_valid() accepts, phases that rise from parent to child and
   never fall from child to child, up to TREE_PHASES_MAX. */
bool tree_valid(const uint8_t *tree, uint32_t bytes, struct torus_size size);

/* The latest phase of a tree; 0 if it is one node. */
unsigned tree_last_phase(const uint8_t *tree);

/* Drops every branch of a phase after `last`, with its descendants, whose
   phases are later still. Units of all branches are lost. */
void tree_cut(uint8_t *tree, unsigned last);

#endif

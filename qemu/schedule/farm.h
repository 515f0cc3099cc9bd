/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A farm: jobs are announced along the scatter's tree, or where there is none
 * along that of the nearest nodes; chunks go over a star's circuits.
 *
 * With two levels some nodes are masters, which serve those behind them in that
 * tree. Up to which phase nodes are masters is chosen so that the largest
 * number of workers that any node serves is the least: on 25x25 the originator
 * serves 24 masters with 24 workers each, and of the nodes around itself four
 * masters with four workers each, and four workers.
 */
#ifndef QEMU_SCHEDULE_FARM_H
#define QEMU_SCHEDULE_FARM_H

#include "qemu/schedule/tree.h"

/* The tree of the announcement. Result: as schedule_tree_grow(). */
NODISCARD int schedule_farm(struct schedule_branch tree[],
                            struct torus_size size,
                            struct torus_coord originator);

/* Writes the star's path to each node into its stored branch
   (scatter/plan/tree.h), where tree[i] is branch i. */
void schedule_farm_direct(uint8_t *stored, const struct schedule_branch tree[],
                          struct torus_size size,
                          struct torus_coord originator);

/* Writes into each stored branch who serves its node, and over which path, in a
   farm of two levels; of one, where the tree has no masters. */
void schedule_farm_masters(uint8_t *stored, const struct schedule_branch tree[],
                           struct torus_size size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A farm: jobs are announced along the scatter's tree, or where there is none
   along that of the nearest nodes; chunks go over a star's circuits. */
#ifndef QEMU_SCHEDULE_FARM_H
#define QEMU_SCHEDULE_FARM_H

#include "qemu/schedule/tree.h"

/* The tree of the announcement. Result: as schedule_tree_grow(). */
NODISCARD int schedule_farm(struct schedule_branch tree[],
                            struct torus_size size,
                            struct torus_coord originator);

/* Writes the star's path to each node into its stored branch
   (scatter/plan/tree.h), where tree[i] is branch i. Result: 0; -1 without
   memory. */
NODISCARD int schedule_farm_direct(uint8_t *stored,
                                   const struct schedule_branch tree[],
                                   struct torus_size size,
                                   struct torus_coord originator);

#endif

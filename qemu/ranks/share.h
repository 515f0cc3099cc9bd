/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes run on which rank: to each a block of neighbouring indices. */
#ifndef QEMU_RANKS_SHARE_H
#define QEMU_RANKS_SHARE_H

#include "torus/torus.h"

#include <stdint.h>

enum share_map {
    SHARE_CORES, /* in proportion to the ranks' cores */
    SHARE_EVEN,
    SHARE_ROWS /* whole rows, in proportion to the cores */
};

/*
 * Fills first[0 .. ranks]: rank r has nodes first[r] to first[r + 1] - 1, none
 * if there are more ranks than nodes, or rows; rank 0 has at least one. `cores`
 * are those of each rank, 1 or more.
 */
void share_out(uint32_t first[], struct torus_size size, unsigned ranks,
               const uint32_t cores[], enum share_map map);

/* The rank of a node, which is below first[ranks]. Cost: O(rank). */
unsigned share_rank_of(const uint32_t first[], uint32_t node);

#endif

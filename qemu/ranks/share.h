/* SPDX-License-Identifier: Apache-2.0 */
/* Gives each rank a block of consecutive node indices. */
#ifndef QEMU_RANKS_SHARE_H
#define QEMU_RANKS_SHARE_H

#include "torus/torus.h"

#include <stdint.h>

enum share_map {
    SHARE_CORES, /* nodes in proportion to the ranks' numbers of cores */
    SHARE_EVEN,
    SHARE_ROWS /* whole rows of nodes, in proportion to the cores */
};

/* Sets first[0 .. ranks]: rank r has nodes first[r] to first[r + 1] - 1. Rank 0
   has at least one node; other ranks may have none. cores[r], 1 or more, is
   rank r's number of cores. */
void share_out(uint32_t first[], struct torus_size size, unsigned ranks,
               const uint32_t cores[], enum share_map map);

/* Returns the rank that has a node; `node` is below first[ranks]. Time:
   O(rank). */
unsigned share_rank_of(const uint32_t first[], uint32_t node);

#endif

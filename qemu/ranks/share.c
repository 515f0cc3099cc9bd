/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/share.h"

#include <string.h>

void share_out(uint32_t first[], struct torus_size size, unsigned ranks,
               const uint32_t cores[], enum share_map map)
{
    uint32_t things = map == SHARE_ROWS ? size.height : torus_nodes(size);
    uint32_t each = map == SHARE_ROWS ? size.width : 1;
    uint64_t all = 0;
    uint64_t before = 0;

    for (unsigned rank = 0; rank < ranks; ++rank) {
        all += map == SHARE_EVEN ? 1 : cores[rank];
    }
    for (unsigned rank = 0; rank <= ranks; ++rank) {
        /* By rounding up, rank 0 gets at least one node, or row of nodes. */
        first[rank] = each * (uint32_t)((things * before + all - 1) / all);
        if (rank < ranks) {
            before += map == SHARE_EVEN ? 1 : cores[rank];
        }
    }
}

unsigned share_rank_of(const uint32_t first[], uint32_t node)
{
    unsigned rank = 0;

    while (first[rank + 1] <= node) {
        rank += 1;
    }
    return rank;
}

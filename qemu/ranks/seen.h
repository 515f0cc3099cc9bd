/* SPDX-License-Identifier: Apache-2.0 */
/* What one of several ranks did in a run: for the report. */
#ifndef QEMU_RANKS_SEEN_H
#define QEMU_RANKS_SEEN_H

#include <stdint.h>

#define RANK_HOST_BYTES 64u

struct rank_seen {
    char host[RANK_HOST_BYTES];
    uint32_t cores;
    uint32_t nodes;
    double boot_s; /* until its last node was up */
    double run_s;
    uint64_t doorbells;
    uint64_t up_bytes;      /* to rank 0, and .. */
    uint64_t down_bytes;    /* .. from it, since the nodes were started */
    uint64_t between_bytes; /* of payloads, to other ranks */
};

#endif

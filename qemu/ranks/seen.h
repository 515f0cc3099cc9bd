/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of one rank in a run, for the report. */
#ifndef QEMU_RANKS_SEEN_H
#define QEMU_RANKS_SEEN_H

#include <stdint.h>

#define RANK_HOST_BYTES 64u

struct rank_seen {
    char host[RANK_HOST_BYTES];
    uint32_t cores;
    uint32_t nodes;
    double boot_s; /* time until the rank's last node was up, s */
    double run_s;
    uint64_t doorbells;
    uint64_t up_bytes;      /* to rank 0 */
    uint64_t down_bytes;    /* from rank 0 */
    uint64_t between_bytes; /* bytes of payloads sent to other ranks */
};

#endif

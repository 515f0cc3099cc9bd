/* SPDX-License-Identifier: Apache-2.0 */
/* Who is there: the hosts of all ranks, and what they have. */
#ifndef QEMU_RANKS_ROLL_H
#define QEMU_RANKS_ROLL_H

#include "hal/nodiscard.h"
#include "qemu/ranks/record.h"
#include "qemu/ranks/share.h"

#include <stdbool.h>
#include <stdint.h>

/* A worker tells rank 0 who it is. */
void roll_answer(void);

/* Rank 0 waits for all to have told, once. Result: 0; -1 after a message: one
   is silent, or of another version. */
NODISCARD int roll_call(void);

/* After that: what a rank has told; rank 0 as well. */
const struct record_hello *roll_of(unsigned rank);

/* Likewise: the nodes of each rank, as share_out() fills first[0 .. ranks], by
   the cores that ranks have told. */
void roll_share(uint32_t first[], struct torus_size size, enum share_map map);

/* A host that ranks are on. */
struct host {
    const char *name; /* valid until the process ends */
    unsigned ranks;
    uint32_t nodes;
    uint64_t left_bytes; /* UINT64_MAX: nobody knows */
    bool first;          /* rank 0 is among its ranks */
};

/* The hosts of all ranks, and how many nodes each would have. Result: an array,
   of *count, the caller's to free; NULL after a message. */
NODISCARD struct host *hosts_find(unsigned *count, struct torus_size size,
                                  enum share_map map);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The roll: hosts, cores and memory of all ranks. */
#ifndef QEMU_RANKS_ROLL_H
#define QEMU_RANKS_ROLL_H

#include "hal/nodiscard.h"
#include "qemu/ranks/record.h"
#include "qemu/ranks/share.h"

#include <stdbool.h>
#include <stdint.h>

void roll_answer(void);

/* In rank 0, the first call waits for the host data of all ranks. Returns 0, or
   -1 after a message if a rank is silent or of another version. */
NODISCARD int roll_call(void);

/* Returns the host data of a rank, rank 0 included. Call roll_call() first. */
const struct record_hello *roll_of(unsigned rank);

/* Fills first[0 .. ranks] as share_out() does, with the ranks' numbers of
   cores. Call roll_call() first. */
void roll_share(uint32_t first[], struct torus_size size, enum share_map map);

struct host {
    const char *name; /* valid until the process ends */
    unsigned ranks;
    uint32_t nodes;
    uint64_t left_bytes; /* free memory, bytes; UINT64_MAX: unknown */
    bool first;
};

/* Returns an array of *count hosts with ranks, and how many nodes each would
   get. The caller frees it. Returns NULL after a message. */
NODISCARD struct host *hosts_find(unsigned *count, struct torus_size size,
                                  enum share_map map);

#endif

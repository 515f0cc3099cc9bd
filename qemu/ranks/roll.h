/* SPDX-License-Identifier: Apache-2.0 */
/* The roll: what rank 0 knows of all ranks' hosts, cores and memory. */
#ifndef QEMU_RANKS_ROLL_H
#define QEMU_RANKS_ROLL_H

#include "hal/nodiscard.h"
#include "qemu/ranks/record.h"
#include "qemu/ranks/share.h"

#include <stdbool.h>
#include <stdint.h>

void roll_answer(void);

/* Waits, in rank 0 and at the first call, until all ranks have told of their
   hosts. Returns 0, or -1 after a message if a rank does not answer or is of
   another version. */
NODISCARD int roll_call(void);

/* Returns what a rank, or rank 0 itself, has told of its host. roll_call() must
   be called before. */
const struct record_hello *roll_of(unsigned rank);

/* Sets first[0 .. ranks] as share_out() does, by the ranks' numbers of cores.
   roll_call() must be called before. */
void roll_share(uint32_t first[], struct torus_size size, enum share_map map);

struct host {
    const char *name; /* valid until the process ends */
    unsigned ranks;
    uint32_t nodes;
    uint64_t left_bytes; /* free memory, bytes; UINT64_MAX: unknown */
    bool first;
};

/* Returns an array of *count hosts that have ranks, with the number of nodes
   that each would get. The caller frees it. Returns NULL after a message. */
NODISCARD struct host *hosts_find(unsigned *count, struct torus_size size,
                                  enum share_map map);

#endif

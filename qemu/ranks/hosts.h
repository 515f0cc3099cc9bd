/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts that the ranks are on: how many nodes each would have, and the
   memory that it has left. */
#ifndef QEMU_RANKS_HOSTS_H
#define QEMU_RANKS_HOSTS_H

#include "hal/nodiscard.h"
#include "qemu/ranks/share.h"

#include <stdbool.h>
#include <stdint.h>

struct host {
    const char *name; /* valid until the process ends */
    unsigned ranks;
    uint32_t nodes;
    uint64_t left_bytes; /* UINT64_MAX: nobody knows */
    bool first;          /* rank 0 is among its ranks */
};

/* Result: an array, of *count, the caller's to free; NULL after a message. */
NODISCARD struct host *hosts_find(unsigned *count, struct torus_size size,
                                  enum share_map map);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A backend (qemu/fabric/backend.h) on rank 0, for a mesh whose nodes run on
   all MPI ranks. Rank 0 holds copies of all nodes' windows, with the parts that
   the fabric reads (qemu/ranks/patch.h). The bytes of messages go from rank to
   rank. Rank 0 sends records to its own nodes (qemu/ranks/local.h) as to those
   of other ranks. */
#ifndef QEMU_RANKS_LEADER_H
#define QEMU_RANKS_LEADER_H

#include "hal/nodiscard.h"
#include "qemu/fabric/backend.h"
#include "qemu/ranks/seen.h"
#include "qemu/ranks/share.h"

#include <stdbool.h>

struct leader_config {
    struct torus_size size;
    uint32_t identity;
    enum share_map map;
    bool in_process;
    struct boards_config boards; /* unused if `in_process` is true */
};

/* Starts each rank's share of the nodes. Returns 0, or -1 after a message on
   stderr. */
NODISCARD int leader_start(struct backend *backend,
                           const struct leader_config *config);

/* Sets rank[r] to the statistics of rank r, for all ranks_count() ranks.
   `context` is that of a backend made by leader_start(). */
void leader_look(void *context, struct rank_seen rank[]);

#endif

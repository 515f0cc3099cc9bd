/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mesh whose nodes run on all ranks, as rank 0 sees it: one more backend. It
 * has copies of all windows, in which is what the fabric reads
 * (qemu/ranks/patch.h). Payload goes from rank to rank. To its own nodes, which
 * it starts itself (qemu/ranks/local.h), rank 0 speaks as to others'.
 */
#ifndef QEMU_RANKS_LEADER_H
#define QEMU_RANKS_LEADER_H

#include "hal/nodiscard.h"
#include "qemu/fabric/backend.h"
#include "qemu/ranks/seen.h"
#include "qemu/ranks/share.h"

#include <stdbool.h>

/* What a mesh on several ranks is started with. */
struct leader_config {
    struct torus_size size;
    uint32_t identity; /* of the mesh */
    enum share_map map;
    bool in_process;
    struct boards_config boards; /* unless in_process */
};

/* Starts a share of the nodes on every rank. Result: 0; -1 with a message on
   stderr. */
NODISCARD int leader_start(struct backend *backend,
                           const struct leader_config *config);

/* What ranks did so far, of a backend that leader_start() has made: fills
   ranks_count() rows. */
void leader_look(void *context, struct rank_seen rank[]);

#endif

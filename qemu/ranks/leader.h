/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mesh whose nodes run on all ranks, as rank 0 sees it: one more backend. Its
 * own nodes it runs itself; of the others' windows it has copies, in which is
 * what the fabric reads (qemu/ranks/patch.h). Payload goes from rank to rank.
 */
#ifndef QEMU_RANKS_LEADER_H
#define QEMU_RANKS_LEADER_H

#include "hal/nodiscard.h"
#include "qemu/ranks/leader_config.h"
#include "qemu/ranks/seen.h"

/* Starts a share of the nodes on every rank. Result: 0; -1 with a message on
   stderr. */
NODISCARD int leader_start(struct backend *backend,
                           const struct leader_config *config);

/* What ranks did so far, of a backend that leader_start() has made: fills
   ranks_count() rows. */
void leader_look(void *context, struct rank_seen rank[]);

#endif

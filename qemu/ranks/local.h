/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of one rank, also of rank 0. This rank does what rank 0 orders, and
   reports to it what nodes do. Rank 0 orders which node sends what to whom, but
   the bytes travel separately. A node may have to pass on a message whose bytes
   have not come yet; it is then sent when they come. */
#ifndef QEMU_RANKS_LOCAL_H
#define QEMU_RANKS_LOCAL_H

#include "hal/nodiscard.h"
#include "qemu/fabric/backend.h"
#include "qemu/ranks/ranks.h"

#include <stdbool.h>

struct local;

struct local_config {
    const uint32_t *first; /* first node of each rank, from share_out() */
    uint32_t identity;
    bool in_process;
    struct boards_config boards; /* local_new() sets its `nodes` and `first` */
    uint8_t *copies; /* on rank 0: copies of its nodes' windows; else NULL */
};

/* Starts this rank's nodes, at least one. The data to which the configuration
   points must outlive the result. Returns NULL after a message on stderr. The
   caller frees it by local_free(). */
struct local *local_new(const struct local_config *config);

void local_free(struct local *local);

/* Carries out an order of rank 0 (a record START to EXPLAIN of record.h), or
   takes a PAYLOAD. Returns false if the record is invalid; stderr may say
   why. */
NODISCARD bool local_obey(struct local *local,
                          const struct ranks_record *record);

/* Waits until a doorbell rings, at most `ns` nanoseconds. After BACKEND_RANG
   and BACKEND_DIED, records for rank 0 are queued. BACKEND_TIMEOUT is also
   returned if no node runs, since a message from another rank may wake one. */
enum backend_event local_listen(struct local *local, uint64_t ns);

#endif

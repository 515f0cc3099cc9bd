/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of one rank, also of rank 0: carries out orders of rank 0, and
   reports events of nodes to it. Rank 0 orders which node sends what to whom,
   but the bytes travel separately. A node may be told to forward a message
   whose bytes have not come; the send then waits for them. */
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
    struct boards_config boards; /* local_new() sets `nodes` and `first` */
    uint8_t *copies;             /* rank 0: copies of its windows; else NULL */
};

/* Starts this rank's nodes, at least one. The data that the configuration
   points to must outlive the result. Free it with local_free(). Returns NULL
   after a message on stderr. */
struct local *local_new(const struct local_config *config);

void local_free(struct local *local);

/* Carries out an order (records START to EXPLAIN of record.h) or takes a
   PAYLOAD. Returns false if the record is invalid; stderr may say why. */
NODISCARD bool local_obey(struct local *local,
                          const struct ranks_record *record);

/* Waits for a doorbell, at most `ns` nanoseconds. After BACKEND_RANG and
   BACKEND_DIED records to rank 0 are queued. Returns BACKEND_TIMEOUT also if no
   node runs: a message from another rank may wake one. */
enum backend_event local_listen(struct local *local, uint64_t ns);

#endif

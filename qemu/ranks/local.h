/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of one rank, rank 0's too: carries out what rank 0 orders, and
 * tells it what they do. Rank 0 says which node sends what to whom, and bytes
 * travel apart from that: so a node may be told to send a message on whose
 * bytes are not there yet. Then the sending waits for them.
 */
#ifndef QEMU_RANKS_LOCAL_H
#define QEMU_RANKS_LOCAL_H

#include "hal/nodiscard.h"
#include "qemu/fabric/backend.h"
#include "qemu/ranks/ranks.h"

#include <stdbool.h>

struct local;

struct local_config {
    const uint32_t *first; /* of all ranks, as share_out() fills it */
    uint32_t identity;     /* of the mesh */
    bool in_process;
    struct boards_config boards; /* unless in_process; but for node numbers */
    uint8_t *copies;             /* of rank 0, of its own windows; else NULL */
};

/* Starts this rank's nodes, of which there is one at least. What the
   configuration points to outlives the result, which local_free() frees; NULL:
   after a message on stderr. */
struct local *local_new(const struct local_config *config);

/* Ends the nodes. */
void local_free(struct local *local);

/* Carries out an order, or takes a payload: the records of record.h from START
   to EXPLAIN, and PAYLOAD. Result: false: it makes no sense, of which the
   reason may have been said on stderr. */
NODISCARD bool local_obey(struct local *local,
                          const struct ranks_record *record);

/* Waits for a doorbell, at most `ns` nanoseconds. After BACKEND_RANG and
   BACKEND_DIED rank 0 is told with the next records. BACKEND_TIMEOUT also if no
   node runs here: others may send it something. */
enum backend_event local_listen(struct local *local, uint64_t ns);

#endif

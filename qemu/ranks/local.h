/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes of one rank, rank 0's too: what comes for them and what they send
 * to other ranks. Rank 0 says which node sends what to whom, and bytes travel
 * apart from that: so a node may be told to send a message on whose bytes are
 * not there yet. Then the sending waits for them.
 */
#ifndef QEMU_RANKS_LOCAL_H
#define QEMU_RANKS_LOCAL_H

#include "hal/nodiscard.h"
#include "qemu/fabric/backend.h"
#include "qemu/ranks/record.h"

#include <stdbool.h>
#include <stddef.h>

struct local;
struct ranks_record;

struct local_config {
    const struct backend *backend; /* its nodes are 0 to count - 1 */
    const uint32_t *first;         /* of all ranks, as share_out() fills it */
    unsigned ranks;
    unsigned own;
    uint32_t identity; /* of the mesh */
    double start_s;    /* host time when the share began to be opened */
    bool copies;       /* there are copies of windows: local_copy() */
};

/* All of the configuration outlives the result, which local_free() frees;
   NULL: no memory, said on stderr. Nodes are named by their numbers in the
   whole mesh. */
struct local *local_new(const struct local_config *config);
void local_free(struct local *local);

bool local_has(const struct local *local, uint32_t node);
struct window *local_window(const struct local *local, uint32_t node);

/* What rank 0 has of the node's window: qemu/ranks/patch.h. */
struct window *local_copy(const struct local *local, uint32_t node);

/*
 * The following return whether what they are asked makes sense; if not, the
 * reason was said on stderr.
 */

/* A payload will come for a node that waits, and local_ring() waits for it. */
NODISCARD bool local_expect(struct local *local, uint32_t node,
                            const struct record_answer *answer);

/* The node is rung, now or when its payload has come. */
NODISCARD bool local_ring(struct local *local, uint32_t node);

/* A node's message goes out, now or when what it is a part of has come. */
NODISCARD bool local_send(struct local *local, uint32_t node,
                          const struct record_send *send);

/* A payload has come. */
NODISCARD bool local_payload(struct local *local, uint32_t node,
                             uint32_t number, const uint8_t *data,
                             size_t bytes);

/* The same from another rank, as its record; false also if that is none. */
NODISCARD bool local_take_payload(struct local *local,
                                  const struct ranks_record *record);

/* A node has rung: it is up. */
void local_note_up(struct local *local, uint32_t node);
bool local_is_up(const struct local *local, uint32_t node);

/* What this rank has seen of the mesh so far. */
struct record_looked local_looked(const struct local *local);

#endif

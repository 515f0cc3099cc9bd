/* SPDX-License-Identifier: Apache-2.0 */
/* The return of results: a node merges its children's results into its own, and
   sends the whole to its parent in a time slot of its phase (core.h). */
#ifndef SCATTER_ENGINE_GATHER_H
#define SCATTER_ENGINE_GATHER_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/lost.h"
#include "scatter/engine/merge.h"

/*
 * The buffer for a message with outputs. Its header and head overwrite bytes of
 * earlier outputs; `kept` saves these bytes:
 *
 *   earlier outputs .....| kept  |
 *                        | ahead | outputs of this message ..
 *                        ^ at
 */
struct gather_place {
    uint8_t *at;             /* where the message is received */
    uint32_t capacity_bytes; /* length of the buffer that begins at `at` */
    uint32_t ahead_bytes;    /* bytes of the message before its outputs */
    uint8_t kept[CIRCUIT_HEADER_BYTES + WIRE_RESULT_BYTES +
                 KERNEL_RESULT_BESIDE_OUTPUT_MAX];
};

/* Sets *place for a message with a head of `head_bytes` bytes, and saves what
   it will overwrite. Result: 0; ERR_TERMS (too long for `kept`); ERR_MEMORY. */
NODISCARD int scatter_begin_append(struct scatter *scatter,
                                   struct gather_place *place,
                                   uint32_t head_bytes);

/* Restores the saved bytes. `bytes`: length of the outputs received.
   Precondition: the message's head has been read. */
void scatter_end_append(struct scatter *scatter,
                        const struct gather_place *place, uint32_t bytes);

/* Returns the segment of this node's own outputs that are not sent yet. */
struct circuit_segment scatter_own_outputs(const struct scatter *scatter);

/* Sets path and kind of result_message. Precondition: path_from_parent and
   layer are set. */
void scatter_prepare_return(struct scatter *scatter);

/* Reads this node's slots from the stored job, and sets has_slots. */
void scatter_read_slots(struct scatter *scatter);

/* Sets the node's state, and where the children's outputs will begin. */
void scatter_begin_outputs(struct scatter *scatter);

/* Calls scatter_begin_outputs(), and reads the slots if they are not read yet.
   Precedes the first scatter_gather_children(). */
void scatter_begin_gather(struct scatter *scatter);

/* The next three functions receive messages of children. Result: 0;
   ERR_TERMS, ERR_LENGTH or ERR_PLACE for an invalid message; an error of
   circuit_receive(). */

/* Receives and merges one result from each port of the mask `ports`, but from
   those whose child is lost. */
NODISCARD int scatter_gather_children(struct scatter *scatter,
                                      const struct gather_from *from,
                                      unsigned ports);

/* Receives and merges a result until mesh time until_ps, whatever port it
   arrives on, and sets *number to the sender's. Result also: ERR_TIMEOUT. */
NODISCARD int scatter_gather_any(struct scatter *scatter, unsigned phase,
                                 uint32_t *number, uint64_t until_ps);

/* Receives from each port the outputs message number `round` (meanwhile.h). */
NODISCARD int scatter_gather_outputs(struct scatter *scatter,
                                     const struct gather_from *from,
                                     uint32_t round);

/* Queues this node's result and unsent outputs for its parent. Result: 0 or the
   error of circuit_send(). */
NODISCARD int scatter_return_result(struct scatter *scatter);

/* Sets the segments of `message` for `port`: the head to the result with its
   length, `shared` to own outputs, the body to outputs of the children. */
void scatter_attach_output(struct scatter *scatter,
                           struct circuit_message *message, unsigned port);

#endif

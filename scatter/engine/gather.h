/* SPDX-License-Identifier: Apache-2.0 */
/* Results on their way back: a node receives and merges its children's, and
   returns its own to its parent in a slot of its phase. */
#ifndef SCATTER_ENGINE_GATHER_H
#define SCATTER_ENGINE_GATHER_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Merges a result into this node's. Result: 0; ERR_TERMS if it is longer than
   the kernel's terms say, or the kernel refuses it. */
NODISCARD int scatter_merge(struct scatter *scatter,
                            const struct kernel_result *next);

/*
 * Where a message is received, so that the output in it comes to lie right
 * behind those of the children before it. The header and the head, which come
 * first in the message, overwrite the last bytes there; these are saved and put
 * back:
 *
 *   outputs so far ......|saved|
 *                        |head |this child's output ..
 *                        ^ at
 */
struct gather_place {
    uint8_t *at;
    uint32_t capacity_bytes;
    uint32_t ahead_bytes; /* header and head */
    uint8_t kept[CIRCUIT_HEADER_BYTES + 4 + KERNEL_RESULT_BESIDE_OUTPUT_MAX];
};

/* Before a message with so long a head is received at place->at. Result: 0;
   ERR_TERMS if the head is longer than that of any result with an output. */
NODISCARD int scatter_begin_append(struct scatter *scatter,
                                   struct gather_place *place,
                                   uint32_t head_bytes);

/* After that: so many bytes of output follow its head. */
void scatter_end_append(struct scatter *scatter,
                        const struct gather_place *place, uint32_t bytes);

/* This node's own outputs that have not left yet. */
struct circuit_segment scatter_own_outputs(const struct scatter *scatter);

/* Prepares the message to the parent as soon as path and layer are known. */
void scatter_prepare_return(struct scatter *scatter);

/* Reads from the job when this node's result may travel. Where nothing waits
   for the node, the sooner the better: a result leaves the earlier for it. */
void scatter_read_slots(struct scatter *scatter);

/* Sets the node's state, and where its children's outputs begin. */
void scatter_begin_outputs(struct scatter *scatter);

/* Sets the node's state, its slots if that has not been done, and where its
   children's outputs begin; comes before the first scatter_gather_children().
 */
void scatter_begin_gather(struct scatter *scatter);

/* Receives and merges the results of the children to which this node sent in
   this phase out of the ports of the mask, as they come: while it waits for the
   last, it has merged the others. Result: 0 or the error. */
NODISCARD int scatter_gather_children(struct scatter *scatter, unsigned phase,
                                      unsigned ports);

/* Receives and merges so many results that return over this phase's circuits,
   from whichever ports they come. Result: 0 or the error. */
NODISCARD int scatter_gather_any(struct scatter *scatter, unsigned phase,
                                 uint32_t count);

/* Receives the outputs that the four children of this phase sent in a round
   (WIRE_OUTPUTS_OF(), scatter/wire/wire.h). Result: 0 or the error. */
NODISCARD int scatter_gather_outputs(struct scatter *scatter, unsigned phase,
                                     uint32_t round);

/* Queues this node's result, with its children's, for its parent. Result: 0 or
   the error. */
NODISCARD int scatter_return_result(struct scatter *scatter);

/* Sets the three segments of a message: the result with its length, this
   node's own output, and its children's. */
void scatter_attach_output(struct scatter *scatter,
                           struct circuit_message *message, unsigned port);

#endif

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
 * A place where a message is received so that the output in it comes to lie
 * right behind the children's outputs so far. Header and head of the message
 * overwrite the last bytes of these, which are kept aside meanwhile:
 *
 *   outputs so far ......| kept  |
 *                        | ahead | this child's output ..
 *                        ^ at
 */
struct gather_place {
    uint8_t *at;
    uint32_t capacity_bytes;
    uint32_t ahead_bytes; /* of header and head */
    uint8_t kept[CIRCUIT_HEADER_BYTES + 4 + KERNEL_RESULT_BESIDE_OUTPUT_MAX];
};

/* Prepares a place for a message with a head of so many bytes. Result: 0;
   ERR_TERMS if the head is longer than that of any result with an output;
   ERR_MEMORY if it does not fit the memory that is free. */
NODISCARD int scatter_begin_append(struct scatter *scatter,
                                   struct gather_place *place,
                                   uint32_t head_bytes);

/* Puts the kept bytes back when the message has been received, and its head
   read; so many bytes of output follow that. */
void scatter_end_append(struct scatter *scatter,
                        const struct gather_place *place, uint32_t bytes);

/* This node's own outputs that have not left yet. */
struct circuit_segment scatter_own_outputs(const struct scatter *scatter);

/* Prepares the message to the parent as soon as path and layer are known. */
void scatter_prepare_return(struct scatter *scatter);

/* Reads from the job when this node's result may travel. A result leaves the
   earlier if the node does so while it waits for something else. */
void scatter_read_slots(struct scatter *scatter);

/* Sets the node's state to NODE_STATE_GATHERING, and where its children's
   outputs begin. */
void scatter_begin_outputs(struct scatter *scatter);

/* Does so, and reads the slots if that has not been done. Comes before the
   first scatter_gather_children(). */
void scatter_begin_gather(struct scatter *scatter);

/* The three functions below receive messages over circuits of a phase, and
   handle each as it comes, while others are on their way. Result: 0; ERR_TERMS,
   ERR_LENGTH or ERR_PLACE for a message that this node cannot use; an error of
   circuit_receive(). */

/* Receives and merges one result from each port of the mask. */
NODISCARD int scatter_gather_children(struct scatter *scatter, unsigned phase,
                                      unsigned ports);

/* Receives and merges so many results from whichever ports they come. */
NODISCARD int scatter_gather_any(struct scatter *scatter, unsigned phase,
                                 uint32_t count);

/* Receives the four children's outputs of a round (WIRE_OUTPUTS_OF()). */
NODISCARD int scatter_gather_outputs(struct scatter *scatter, unsigned phase,
                                     uint32_t round);

/* Queues this node's result, with all outputs that have not left yet, for its
   parent. Result: 0 or the error of circuit_send(). */
NODISCARD int scatter_return_result(struct scatter *scatter);

/* Sets the three segments of a message: the result with its length, this
   node's own output, and its children's. */
void scatter_attach_output(struct scatter *scatter,
                           struct circuit_message *message, unsigned port);

#endif

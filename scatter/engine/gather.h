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

/* Prepares the message to the parent as soon as path and layer are known. */
void scatter_prepare_return(struct scatter *scatter);

/* Reads from the job when this node's result may travel. Where nothing waits
   for the node, the sooner the better: a result leaves the earlier for it. */
void scatter_read_slots(struct scatter *scatter);

/* Sets the node's state, its slots if that has not been done, and where its
   children's outputs begin; comes before the first scatter_gather_children().
 */
void scatter_begin_gather(struct scatter *scatter);

/* Receives and merges the results of the children to which this node sent in
   this phase out of the ports of the mask, as they come: while it waits for the
   last, it has merged the others. Result: 0 or the error. */
NODISCARD int scatter_gather_children(struct scatter *scatter, unsigned phase,
                                      unsigned ports);

/* Queues this node's result, with its children's, for its parent. Result: 0 or
   the error. */
NODISCARD int scatter_return_result(struct scatter *scatter);

/* Sets the three segments of a message: the result with its length, this
   node's own output, and its children's. */
void scatter_attach_output(struct scatter *scatter,
                           struct circuit_message *message, unsigned port);

#endif

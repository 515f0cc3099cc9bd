/* SPDX-License-Identifier: Apache-2.0 */
/* Results on their way back: a child's is received and merged, this node's own
   returned to its parent in a slot of its phase. */
#ifndef SCATTER_ENGINE_GATHER_H
#define SCATTER_ENGINE_GATHER_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Merges a result into this node's. Result: 0; ERR_TERMS if it is longer than
   the kernel's terms say, or the kernel refuses it. */
NODISCARD int scatter_merge(struct scatter *scatter,
                            const struct kernel_result *next);

/* Before the first child's result is received. */
void scatter_begin_gather(struct scatter *scatter);

/* Receives and merges the result of the child that was sent to in this phase
   out of this port. Result: 0 or the error. */
NODISCARD int scatter_gather_child(struct scatter *scatter, unsigned phase,
                                   unsigned port);

/* Queues this node's result, with its children's, for its parent. Result: 0 or
   the error. */
NODISCARD int scatter_return_result(struct scatter *scatter);

/* Makes the result with its length, this node's own output and its children's
   the three segments of a message. */
void scatter_put_output(struct scatter *scatter,
                        struct circuit_message *message, unsigned port);

#endif

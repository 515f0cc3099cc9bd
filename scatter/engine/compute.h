/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the kernel: a node's own share of a round, or a piece of it. */
#ifndef SCATTER_ENGINE_COMPUTE_H
#define SCATTER_ENGINE_COMPUTE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Returns the greatest length, bytes, of the output of the range's first
   `units` units, without a chunk's head. Precondition: there is an output. */
uint32_t compute_output_room(const struct scatter *scatter, uint32_t units);

/* Runs the kernel on the first `units` units of this node's range, and sets
   *result. The result's data lie in memory->result or, if this node has a
   result already, in memory->incoming; the output ends before free_to, which
   does not move. Result: 0; ERR_TERMS if the kernel makes an output and the job
   says that it makes none; ERR_MEMORY, before the run, if the output might not
   fit. */
NODISCARD int compute_run(struct scatter *scatter, struct kernel_result *result,
                          uint32_t units);

/* Keeps a result of compute_run(): the first becomes this node's result, later
   ones are merged into that. The run's output becomes a chunk that ends at
   free_to; free_to moves to the chunk's start. Result: 0; ERR_TERMS if the
   kernel's terms do not allow the length of result or output. */
NODISCARD int compute_keep(struct scatter *scatter,
                           const struct kernel_result *result);

/* Computes this node's share of the current round, split.share_units units, and
   keeps the result. Result: 0 or the error. */
NODISCARD int scatter_compute(struct scatter *scatter);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the kernel: a node's own share of a round, or a piece of it. */
#ifndef SCATTER_ENGINE_COMPUTE_H
#define SCATTER_ENGINE_COMPUTE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Returns the most bytes of output of the range's first `units` units.
   Precondition: there is an output. */
uint32_t compute_output_room(const struct scatter *scatter, uint32_t units);

/* Runs the kernel on the range's first `units` units, and sets *result. The
   data lie in memory->result, of later runs in memory->incoming. The output
   lies before free_to, which does not move. Result: 0; ERR_TERMS if the kernel
   makes an output and the job has none; ERR_MEMORY, before the run, if the
   output might not fit. */
NODISCARD int compute_run(struct scatter *scatter, struct kernel_result *result,
                          uint32_t units);

/* Keeps a run's result, or merges it into this node's result. Stores the output
   as a chunk before free_to, and moves free_to. Result: 0; ERR_RESULT or
   ERR_OUTPUT if the kernel's terms do not allow a length; or an error of
   scatter_merge(). */
NODISCARD int compute_keep(struct scatter *scatter,
                           const struct kernel_result *result);

/* Computes split.share_units units and keeps the result. Result: 0 or error. */
NODISCARD int scatter_compute(struct scatter *scatter);

#endif

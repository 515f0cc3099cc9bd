/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the kernel: a node's own share of a round, or a sample of the load.
 */
#ifndef SCATTER_ENGINE_COMPUTE_H
#define SCATTER_ENGINE_COMPUTE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/*
 * Runs the kernel on `units` from `position` of this node's range. It writes an
 * output below free_to, which is not moved. Result: 0, or ERR_MEMORY, before
 * the kernel runs, if the output might not fit.
 */
NODISCARD int scatter_run_kernel(struct scatter *scatter,
                                 struct kernel_result *result,
                                 uint32_t position, uint32_t units);

/* Computes this node's own share of the round at hand: the first round's result
   is this node's, those of later rounds are merged into it. Result: 0 or the
   error. */
NODISCARD int scatter_compute(struct scatter *scatter);

#endif

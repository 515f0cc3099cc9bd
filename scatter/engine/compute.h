/* SPDX-License-Identifier: Apache-2.0 */
/* What a node computes: its own share of a round, or a sample of the load. */
#ifndef SCATTER_ENGINE_COMPUTE_H
#define SCATTER_ENGINE_COMPUTE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/*
 * Runs the kernel on `units` from `position` of this node's range; an output
 * goes below `high`, which stays. Result: 0, or ERR_MEMORY without running it.
 */
NODISCARD int scatter_run_kernel(struct scatter *scatter,
                                 struct kernel_result *result,
                                 uint32_t position, uint32_t units);

/* Computes this node's own share of the round at hand into its result; after
   the first round, merged into it. Result: 0 or the error. */
NODISCARD int scatter_compute(struct scatter *scatter);

#endif

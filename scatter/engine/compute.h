/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the kernel: a node's own share of a round, or a piece of it. */
#ifndef SCATTER_ENGINE_COMPUTE_H
#define SCATTER_ENGINE_COMPUTE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* The most that the output of the next `units` of this node's range takes, in
   bytes, without its head; the kernel makes one. */
uint32_t compute_output_room(const struct scatter *scatter, uint32_t units);

/*
 * Runs the kernel on the first `units` of this node's range. The result lies
 * where it may stay until compute_keep(); an output below free_to, which is not
 * moved. Result: 0, or ERR_MEMORY, before the kernel runs, if the output might
 * not fit.
 */
NODISCARD int compute_run(struct scatter *scatter, struct kernel_result *result,
                          uint32_t units);

/* Makes such a result this node's, or merges it into that; stores the output as
   a chunk. Result: 0 or the error. */
NODISCARD int compute_keep(struct scatter *scatter,
                           const struct kernel_result *result);

/* Computes this node's own share of the round at hand. Result: 0 or the
   error. */
NODISCARD int scatter_compute(struct scatter *scatter);

#endif

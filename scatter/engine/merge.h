/* SPDX-License-Identifier: Apache-2.0 */
/* Merges results by the kernel, and checks what it makes of them. */
#ifndef SCATTER_ENGINE_MERGE_H
#define SCATTER_ENGINE_MERGE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Stores for the host what the kernel made of the last range. Result: error. */
NODISCARD int scatter_breach(struct scatter *scatter, int error, uint32_t bytes,
                             uint32_t promised);

/* Merges `next` into this node's result. Result: 0; ERR_TERMS if `next` is too
   long; ERR_RESULT if the sum is; ERR_MERGE if the kernel refuses it. */
NODISCARD int scatter_merge(struct scatter *scatter,
                            const struct kernel_result *next);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The chunks of output that come back with a result, put in order. */
#ifndef QEMU_JOB_OUTPUT_CHUNKS_H
#define QEMU_JOB_OUTPUT_CHUNKS_H

#include "hal/nodiscard.h"
#include "kernels/kernel.h"

/*
 * Takes apart what follows a report: the result with its length, then chunks
 * (scatter/wire/wire.h). Result: 0 and `result`, whose two parts are malloc'd
 * and the caller's to free; -1 if the bytes are no such thing.
 */
NODISCARD int output_chunks_join(struct kernel_result *result,
                                 const uint8_t *in, uint32_t bytes,
                                 const struct kernel_terms *terms);

#endif

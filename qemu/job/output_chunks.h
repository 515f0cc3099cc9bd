/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the chunks of output that come back with a result. */
#ifndef QEMU_JOB_OUTPUT_CHUNKS_H
#define QEMU_JOB_OUTPUT_CHUNKS_H

#include "hal/nodiscard.h"
#include "kernels/kernel.h"

/* Parses the bytes after a report's struct: the result with its length, then
   chunks of output (scatter/wire/wire.h). Returns 0 and *result, whose data and
   output the caller frees; or -1 if the bytes are malformed. */
NODISCARD int output_chunks_join(struct kernel_result *result,
                                 const uint8_t *in, uint32_t bytes,
                                 const struct kernel_terms *terms);

#endif

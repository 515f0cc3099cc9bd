/* SPDX-License-Identifier: Apache-2.0 */
/* The order of outputs: chunks come back with a result in any order, and some
   come back again when nodes were lost. Each goes where its first unit says. */
#ifndef QEMU_JOB_OUTPUT_CHUNKS_H
#define QEMU_JOB_OUTPUT_CHUNKS_H

#include "hal/nodiscard.h"
#include "kernels/kernel.h"
#include "scatter/wire/wire.h"

/* Where an output's bytes come from, in the order of units. A chunk is the
   output of one run of the kernel, of units from first_unit on. */
struct output_places {
    struct output_place {
        uint32_t first_unit;
        uint32_t bytes;
    } * place;
    uint32_t count;
};

/* Ranges that nobody computed; nodes that are lost now may have sent outputs of
   them. */
struct output_missing {
    const struct wire_range *range;
    uint32_t count;
};

/* Parses the bytes after a report's struct: the result with its length, then
   chunks of output (scatter/wire/wire.h), without those of missing ranges.
   Returns 0, *result and *places, whose data, output and place the caller
   frees; or -1 if the bytes are malformed. */
NODISCARD int output_chunks_join(struct kernel_result *result,
                                 struct output_places *places,
                                 const uint8_t *in, uint32_t bytes,
                                 const struct kernel_terms *terms,
                                 const struct output_missing *missing);

/* Moves the output of *next to its places in that of *into, whose memory is
   malloc'd or NULL. Precondition: they are of different units. */
void output_chunks_insert(struct kernel_result *into,
                          struct output_places *places,
                          struct kernel_result *next,
                          const struct output_places *next_places);

#endif

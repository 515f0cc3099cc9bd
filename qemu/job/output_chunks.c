/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/output_chunks.h"

#include "hal/bytes.h"
#include "qemu/base/memory.h"
#include "scatter/engine/core.h"

#include <stdlib.h>
#include <string.h>

struct chunk {
    uint32_t first_unit;
    uint32_t bytes;
    const uint8_t *data;
};

static int by_first_unit(const void *a, const void *b)
{
    const struct chunk *left = a;
    const struct chunk *right = b;

    if (left->first_unit != right->first_unit) {
        return left->first_unit < right->first_unit ? -1 : 1;
    }
    /* Of two chunks with the same start, an empty one comes first. */
    return (left->bytes > right->bytes) - (left->bytes < right->bytes);
}

static long list_chunks(struct chunk *chunk, const uint8_t *in, uint32_t bytes)
{
    long count = 0;
    uint32_t at = 0;

    while (at < bytes) {
        struct chunk *next = &chunk[count];

        if (bytes - at < WIRE_OUTPUT_CHUNK_BYTES) {
            return -1;
        }
        next->first_unit = bytes_load_u32(in + at);
        next->bytes = bytes_load_u32(in + at + 4);
        next->data = in + at + WIRE_OUTPUT_CHUNK_BYTES;
        at += WIRE_OUTPUT_CHUNK_BYTES;
        if (next->bytes > bytes - at || WIRE_PAD4(next->bytes) > bytes - at) {
            return -1;
        }
        at += WIRE_PAD4(next->bytes);
        count += 1;
    }
    return count;
}

static int join_chunks(struct kernel_result *result, const uint8_t *in,
                       uint32_t bytes)
{
    struct chunk *chunk = memory_or_exit(
        calloc(bytes / WIRE_OUTPUT_CHUNK_BYTES + 1, sizeof *chunk));
    long count = list_chunks(chunk, in, bytes);

    if (count > 0) {
        qsort(chunk, (size_t)count, sizeof *chunk, by_first_unit);
    }
    result->output = memory_or_exit(malloc((size_t)bytes + 1));
    result->output_bytes = 0;
    for (long i = 0; i < count; ++i) {
        memcpy(result->output + result->output_bytes, chunk[i].data,
               chunk[i].bytes);
        result->output_bytes += chunk[i].bytes;
    }
    free(chunk);
    return count < 0 ? -1 : 0;
}

int output_chunks_join(struct kernel_result *result, const uint8_t *in,
                       uint32_t bytes, const struct kernel_terms *terms)
{
    uint32_t head = 0;

    *result = (struct kernel_result){.bytes = bytes};
    if (terms->output_denominator != 0) {
        head = scatter_result_head_bytes(terms);
        if (bytes < head || bytes_load_u16(in) > head - WIRE_RESULT_BYTES) {
            return -1;
        }
        result->bytes = bytes_load_u16(in);
        in += WIRE_RESULT_BYTES;
    }
    result->data = memory_or_exit(malloc((size_t)result->bytes + 1));
    memcpy(result->data, in, result->bytes);
    return head > 0 ? join_chunks(result, in + head - WIRE_RESULT_BYTES,
                                  bytes - head)
                    : 0;
}

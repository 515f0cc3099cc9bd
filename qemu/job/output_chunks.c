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

static bool is_missing(const struct chunk *chunk,
                       const struct output_missing *missing)
{
    for (uint32_t i = 0; i < missing->count; ++i) {
        if (chunk->first_unit - missing->range[i].first_unit <
            missing->range[i].units) {
            return true;
        }
    }
    return false;
}

/* Sorts the chunks, and drops missing ones. Returns how many are left. */
static uint32_t sort_chunks(struct chunk *chunk, uint32_t count,
                            const struct output_missing *missing)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < count; ++i) {
        if (!is_missing(&chunk[i], missing)) {
            chunk[left++] = chunk[i];
        }
    }
    if (left > 0) {
        qsort(chunk, left, sizeof *chunk, by_first_unit);
    }
    return left;
}

/* Makes the output of sorted chunks, and notes their places. */
static void store_chunks(struct kernel_result *result,
                         struct output_places *places,
                         const struct chunk *chunk, uint32_t count,
                         size_t bytes)
{
    uint8_t *to = memory_or_exit(malloc(bytes + 1));

    result->output = to;
    places->place = memory_or_exit(calloc(count + 1u, sizeof *places->place));
    places->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(to, chunk[i].data, chunk[i].bytes);
        to += chunk[i].bytes;
        places->place[i] =
            (struct output_place){chunk[i].first_unit, chunk[i].bytes};
    }
    result->output_bytes = (uint32_t)(to - result->output);
}

static int join_chunks(struct kernel_result *result,
                       struct output_places *places, const uint8_t *in,
                       uint32_t bytes, const struct output_missing *missing)
{
    struct chunk *chunk = memory_or_exit(
        calloc(bytes / WIRE_OUTPUT_CHUNK_BYTES + 1, sizeof *chunk));
    long count = list_chunks(chunk, in, bytes);
    uint32_t left =
        count > 0 ? sort_chunks(chunk, (uint32_t)count, missing) : 0;

    store_chunks(result, places, chunk, left, bytes);
    free(chunk);
    return count < 0 ? -1 : 0;
}

/* Lists the chunks of an output behind chunk[count]. Returns their number. */
static uint32_t add_chunks(struct chunk *chunk, uint32_t count,
                           const struct kernel_result *result,
                           const struct output_places *places)
{
    const uint8_t *from = result->output;

    for (uint32_t i = 0; i < places->count; ++i) {
        const struct output_place *place = &places->place[i];

        chunk[count + i] =
            (struct chunk){place->first_unit, place->bytes, from};
        from += place->bytes;
    }
    return count + places->count;
}

void output_chunks_insert(struct kernel_result *into,
                          struct output_places *places,
                          struct kernel_result *next,
                          const struct output_places *next_places)
{
    const struct output_missing none = {.count = 0};
    struct kernel_result before = *into;
    struct output_places places_before = *places;
    struct chunk *chunk;
    uint32_t count;

    if (next_places->count == 0) {
        return;
    }
    chunk = memory_or_exit(
        calloc((size_t)places->count + next_places->count, sizeof *chunk));
    count = add_chunks(chunk, 0, into, places);
    count = add_chunks(chunk, count, next, next_places);
    count = sort_chunks(chunk, count, &none);
    store_chunks(into, places, chunk, count,
                 (size_t)before.output_bytes + next->output_bytes);
    next->output_bytes = 0;
    free(chunk);
    free(before.output);
    free(places_before.place);
}

int output_chunks_join(struct kernel_result *result,
                       struct output_places *places, const uint8_t *in,
                       uint32_t bytes, const struct kernel_terms *terms,
                       const struct output_missing *missing)
{
    uint32_t head = 0;

    *result = (struct kernel_result){.bytes = bytes};
    *places = (struct output_places){.count = 0};
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
    return head > 0 ? join_chunks(result, places, in + head - WIRE_RESULT_BYTES,
                                  bytes - head, missing)
                    : 0;
}

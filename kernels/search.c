/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All occurrences of a byte pattern, overlapping ones included. A range owns
 * the occurrences that begin in it, and sees pattern - 1 bytes beyond its end.
 *
 * Result: u64 count, then u32 offsets in the load, ascending: the first
 * OFFSETS_MAX of them; the count is exact beyond that.
 *
 * Horspool's search (R. N. Horspool, Practical fast searching in strings,
 * 1980): look at the window's last byte and skip by what it allows.
 */
#include "kernels/kernel.h"

#include <stdbool.h>
#include <string.h>

#define OFFSETS_MAX 1024u
#define COUNT_BYTES 8u
#define PATTERN_MAX 255u

struct search {
    uint32_t length;   /* of the pattern */
    uint32_t after;    /* skip after the last byte matched */
    uint8_t skip[256]; /* 0 for the pattern's last byte */
    uint8_t pattern[PATTERN_MAX];
};

static int search_begin(void *work, struct kernel_terms *terms,
                        const struct kernel_job *job)
{
    struct search *search = (struct search *)work;
    const uint8_t *arg = job->arg;
    uint32_t arg_bytes = job->arg_bytes;
    uint32_t last = arg_bytes - 1;

    if (arg_bytes == 0 || arg_bytes > PATTERN_MAX || job->unit_bytes == 0) {
        return KERNEL_ARGUMENT;
    }
    search->length = arg_bytes;
    memcpy(search->pattern, arg, arg_bytes);
    memset(search->skip, (int)arg_bytes, sizeof search->skip);
    for (uint32_t i = 0; i < last; ++i) {
        search->skip[arg[i]] = (uint8_t)(last - i);
    }
    search->after = search->skip[arg[last]];
    search->skip[arg[last]] = 0;
    terms->after_bytes = last;
    terms->result_bytes_max = COUNT_BYTES + 4 * OFFSETS_MAX;
    terms->instructions_per_1000_units = 1000 + 5000 / arg_bytes;
    return KERNEL_OK;
}

static void search_run(const void *work, struct kernel_result *result,
                       const struct kernel_range *range)
{
    const struct search *search = (const struct search *)work;
    uint32_t last = search->length - 1;
    const uint8_t *skip = search->skip;
    uint32_t stored = 0;
    uint64_t count = 0;
    /* Windows are told by their last byte; the last window that may begin in
       the range ends at units - 1 + last, or where the data ends. */
    uint32_t bytes = kernel_range_bytes(range);
    uint32_t first = (uint32_t)range->first_unit * range->unit_bytes;
    uint32_t span =
        bytes + (last < range->after_bytes ? last : range->after_bytes);
    const uint8_t *data = range->data;
    uint32_t at = last;

    while (at < span) {
        uint32_t ahead = skip[data[at]];

        if (ahead > 0) {
            at += ahead;
            continue;
        }
        if (memcmp(data + at - last, search->pattern, last) == 0) {
            if (stored < OFFSETS_MAX) {
                kernel_store_u32(result->data + COUNT_BYTES + 4 * stored,
                                 first + at - last);
                stored += 1;
            }
            count += 1;
        }
        at += search->after;
    }
    kernel_store_u64(result->data, count);
    result->bytes = COUNT_BYTES + 4 * stored;
}

static uint32_t stored_in(const struct kernel_result *result)
{
    return (result->bytes - COUNT_BYTES) / 4;
}

static uint32_t offset_at(const struct kernel_result *result, uint32_t index)
{
    return kernel_load_u32(result->data + COUNT_BYTES + 4 * index);
}

/* Merges two ascending lists into the first, from their ends unless one just
   follows the other; of more than OFFSETS_MAX offsets the largest are dropped.
*/
static void merge_offsets(struct kernel_result *into,
                          const struct kernel_result *next)
{
    uint32_t mine = stored_in(into);
    uint32_t others = stored_in(next);
    uint32_t all = mine + others;
    uint32_t kept = all < OFFSETS_MAX ? all : OFFSETS_MAX;

    into->bytes = COUNT_BYTES + 4 * kept;
    if (mine > 0 && others > 0 &&
        offset_at(into, mine - 1) < offset_at(next, 0)) {
        memcpy(into->data + COUNT_BYTES + 4 * mine, next->data + COUNT_BYTES,
               4 * (kept - mine));
        return;
    }
    while (others > 0) {
        bool from_mine =
            mine > 0 && offset_at(into, mine - 1) > offset_at(next, others - 1);
        uint32_t offset =
            from_mine ? offset_at(into, --mine) : offset_at(next, --others);

        all -= 1;
        if (all < kept) {
            kernel_store_u32(into->data + COUNT_BYTES + 4 * all, offset);
        }
    }
}

static int search_merge(const void *work, struct kernel_result *into,
                        const struct kernel_result *next)
{
    (void)work;
    if (next->bytes < COUNT_BYTES || (next->bytes - COUNT_BYTES) % 4 != 0 ||
        stored_in(next) > OFFSETS_MAX ||
        kernel_load_u64(next->data) < stored_in(next)) {
        return KERNEL_RESULT;
    }
    merge_offsets(into, next);
    kernel_store_u64(into->data,
                     kernel_load_u64(into->data) + kernel_load_u64(next->data));
    return KERNEL_OK;
}

static void search_report(const struct kernel_result *result,
                          const struct kernel_sink *sink)
{
    uint64_t count = kernel_load_u64(result->data);

    sink->integer(sink->context, "count", count);
    sink->list(sink->context, "offsets", result->data + COUNT_BYTES, 4,
               stored_in(result));
    sink->flag(sink->context, "offsets_complete", stored_in(result) == count);
}

const struct kernel kernel_search = {
    .name = "search",
    .argument = KERNEL_FOR_PEOPLE("the byte pattern, 1 to 255 bytes"),
    .summary = KERNEL_FOR_PEOPLE("finds all occurrences of a byte pattern"),
    .work_bytes = sizeof(struct search),
    .begin = search_begin,
    .run = search_run,
    .merge = search_merge,
    .report = KERNEL_FOR_PEOPLE(search_report),
};

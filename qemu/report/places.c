/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/places.h"

#include "qemu/format/format.h"
#include "qemu/report/json_name.h"
#include "qemu/support/memory.h"
#include "qemu/support/quote.h"

#include <inttypes.h>
#include <string.h>

#define LIST_SHOWN 8u

/* The list of offsets in a result, u32 each; NULL: there is none. */
struct offsets {
    const uint8_t *values;
    uint32_t count;
};

static void skip_integer(void *context, const char *name, uint64_t value)
{
    (void)context;
    (void)name;
    (void)value;
}

static void skip_real(void *context, const char *name, double value)
{
    (void)context;
    (void)name;
    (void)value;
}

static void skip_flag(void *context, const char *name, int value)
{
    (void)context;
    (void)name;
    (void)value;
}

static void skip_lines(void *context, const char *name, const uint8_t *text,
                       uint32_t bytes)
{
    (void)context;
    (void)name;
    (void)text;
    (void)bytes;
}

static void keep_offsets(void *context, const char *name, const uint8_t *values,
                         unsigned value_bytes, uint32_t count)
{
    if (strcmp(name, "offsets") == 0 && value_bytes == 4) {
        *(struct offsets *)context = (struct offsets){values, count};
    }
}

static struct offsets offsets_of(const struct outcome *outcome)
{
    struct offsets offsets = {.values = NULL};
    const struct kernel_sink sink = {.context = &offsets,
                                     .integer = skip_integer,
                                     .negative = skip_integer,
                                     .real = skip_real,
                                     .flag = skip_flag,
                                     .list = keep_offsets,
                                     .lines = skip_lines};

    if (outcome->result.data != NULL) {
        outcome_report_result(outcome, &sink);
    }
    return offsets;
}

/* The number of the file that has this byte of the load. */
static uint32_t file_of(const struct outcome *outcome, uint64_t at)
{
    uint32_t i = 0;

    while (i + 1 < outcome->file_count &&
           at >= outcome->files[i].at + outcome->files[i].bytes) {
        i += 1;
    }
    return i;
}

void places_print(FILE *out, const struct outcome *outcome)
{
    struct offsets offsets = offsets_of(outcome);

    if (offsets.values == NULL) {
        return;
    }
    fputs("offsets =", out);
    for (uint32_t i = 0; i < offsets.count && i < LIST_SHOWN; ++i) {
        uint32_t at = kernel_load_u32(offsets.values + 4 * (size_t)i);
        const struct format_file *file = &outcome->files[file_of(outcome, at)];

        fprintf(out, " %s:%" PRIu64, quote_shown(file->name), at - file->at);
    }
    if (offsets.count > LIST_SHOWN) {
        fprintf(out, " ... (%" PRIu32 " listed)", offsets.count);
    }
    fprintf(out, "%s\n", offsets.count == 0 ? " none" : "");
}

json_t *places_json(const struct outcome *outcome)
{
    struct offsets offsets = offsets_of(outcome);
    json_t *list;

    if (offsets.values == NULL) {
        return NULL;
    }
    list = memory_or_exit(json_array());
    for (uint32_t i = 0; i < offsets.count; ++i) {
        uint32_t at = kernel_load_u32(offsets.values + 4 * (size_t)i);
        uint32_t number = file_of(outcome, at);

        json_array_append_new(
            list, json_pack("{s:I, s:I}", "file", (json_int_t)number, "offset",
                            (json_int_t)(at - outcome->files[number].at)));
    }
    return list;
}

json_t *places_files_json(const struct outcome *outcome)
{
    json_t *list = memory_or_exit(json_array());

    for (uint32_t i = 0; i < outcome->file_count; ++i) {
        const struct format_file *file = &outcome->files[i];

        json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "file",
                                              json_name(file->name), "at",
                                              (json_int_t)file->at, "bytes",
                                              (json_int_t)file->bytes));
    }
    return list;
}

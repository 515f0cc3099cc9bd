/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/places.h"

#include "qemu/format/format.h"
#include "qemu/report/context.h"
#include "qemu/report/json_name.h"
#include "qemu/support/memory.h"
#include "qemu/support/quote.h"

#include <inttypes.h>
#include <string.h>

#define LIST_SHOWN 8u
/* Places whose text the report has. */
#define TEXTS 200u

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

/* The bytes of the load that an INPUT has, and its name. */
static struct format_file file_of(const struct outcome *outcome, uint64_t at,
                                  uint32_t *number)
{
    *number = 0;
    if (outcome->file_count == 0) {
        return (struct format_file){NULL, 0, outcome->load_bytes};
    }
    while (*number + 1 < outcome->file_count &&
           at >= outcome->files[*number].at + outcome->files[*number].bytes) {
        *number += 1;
    }
    return outcome->files[*number];
}

/* "12", or of several INPUTs "a.txt:12". */
static void print_place(FILE *out, const struct format_file *file, uint64_t at)
{
    if (file->name != NULL) {
        fprintf(out, "%s:", quote_shown(file->name));
    }
    fprintf(out, "%" PRIu64, at - file->at);
}

/* In a line: `offsets = a.txt:12 b.txt:0 ...`. */
static void print_list(FILE *out, const struct outcome *outcome,
                       struct offsets offsets)
{
    fputs("offsets =", out);
    for (uint32_t i = 0; i < offsets.count && i < LIST_SHOWN; ++i) {
        uint32_t at = kernel_load_u32(offsets.values + 4 * (size_t)i);
        uint32_t number;
        struct format_file file = file_of(outcome, at, &number);

        fputc(' ', out);
        print_place(out, &file, at);
    }
    if (offsets.count > LIST_SHOWN) {
        fprintf(out, " ... (%" PRIu32 " in the report)", offsets.count);
    }
    fprintf(out, "%s\n", offsets.count == 0 ? " none" : "");
}

/* A line for each: the place, and the text that begins there in one column. */
static void print_texts(FILE *out, const struct outcome *outcome,
                        struct offsets offsets)
{
    for (uint32_t i = 0; i < offsets.count && i < LIST_SHOWN; ++i) {
        uint32_t at = kernel_load_u32(offsets.values + 4 * (size_t)i);
        uint32_t number;
        struct format_file file = file_of(outcome, at, &number);
        struct context context;

        if (!context_read(&context, outcome->load, at, file.at,
                          file.at + file.bytes)) {
            return;
        }
        fprintf(out, "%s  %*s%s|%s  ", i == 0 ? "\n" : "",
                (int)(CONTEXT_BEFORE - context.columns), "", context.before,
                context.after);
        print_place(out, &file, at);
        fputc('\n', out);
    }
}

/* Offsets of originators count within a load of each. */
static bool has_text(const struct outcome *outcome)
{
    return outcome->load != NULL && outcome->originators == 0 &&
           outcome->load_bytes == outcome->load_units;
}

void places_print(FILE *out, const struct outcome *outcome)
{
    struct offsets offsets = offsets_of(outcome);

    if (offsets.values != NULL && outcome->file_count > 0) {
        print_list(out, outcome, offsets);
    }
    if (offsets.values != NULL && has_text(outcome)) {
        print_texts(out, outcome, offsets);
    }
}

json_t *places_json(const struct outcome *outcome)
{
    struct offsets offsets = offsets_of(outcome);
    json_t *list;

    if (offsets.values == NULL || outcome->file_count == 0) {
        return NULL;
    }
    list = memory_or_exit(json_array());
    for (uint32_t i = 0; i < offsets.count; ++i) {
        uint32_t at = kernel_load_u32(offsets.values + 4 * (size_t)i);
        uint32_t number;
        struct format_file file = file_of(outcome, at, &number);

        json_array_append_new(list, json_pack("{s:I, s:I}", "file",
                                              (json_int_t)number, "offset",
                                              (json_int_t)(at - file.at)));
    }
    return list;
}

json_t *places_texts_json(const struct outcome *outcome)
{
    struct offsets offsets = offsets_of(outcome);
    json_t *list;

    if (offsets.values == NULL || !has_text(outcome)) {
        return NULL;
    }
    list = memory_or_exit(json_array());
    for (uint32_t i = 0; i < offsets.count && i < TEXTS; ++i) {
        uint32_t at = kernel_load_u32(offsets.values + 4 * (size_t)i);
        uint32_t number;
        struct format_file file = file_of(outcome, at, &number);
        struct context context;

        if (!context_read(&context, outcome->load, at, file.at,
                          file.at + file.bytes)) {
            break;
        }
        json_array_append_new(
            list, json_pack("[s, s]", context.before, context.after));
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

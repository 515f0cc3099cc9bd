/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/results.h"

#include "qemu/report/places.h"
#include "qemu/support/file.h"
#include "qemu/support/quote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LIST_SHOWN 8u

static void print_integer(void *context, const char *name, uint64_t value)
{
    fprintf((FILE *)context, "%s = %" PRIu64 "\n", name, value);
}

static void print_flag(void *context, const char *name, int value)
{
    fprintf((FILE *)context, "%s = %s\n", name, value ? "yes" : "no");
}

static void print_negative(void *context, const char *name, uint64_t magnitude)
{
    fprintf((FILE *)context, "%s = -%" PRIu64 "\n", name, magnitude);
}

static void print_real(void *context, const char *name, double value)
{
    fprintf((FILE *)context, "%s = %.9g\n", name, value);
}

static void print_line(FILE *out, const uint8_t *text, size_t bytes)
{
    char *line = quote_bytes(text, bytes);

    fprintf(out, "%s\n", line);
    free(line);
}

/* A single line, which a number of more than 64 bits is, behind the name. */
static void print_lines(void *context, const char *name, const uint8_t *text,
                        uint32_t bytes)
{
    FILE *out = (FILE *)context;
    const uint8_t *end = text + bytes;
    uint32_t count = 0;

    fprintf(out, "%s =%s", name, bytes == 0 ? " none\n" : "");
    while (text < end) {
        const uint8_t *next = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((next != NULL ? next : end) - text);
        bool single = count == 0 && text + length + 1 >= end;

        if (count < LIST_SHOWN) {
            fputs(single ? " " : count == 0 ? "\n  " : "  ", out);
            print_line(out, text, length);
        }
        text += length + (next != NULL);
        count += 1;
    }
    if (count > LIST_SHOWN) {
        fprintf(out, "  ... (%" PRIu32 " lines)\n", count);
    }
}

static void print_list(void *context, const char *name, const uint8_t *values,
                       unsigned value_bytes, uint32_t count)
{
    FILE *out = (FILE *)context;

    fprintf(out, "%s =", name);
    for (uint32_t i = 0; i < count && i < LIST_SHOWN; ++i) {
        const uint8_t *at = values + (size_t)value_bytes * i;

        fprintf(out, " %" PRIu64,
                value_bytes == 8 ? kernel_load_u64(at) : kernel_load_u32(at));
    }
    if (count > LIST_SHOWN) {
        fprintf(out, " ... (%" PRIu32 " in the report)", count);
    }
    fprintf(out, "%s\n", count == 0 ? " none" : "");
}

/* Offsets count within one originator's load. */
static bool is_offset(const char *name)
{
    return strncmp(name, "offsets", strlen("offsets")) == 0;
}

static void print_other_list(void *context, const char *name,
                             const uint8_t *values, unsigned value_bytes,
                             uint32_t count)
{
    if (!is_offset(name)) {
        print_list(context, name, values, value_bytes, count);
    }
}

static void print_other_flag(void *context, const char *name, int value)
{
    if (!is_offset(name)) {
        print_flag(context, name, value);
    }
}

void results_print(FILE *out, const struct outcome *outcome)
{
    struct kernel_sink sink = {.context = out,
                               .integer = print_integer,
                               .negative = print_negative,
                               .real = print_real,
                               .flag = print_flag,
                               .list = print_list,
                               .lines = print_lines};

    for (uint32_t i = 0; outcome->originators > 1 && i < outcome->originators;
         ++i) {
        fprintf(out, "\nof %s\n", file_name(outcome->originator[i].input_name));
        outcome_report_group_result(outcome, i, &sink);
    }
    if (outcome->originators > 1) {
        sink.list = print_other_list;
        sink.flag = print_other_flag;
        fputs("\nof all files", out);
    }
    if (outcome->request->originator[0].load.file_count >
        0) { /* places have them */
        sink.list = print_other_list;
        sink.flag = print_other_flag;
    }
    if (outcome->result.data != NULL) {
        fputc('\n', out);
        outcome_report_result(outcome, &sink);
    }
    places_print(out, outcome);
}

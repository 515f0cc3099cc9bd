/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/result.h"

#include "qemu/base/crash.h"
#include "qemu/base/json.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"
#include "qemu/format/table.h"

#include <inttypes.h>
#include <nettle/base16.h>
#include <stdlib.h>
#include <string.h>

#define HEX_SUFFIX "_hex"

/* ---- from the kernel ---- */

/* Stores a value in the result. It is null if JSON cannot hold the number. */
static void collect(void *result, const char *name, json_t *value)
{
    json_object_set_new(result, name, value != NULL ? value : json_null());
}

/* Stores a number in the result. A number above 63 bits becomes a line of
   digits, as kernel_report_wide() makes it. */
static void collect_integer(void *result, const char *name, uint64_t value)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRIu64, value);
    collect(result, name,
            value <= INT64_MAX ? json_whole(value) : json_pack("[s]", digits));
}

static void collect_flag(void *result, const char *name, int value)
{
    collect(result, name, json_boolean(value));
}

static void collect_negative(void *result, const char *name, uint64_t magnitude)
{
    collect(result, name, json_integer(-(json_int_t)magnitude));
}

static void collect_real(void *result, const char *name, double value)
{
    collect(result, name, json_real(value));
}

static json_t *hexadecimal(const uint8_t *bytes, size_t count)
{
    char *text = memory_or_exit(malloc(BASE16_ENCODE_LENGTH(count) + 1));
    json_t *json;

    base16_encode_update(text, count, bytes);
    json = json_stringn(text, 2 * count);
    free(text);
    return json;
}

/* Stores lines of text in the result. If one of them cannot be shown as it is,
   the list NAME_hex has the bytes of all lines as hexadecimal digits. */
static void collect_lines(void *result, const char *name, const uint8_t *lines,
                          uint32_t bytes)
{
    json_t *list = json_array();
    json_t *hex = json_array();
    uint32_t start = 0;
    bool differs = false;
    char name_hex[64];

    for (uint32_t i = 0; i < bytes; ++i) {
        if (lines[i] == '\n') {
            char *line = quote_bytes(lines + start, i - start);

            differs = differs || strlen(line) != i - start;
            json_array_append_new(list, json_string(line));
            json_array_append_new(hex, hexadecimal(lines + start, i - start));
            free(line);
            start = i + 1;
        }
    }
    collect(result, name, list);
    if (differs) {
        snprintf(name_hex, sizeof name_hex, "%s" HEX_SUFFIX, name);
        json_object_set(result, name_hex, hex);
    }
    json_decref(hex);
}

static void collect_list(void *result, const char *name, const uint8_t *values,
                         unsigned value_bytes, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t *at = values + (size_t)value_bytes * i;
        json_t *value = json_whole(value_bytes == 8 ? kernel_load_u64(at)
                                                    : kernel_load_u32(at));

        json_array_append_new(list, value);
    }
    collect(result, name, list);
}

json_t *result_json(const struct outcome *outcome, uint32_t index)
{
    const struct kernel *kernel = outcome->request->kernel;
    bool whole = index >= outcome->originators;
    const struct kernel_result *result =
        whole ? &outcome->result : &outcome->originator[index].result;
    const struct format *format = format_of(kernel->name);
    json_t *json = json_object();
    struct kernel_sink sink = {.context = json,
                               .integer = collect_integer,
                               .negative = collect_negative,
                               .real = collect_real,
                               .flag = collect_flag,
                               .list = collect_list,
                               .lines = collect_lines};

    if (result->data != NULL && kernel->report != NULL) {
        crash_in("report");
        kernel->report(result, &sink);
        crash_out();
        if (format->report != NULL) {
            format->report(
                &outcome->request->originator[whole ? 0 : index].load, result,
                &sink);
        }
    }
    if (result->data != NULL && outcome->plan.output) {
        collect_integer(json, "output_bytes", result->output_bytes);
    }
    if (whole && outcome->originators > 1) {
        /* These count within the load of each. */
        static const char *const own[] = {"offsets", "offsets_complete",
                                          "found", "found" HEX_SUFFIX};

        for (size_t i = 0; i < sizeof own / sizeof *own; ++i) {
            (void)json_object_del(json, own[i]);
        }
    }
    return json;
}

/* ---- for people ---- */

/* Prints the numbers of a list on one line. Texts (lines, and numbers above 63
   bits) get a line each; a single text stands after the value's name. */
static void print_list(FILE *out, const json_t *list)
{
    size_t count = json_array_size(list);
    bool text = json_is_string(json_array_get(list, 0));
    const json_t *value;
    size_t i;

    json_array_foreach(list, i, value)
    {
        if (i >= RESULT_SHOWN) {
            break;
        }
        if (text) {
            fprintf(out, "%s%s%s",
                    count == 1 ? " "
                    : i == 0   ? "\n  "
                               : "  ",
                    json_string_value(value), i + 1 < count ? "\n" : "");
        } else {
            fprintf(out, " %" PRIu64, (uint64_t)json_integer_value(value));
        }
    }
    if (count > RESULT_SHOWN) {
        fprintf(out, text ? "  ... (%zu lines)" : " ... (%zu in the report)",
                count);
    }
    fprintf(out, "%s\n", count == 0 ? " none" : "");
}

static bool is_twin(const char *name, const json_t *value)
{
    size_t length = strlen(name);
    size_t suffix = strlen(HEX_SUFFIX);

    return json_is_array(value) && length > suffix &&
           strcmp(name + length - suffix, HEX_SUFFIX) == 0;
}

void result_print(FILE *out, const json_t *result, bool offsets)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)result, name, value)
    {
        if (is_twin(name, value) ||
            (!offsets && strncmp(name, "offsets", strlen("offsets")) == 0)) {
            continue;
        }
        fprintf(out, "%s =", name);
        if (json_is_array(value)) {
            print_list(out, value);
        } else if (json_is_integer(value)) {
            fprintf(out, " %" JSON_INTEGER_FORMAT "\n",
                    json_integer_value(value));
        } else if (json_is_boolean(value)) {
            fprintf(out, " %s\n", json_is_true(value) ? "yes" : "no");
        } else if (json_is_null(value)) {
            fputs(" not a finite number\n", out);
        } else {
            fprintf(out, " %.9g\n", json_number_value(value));
        }
    }
}

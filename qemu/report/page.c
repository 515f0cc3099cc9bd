/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/page.h"

#include "qemu/report/json.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "torus/torus.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_BYTES 19000000u /* most bytes of the report in a page */

/* Files in this program. Each symbol is the begin of its file and the end of
   the file before. The script has a part for all pages, one for pages of
   standing boards, and one for live pages. */
extern const char page_html[] __attribute__((visibility("hidden")));
extern const char page_css[] __attribute__((visibility("hidden")));
extern const char page_script[] __attribute__((visibility("hidden")));
extern const char page_boards[] __attribute__((visibility("hidden")));
extern const char page_live[] __attribute__((visibility("hidden")));
extern const char page_end[] __attribute__((visibility("hidden")));
__asm__(".pushsection .rodata\n"
        "page_html: .incbin \"qemu/report/page/page.html\"\n"
        "page_css: .incbin \"qemu/report/page/page.css\"\n"
        "page_script: .incbin \"qemu/report/page/data.js\"\n"
        ".incbin \"qemu/report/page/map.js\"\n"
        ".incbin \"qemu/report/page/chart.js\"\n"
        ".incbin \"qemu/report/page/tables.js\"\n"
        ".incbin \"qemu/report/page/control.js\"\n"
        "page_boards: .incbin \"qemu/report/page/boards.js\"\n"
        "page_live: .incbin \"qemu/report/page/live.js\"\n"
        "page_end:\n"
        ".popsection");

/* ---- required keys ---- */

/* Returns whether a value has a format of json_unpack(); keys follow. */
static bool has(const json_t *json, const char *format, ...)
{
    va_list keys;
    int error;

    va_start(keys, format);
    error =
        json_vunpack_ex((json_t *)json, NULL, JSON_VALIDATE_ONLY, format, keys);
    va_end(keys);
    return error == 0;
}

static bool is_below(const json_t *entry, const char *key, json_int_t limit)
{
    json_int_t value = json_integer_value(json_object_get(entry, key));

    return value >= 0 && value < limit;
}

static const char *refuse_nodes(const json_t *report, struct torus_size size)
{
    const json_t *nodes =
        json_object_get(json_object_get(report, "measured"), "nodes");
    const json_t *node;
    size_t i;

    if (!json_is_array(nodes)) {
        return "'measured.nodes' is missing; must be a report of `quincunx "
               "run`";
    }
    json_array_foreach(nodes, i, node)
    {
        if (!has(node, "{s:F, s:F, s:F, s:F, s:F, s:F, s:F, s:F}", "x", "y",
                 "layer", "units", "received_ps", "compute_start_ps",
                 "finished_ps", "idle_ps") ||
            !is_below(node, "x", size.width) ||
            !is_below(node, "y", size.height)) {
            return "an entry of 'measured.nodes' is incomplete or outside the "
                   "mesh";
        }
    }
    return NULL;
}

static const char *refuse_circuits(const json_t *report, uint32_t nodes)
{
    const json_t *circuits = json_object_get(report, "circuits");
    const json_t *circuit;
    size_t i;

    if (!json_is_array(circuits)) {
        return "'circuits' is missing; must be a report of `quincunx run`";
    }
    json_array_foreach(circuits, i, circuit)
    {
        if (!has(circuit, "{s:F, s:F, s:F, s:F, s:F, s:F, s:F, s:F, s:F}",
                 "phase", "round", "source", "hops", "bytes", "destination",
                 "end_ps", "grant_ps", "request_ps") ||
            !is_below(circuit, "source", nodes) ||
            !is_below(circuit, "destination", nodes)) {
            return "an entry of 'circuits' is incomplete or outside the mesh";
        }
    }
    return NULL;
}

/* Returns whether a report has all keys that the script reads unchecked. */
static bool is_whole(const json_t *report)
{
    return has(report,
               "{s:{s:F, s:F, s:F, s:[]}, s:{s:F, s:F, s:F, s:F, s:F, s:F}, "
               "s:{s:F, s:F, s:F}, s:{s:F, s:F, s:F}, s:{}, s:s}",
               "plan", "makespan_ps", "rounds", "phases", "layers", "measured",
               "answer_ps", "one_board_ps", "preparing_ps", "makespan_ps",
               "with_results_ps", "overhead_vs_plan", "network", "messages",
               "payload_bytes", "circuit_conflicts", "profile", "startup_ps",
               "transfer_ps_per_byte", "hop_delay_ps", "result", "kernel");
}

const char *page_refusal(const json_t *report)
{
    const json_t *format = json_object_get(report, "report_format");
    int width;
    int height;
    const char *refusal;
    struct torus_size size;

    if (!json_is_integer(format)) {
        return "is no report; must be one that `quincunx run --report` wrote";
    }
    if (json_integer_value(format) != REPORT_FORMAT_NUMBER) {
        return "is a report of another format than this program writes";
    }
    if (json_unpack((json_t *)report, "{s:{s:i, s:i}}", "mesh", "width", &width,
                    "height", &height) != 0 ||
        width < 1 || width > (int)TORUS_SIDE_MAX || height < 1 ||
        height > (int)TORUS_SIDE_MAX || !is_whole(report)) {
        return "is an incomplete report";
    }
    size = (struct torus_size){(uint16_t)width, (uint16_t)height};
    refusal = refuse_nodes(report, size);
    return refusal != NULL ? refusal
                           : refuse_circuits(report, torus_nodes(size));
}

/* ---- tables ---- */

static json_t *pack_list(const json_t *list);

static json_t *pack_value(json_t *value)
{
    if (value == NULL) {
        return json_null();
    }
    return json_is_object(json_array_get(value, 0)) ? pack_list(value)
                                                    : json_incref(value);
}

static json_t *names_of(const json_t *list)
{
    json_t *all = json_object();
    json_t *names = json_array();
    const char *key;
    json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry)
    {
        json_object_update_missing(all, entry);
    }
    json_object_foreach(all, key, entry)
    {
        json_array_append_new(names, json_string(key));
    }
    json_decref(all);
    return names;
}

static json_t *row_of(const json_t *entry, const json_t *names)
{
    json_t *row = json_array();
    json_t *name;
    size_t i;

    json_array_foreach(names, i, name)
    {
        json_array_append_new(
            row, pack_value(json_object_get(entry, json_string_value(name))));
    }
    return row;
}

static json_t *pack_list(const json_t *list)
{
    json_t *names = names_of(list);
    json_t *rows = json_array();
    json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry)
    {
        json_array_append_new(rows, row_of(entry, names));
    }
    return json_pack("{s:o, s:o}", "names", names, "rows", rows);
}

static json_t *pack(const json_t *report)
{
    json_t *copy = json_copy((json_t *)report);
    json_t *measured = json_copy(json_object_get(report, "measured"));
    const json_t *circuits = json_object_get(report, "circuits");
    const json_t *nodes = json_object_get(measured, "nodes");

    if (circuits != NULL) {
        json_object_set_new(copy, "circuits", pack_list(circuits));
    }
    if (nodes != NULL) {
        json_object_set_new(measured, "nodes", pack_list(nodes));
        json_object_set(copy, "measured", measured);
    }
    json_decref(measured);
    return copy;
}

/* ---- size ---- */

static void drop_rounds(json_t *report)
{
    const json_t *nodes =
        json_object_get(json_object_get(report, "measured"), "nodes");
    json_t *name;
    json_t *row;
    size_t column;
    size_t i;

    json_array_foreach(json_object_get(nodes, "names"), column, name)
    {
        if (strcmp(json_string_value(name), "rounds") == 0) {
            json_array_foreach(json_object_get(nodes, "rows"), i, row)
            {
                json_array_set_new(row, column, json_null());
            }
            json_object_set_new(report, "rounds_left_out", json_true());
        }
    }
}

/* Removes so many of the last circuits that the JSON text loses about
   `bytes`. */
static void drop_circuits(json_t *report, size_t bytes)
{
    json_t *rows = json_object_get(json_object_get(report, "circuits"), "rows");
    size_t count = json_array_size(rows);
    size_t all = json_dumpb(rows, NULL, 0, JSON_COMPACT);
    size_t dropped = 0;

    for (; dropped < count && dropped * all < bytes * count; ++dropped) {
        json_array_remove(rows, count - dropped - 1);
    }
    json_object_set_new(report, "circuits_left_out",
                        json_integer((json_int_t)dropped));
}

#define DUMP_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(12))

static size_t text_bytes(const json_t *report)
{
    return json_dumpb(report, NULL, 0, DUMP_FLAGS);
}

/*
 * Returns a report as text, which the caller frees. The lists `circuits`,
 * `measured.nodes` and a node's `rounds` become tables: {"names": the keys,
 * "rows": the values of each entry, null for a missing key}.
 *
 * A text above REPORT_BYTES would be too large for browsers. It first loses the
 * nodes' rounds (`rounds_left_out` is true), then the last circuits
 * (`circuits_left_out` is their number).
 */
static char *report_text(const json_t *report)
{
    json_t *packed = pack(report);
    size_t bytes = text_bytes(packed);
    char *text;

    if (bytes > REPORT_BYTES) {
        drop_rounds(packed);
        bytes = text_bytes(packed);
    }
    if (bytes > REPORT_BYTES) {
        drop_circuits(packed, bytes - REPORT_BYTES);
    }
    text = json_dumps(packed, DUMP_FLAGS);
    json_decref(packed);
    return text;
}

/* ---- writing ---- */

/* Writes the report into a script element. Each `<` is escaped, as it could end
   the element. */
static void write_report(FILE *out, const json_t *report)
{
    char *text = report_text(report);

    for (const char *at = text; *at != '\0';) {
        size_t plain = strcspn(at, "<");

        fwrite(at, 1, plain, out);
        at += plain;
        if (*at == '<') {
            fputs("\\u003c", out);
            at += 1;
        }
    }
    free(text);
}

static void write_between(FILE *out, const char *start, const char *end)
{
    fwrite(start, 1, (size_t)(end - start), out);
}

/* Writes page.html from `from` to the comment `<!--NAME-->`. Returns the text
   after the comment. */
static const char *write_until(FILE *out, const char *from, const char *comment)
{
    const char *end = page_css;
    const char *at =
        memmem(from, (size_t)(end - from), comment, strlen(comment));

    if (at == NULL) {
        abort(); /* the file in this program is damaged */
    }
    write_between(out, from, at);
    return at + strlen(comment);
}

static const char *script_end(const json_t *report)
{
    if (json_object_get(report, "live") != NULL) {
        return page_end;
    }
    return json_object_get(report, "boards") != NULL ? page_live : page_boards;
}

char *page_text(const json_t *report, size_t *bytes)
{
    const char *at = page_html;
    char *text = NULL;
    FILE *out = memory_or_exit(open_memstream(&text, bytes));

    at = write_until(out, at, "<!--page.css-->");
    write_between(out, page_css, page_script);
    at = write_until(out, at, "<!--report-->");
    write_report(out, report);
    at = write_until(out, at, "<!--page.js-->");
    write_between(out, page_script, script_end(report));
    write_between(out, at, page_css);
    fclose(out);
    return memory_or_exit(text);
}

int page_write(const json_t *report, const char *path)
{
    struct file_output file;
    size_t bytes = 0;
    char *text;

    if (file_output_open(&file, path) != 0) {
        return -1;
    }
    text = page_text(report, &bytes);
    fwrite(text, 1, bytes, file.stream);
    free(text);
    return file_output_close(&file, true);
}

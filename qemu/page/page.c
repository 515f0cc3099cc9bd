/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/page/page.h"

#include "qemu/page/pack.h"
#include "qemu/report/json.h"
#include "qemu/support/file.h"
#include "qemu/support/memory.h"
#include "torus/torus.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_BYTES 64u

/* The files, each with a name for its begin and one for the next one's:
   page.html up to its end, page.css, and the parts of the script one behind the
   other: that of all pages, of boards that stand, and of live pages. */
extern const char page_html[] __attribute__((visibility("hidden")));
extern const char page_css[] __attribute__((visibility("hidden")));
extern const char page_script[] __attribute__((visibility("hidden")));
extern const char page_boards[] __attribute__((visibility("hidden")));
extern const char page_live[] __attribute__((visibility("hidden")));
extern const char page_end[] __attribute__((visibility("hidden")));
__asm__(".pushsection .rodata\n"
        "page_html: .incbin \"qemu/page/page.html\"\n"
        "page_css: .incbin \"qemu/page/page.css\"\n"
        "page_script: .incbin \"qemu/page/data.js\"\n"
        ".incbin \"qemu/page/map.js\"\n"
        ".incbin \"qemu/page/chart.js\"\n"
        ".incbin \"qemu/page/tables.js\"\n"
        ".incbin \"qemu/page/control.js\"\n"
        "page_boards: .incbin \"qemu/page/boards.js\"\n"
        "page_live: .incbin \"qemu/page/live.js\"\n"
        "page_end:\n"
        ".popsection");

/* ---- what a report must have ---- */

/* Whether an entry has numbers in all the keys, which are words of a text. */
static bool has_numbers(const json_t *entry, const char *keys)
{
    bool whole = true;

    while (whole && *keys != '\0') {
        size_t length = strcspn(keys, " ");

        whole = json_is_number(json_object_getn(entry, keys, length));
        keys += length + strspn(keys + length, " ");
    }
    return whole;
}

static bool is_below(const json_t *entry, const char *key, json_int_t limit)
{
    json_int_t value = json_integer_value(json_object_get(entry, key));

    return value >= 0 && value < limit;
}

static const char *refuse_nodes(const json_t *report, struct torus_size size)
{
    static const char keys[] = "x y layer units received_ps compute_start_ps "
                               "finished_ps idle_ps";
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
        if (!has_numbers(node, keys) || !is_below(node, "x", size.width) ||
            !is_below(node, "y", size.height)) {
            return "an entry of 'measured.nodes' is incomplete or outside the "
                   "mesh";
        }
    }
    return NULL;
}

static const char *refuse_circuits(const json_t *report, uint32_t nodes)
{
    static const char keys[] = "phase round source hops bytes destination "
                               "end_ps grant_ps request_ps";
    const json_t *circuits = json_object_get(report, "circuits");
    const json_t *circuit;
    size_t i;

    if (!json_is_array(circuits)) {
        return "'circuits' is missing; must be a report of `quincunx run`";
    }
    json_array_foreach(circuits, i, circuit)
    {
        if (!has_numbers(circuit, keys) ||
            !is_below(circuit, "source", nodes) ||
            !is_below(circuit, "destination", nodes)) {
            return "an entry of 'circuits' is incomplete or outside the mesh";
        }
    }
    return NULL;
}

/* Whether all is there that the script reads without asking. */
static bool is_whole(const json_t *report)
{
    static const struct {
        const char *part;
        const char *keys;
    } numbers[] = {{"plan", "makespan_ps rounds phases"},
                   {"measured", "answer_ps one_board_ps preparing_ps "
                                "makespan_ps with_results_ps overhead_vs_plan"},
                   {"network", "messages payload_bytes circuit_conflicts"},
                   {"profile", "startup_ps transfer_ps_per_byte hop_delay_ps"}};
    const json_t *plan = json_object_get(report, "plan");
    bool whole = json_is_array(json_object_get(plan, "layers")) &&
                 json_is_object(json_object_get(report, "result")) &&
                 json_is_string(json_object_get(report, "kernel"));

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        whole = whole && has_numbers(json_object_get(report, numbers[i].part),
                                     numbers[i].keys);
    }
    return whole;
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

/* ---- writing ---- */

/* The report's text inside a script element, which `<` could end. */
static void write_report(FILE *out, const json_t *report)
{
    json_t *packed = pack_report(report);
    char *text = json_dumps(packed, JSON_COMPACT | JSON_REAL_PRECISION(12));

    json_decref(packed);
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

/* Writes page.html up to a comment `<!--NAME-->`; what comes behind it. */
static const char *write_until(FILE *out, const char *from, const char *comment)
{
    const char *end = page_css;
    const char *at =
        memmem(from, (size_t)(end - from), comment, strlen(comment));

    if (at == NULL) {
        abort(); /* this program's own file */
    }
    write_between(out, from, at);
    return at + strlen(comment);
}

/* Up to where a page needs the script. */
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

/* The hash of an element of the page, as policies have it: 'sha256-BASE64'. */
static void hash_element(char hash[HASH_BYTES], const char *page,
                         const char *begin, const char *end)
{
    const char *from = strstr(page, begin);
    const char *to = from != NULL ? strstr(from, end) : NULL;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char text[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1] = "";
    struct sha256_ctx sha256;

    if (to == NULL) {
        abort(); /* this program's own file */
    }
    from += strlen(begin);
    sha256_init(&sha256);
    sha256_update(&sha256, (size_t)(to - from), (const uint8_t *)from);
    sha256_digest(&sha256, sizeof digest, digest);
    base64_encode_raw(text, sizeof digest, digest);
    snprintf(hash, HASH_BYTES, "'sha256-%s'", text);
}

void page_policy(char policy[PAGE_POLICY_BYTES], const char *page)
{
    char script[HASH_BYTES];
    char style[HASH_BYTES];

    hash_element(script, page, "<script>", "</script>");
    hash_element(style, page, "<style>", "</style>");
    snprintf(policy, PAGE_POLICY_BYTES,
             "default-src 'none'; script-src %s; style-src %s; img-src data:; "
             "connect-src 'self'; base-uri 'none'; form-action 'none'; "
             "frame-ancestors 'none'",
             script, style);
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

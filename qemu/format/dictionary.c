/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the files of kernel `dictionary`: a list of words, unchanged, and
 * digests (qemu/format/digests.h). --arg is digests=FILE with further keys, or
 * digests in hexadecimal between commas. The kernel's output is a bit for each
 * byte of the list, set where a word found begins; write() names the digests of
 * these words.
 */
#include "qemu/format/format.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/format/digests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORD_MAX 255u
/* The kernel's result. */
#define RESULT_MAX 16384u
#define HEAD_BYTES 20u
#define FOUND_AT 8u
#define HORIZON_AT 16u
#define RECORD_HEAD 5u

/* The values of --arg; the load owns the strings. */
struct request {
    const char *digests;
    struct digests_rules rules;
};

/* ---- the argument ---- */

static int set_salt(void *field, const char *option, const char *text)
{
    *(const char **)field = text;
    return parse_report(option, text,
                        strlen(text) <= DIGESTS_SALT_MAX
                            ? NULL
                            : "must have at most 255 bytes");
}

static int set_place(void *field, const char *option, const char *text)
{
    struct digests_rules *rules = field;

    rules->has_place = true;
    rules->front = strcmp(text, "front") == 0;
    return parse_report(option, text,
                        rules->front || strcmp(text, "behind") == 0
                            ? NULL
                            : "must be front or behind");
}

#define FIELD(name) OPTION_AT(struct request, name)

static const struct option_row rows[] = {
    {"digests", "FILE", 0, OPTION_TEXT, FIELD(digests), .required = true},
    {"hash", "KIND", 0, OPTION_CHOICE, FIELD(rules.kind),
     .choices = "sha256 sha1 md5"},
    {"salt", "TEXT", 0, OPTION_SET, FIELD(rules.salt), .set = set_salt},
    {"salt-at", "PLACE", 0, OPTION_SET, FIELD(rules), .set = set_place},
};

/* Reads --arg and the digests. A name with commas may stand alone behind
   digests=, as it is. */
static int read_arg(struct format_load *load, const uint8_t *arg,
                    uint32_t arg_bytes)
{
    const char *text = (const char *)arg;
    struct request request = {.rules = {.salt = "", .kind = DIGESTS_OPEN}};
    bool keys = strchr(text, '=') != NULL;
    int status = 0;

    if (strncmp(text, "digests=", 8) == 0 && access(text + 8, F_OK) == 0) {
        return digests_read(load, &request.rules, text + 8, NULL);
    }
    if (strncmp(text, "digests=", 8) == 0 && strchr(text + 8, '=') == NULL &&
        digests_are(text + 8)) {
        return digests_read(load, &request.rules, NULL, text + 8);
    }
    if (keys) {
        status = format_parse_arg(load, OPTION_TABLE(rows), arg, arg_bytes,
                                  &request);
    } else {
        request.digests = text;
    }
    if (status != 0) {
        return status;
    }
    keys = keys && (access(request.digests, F_OK) == 0 ||
                    !digests_are(request.digests));
    return digests_read(load, &request.rules, keys ? request.digests : NULL,
                        request.digests);
}

/* ---- words ---- */

/* Returns the length of the line at `from` of the list, without its end, and
   sets *next to where the next one begins. */
static uint64_t line_bytes(uint64_t *next, const uint8_t *data, uint64_t from,
                           uint64_t bytes)
{
    const uint8_t *end = memchr(data + from, '\n', bytes - from);
    uint64_t at = end != NULL ? (uint64_t)(end - data) : bytes;

    *next = at + 1;
    return at - from - (end != NULL && at > from && data[at - 1] == '\r');
}

/* Notes words that are too long, which the kernel leaves out. */
static void note_long(struct format_load *load, const char *path)
{
    uint64_t first_bytes = 0;
    uint64_t first = 0;
    uint64_t count = 0;
    uint64_t line = 1;
    uint64_t next;

    for (uint64_t at = 0; at < load->units; at = next, ++line) {
        uint64_t length = line_bytes(&next, load->data, at, load->units);

        if (length > WORD_MAX) {
            first = count == 0 ? line : first;
            first_bytes = count == 0 ? length : first_bytes;
            count += 1;
        }
    }
    if (count > 0) {
        format_note(load,
                    "%s: left out %" PRIu64 " line%s of more than %u bytes, "
                    "the first at line %" PRIu64 " (%" PRIu64 " bytes).",
                    file_name(path), count, count == 1 ? "" : "s", WORD_MAX,
                    first, first_bytes);
    }
}

/* Reads the list of words; the kernel takes lines that end in LF or CRLF. */
static int read_words(struct format_load *load, const char *path)
{
    struct text text;
    int status = format_read_text(load, &text, path);

    if (status == 0) {
        if (!load->as_is) {
            text_end_lines(&text, true);
            format_note_text(load, &text, path,
                             ": words are hashed, and offsets count, in that",
                             "its bytes were hashed");
            if (text.encoding != NULL && !text.converted) {
                format_note(load,
                            "%s: its byte order mark is no part of the "
                            "first word; offsets count from behind it.",
                            file_name(path));
            }
        }
        load->data = text.data;
        load->units = text.bytes;
        load->unit_bytes = 1;
        note_long(load, path);
    }
    return status;
}

static int read_dictionary(struct format_load *load, const char *path,
                           const uint8_t *arg, uint32_t arg_bytes)
{
    int status;

    if (path == NULL) {
        fprintf(stderr, "quincunx: kernel dictionary needs an INPUT\n");
        return EXIT_USAGE;
    }
    status = read_arg(load, arg, arg_bytes);
    return status == 0 ? read_words(load, path) : status;
}

/* ---- the output ---- */

/* Returns the next byte from `at` on whose bit is set, or 8 * bytes. */
static uint64_t next_bit(const uint8_t *output, uint64_t bytes, uint64_t at)
{
    while (at < 8 * bytes && (output[at / 8] >> at % 8 & 1) == 0) {
        at += 1;
    }
    return at;
}

/* Lists the words among the candidates that have a digest, in place of what the
   boards listed, and clears the bits of the others. */
static void finish(const struct format_load *load, struct kernel_result *result)
{
    uint8_t *data = memory_or_exit(realloc(result->data, RESULT_MAX));
    uint64_t list_bytes = load->units * load->unit_bytes;
    uint64_t found = 0;
    uint64_t next;

    result->data = data;
    result->bytes = HEAD_BYTES;
    kernel_store_u32(data + HORIZON_AT, UINT32_MAX);
    for (uint64_t at = next_bit(result->output, result->output_bytes, 0);
         at < list_bytes;
         at = next_bit(result->output, result->output_bytes, at + 1)) {
        const uint8_t *word = load->data + at;
        uint32_t length =
            (uint32_t)line_bytes(&next, load->data, at, list_bytes);

        if (digests_find(load, word, length, NULL) == 0) {
            result->output[at / 8] &= (uint8_t) ~(1u << at % 8);
            continue;
        }
        found += 1;
        if (kernel_load_u32(data + HORIZON_AT) != UINT32_MAX) {
            continue;
        }
        if (result->bytes + RECORD_HEAD + length > RESULT_MAX) {
            kernel_store_u32(data + HORIZON_AT, (uint32_t)at);
            continue;
        }
        kernel_store_u32(data + result->bytes, (uint32_t)at);
        data[result->bytes + 4] = (uint8_t)length;
        memcpy(data + result->bytes + RECORD_HEAD, word, length);
        result->bytes += RECORD_HEAD + length;
    }
    kernel_store_u64(data + FOUND_AT, found);
}

static int write_found(FILE *out, const struct format_load *load,
                       const char *path, const uint8_t *output, uint64_t bytes)
{
    uint64_t list_bytes = load->units * load->unit_bytes;
    uint64_t next;

    (void)path;
    for (uint64_t at = next_bit(output, bytes, 0); at < list_bytes;
         at = next_bit(output, bytes, at + 1)) {
        uint64_t length = line_bytes(&next, load->data, at, list_bytes);

        digests_find(load, load->data + at, (uint32_t)length, out);
    }
    return 0;
}

const struct format format_dictionary = {
    .kernel = "dictionary",
    .argument =
        "digests=FILE (a digest a line, as sha256sum prints them, --tag too; "
        "or user:digest, or digest:salt), or digests in hexadecimal, separated "
        "by commas; also hash=sha256 (sha1, md5; otherwise their length "
        "decides), salt=TEXT, salt-at=behind (front)",
    .example = "digests=sums.txt",
    .done = "hashed",
    .thing = "word found",
    .things = "words found",
    .input = "a list of words, one a line of at most 255 bytes",
    .output = "lines of digest:word",
    .read = read_dictionary,
    .finish = finish,
    .write = write_found,
};

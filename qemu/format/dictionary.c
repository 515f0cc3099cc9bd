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
#define OFFSETS_MAX 1024u
#define COUNTS 2u
#define FOUND_AT 12u

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

#define FIELD(name) OPTION_AT(struct request, name)

static const struct option_row rows[] = {
    {"digests", "FILE", 0, OPTION_TEXT, FIELD(digests), .required = true},
    {"hash", "KIND", 0, OPTION_CHOICE, FIELD(rules.kind),
     .choices = "sha256 sha1 md5"},
    {"salt", "TEXT", 0, OPTION_SET, FIELD(rules.salt), .set = set_salt},
    {"salt-at", "PLACE", 0, OPTION_CHOICE, FIELD(rules.place),
     .choices = "behind front none"},
};

/* Reads --arg and the digests. A name with commas may stand alone behind
   digests=, as it is. */
static int read_arg(struct format_load *load, const uint8_t *arg,
                    uint32_t arg_bytes)
{
    const char *text = (const char *)arg;
    struct request request = {.rules = {.salt = "",
                                        .kind = DIGESTS_OPEN,
                                        .place = DIGESTS_PLACE_OPEN}};
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

/* Notes words that are too long, which the kernel leaves out, and those that
   others would take for the bytes in brackets. */
static void note_words(struct format_load *load, const char *path)
{
    uint64_t first_bytes = 0;
    uint64_t first = 0;
    uint64_t count = 0;
    uint64_t line = 1;
    uint64_t coded = 0;
    uint64_t next;

    for (uint64_t at = 0; at < load->units; at = next, ++line) {
        const uint8_t *word = load->data + at;
        uint64_t length = line_bytes(&next, load->data, at, load->units);

        coded += length > 5 && memcmp(word, "$HEX[", 5) == 0 &&
                 word[length - 1] == ']';
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
    if (coded > 0) {
        format_note(load,
                    "%s: %" PRIu64 " word%s in $HEX[..] %s hashed as %s: the "
                    "list must have the bytes themselves.",
                    file_name(path), coded, coded == 1 ? "" : "s",
                    coded == 1 ? "is" : "are",
                    coded == 1 ? "it stands" : "they stand");
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
        note_words(load, path);
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

/* ---- results ---- */

/* Takes candidates that have no digest out of the output and the result. */
static void finish(const struct format_load *load, struct kernel_result *result)
{
    uint64_t list_bytes = load->units * load->unit_bytes;
    uint64_t found = 0;
    uint64_t next;

    result->bytes = kernel_offsets_at(COUNTS);
    result->data =
        memory_or_exit(realloc(result->data, result->bytes + 4 * OFFSETS_MAX));
    for (uint64_t at = format_next_bit(result->output, 0, list_bytes);
         at < list_bytes;
         at = format_next_bit(result->output, at + 1, list_bytes)) {
        uint64_t length = line_bytes(&next, load->data, at, list_bytes);

        if (digests_find(load, load->data + at, (uint32_t)length, NULL) == 0) {
            result->output[at / 8] &= (uint8_t) ~(1u << at % 8);
        } else if (found++ < OFFSETS_MAX) {
            kernel_store_u32(result->data + result->bytes, (uint32_t)at);
            result->bytes += 4;
        }
    }
    kernel_store_u64(result->data + FOUND_AT, found);
}

/* Reports the words at the result's offsets. */
static void report(const struct format_load *load,
                   const struct kernel_result *result,
                   const struct kernel_sink *sink)
{
    uint64_t list_bytes = load->units * load->unit_bytes;
    uint8_t *lines = memory_or_exit(malloc(OFFSETS_MAX * (WORD_MAX + 1) + 1));
    uint32_t bytes = 0;
    uint64_t next;

    for (uint32_t i = kernel_offsets_at(COUNTS); i < result->bytes; i += 4) {
        uint64_t at = kernel_load_u32(result->data + i);

        /* Offsets in another originator's load are no words of this one. */
        uint64_t length = at < list_bytes
                              ? line_bytes(&next, load->data, at, list_bytes)
                              : UINT64_MAX;

        if (length <= WORD_MAX) {
            memcpy(lines + bytes, load->data + at, length);
            bytes += (uint32_t)length;
            lines[bytes++] = '\n';
        }
    }
    sink->lines(sink->context, "found", lines, bytes);
    free(lines);
}

static int write_found(FILE *out, const struct format_load *load,
                       const char *path, const uint8_t *output, uint64_t bytes)
{
    uint64_t list_bytes = load->units * load->unit_bytes;
    uint64_t next;

    (void)path;
    (void)bytes;
    for (uint64_t at = format_next_bit(output, 0, list_bytes); at < list_bytes;
         at = format_next_bit(output, at + 1, list_bytes)) {
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
        "decides), salt=TEXT, salt-at=behind (front, none)",
    .example = "digests=sums.txt",
    .done = "hashed",
    .thing = "word found",
    .things = "words found",
    .input = "a list of words, one a line of at most 255 bytes",
    .output = "lines of digest:word",
    .read = read_dictionary,
    .finish = finish,
    .write = write_found,
    .report = report,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Reads two files for the kernel `dictionary`: a list of words, which stays as
   it is, and digests. --arg is digests=FILE, or a list of hexadecimal
   digests. */
#include "qemu/format/format.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGEST_BYTES 32u
#define DIGEST_DIGITS 64u
#define DIGESTS_MAX 2048u
#define WORD_MAX 255u

static bool add_digest(struct format_load *load, const char *text, size_t bytes)
{
    uint8_t *digest = load->arg + load->arg_bytes;

    if (bytes < DIGEST_DIGITS) {
        return false;
    }
    for (unsigned i = 0; i < DIGEST_BYTES; ++i) {
        char pair[3] = {text[2 * i], text[2 * i + 1], '\0'};

        if (!isxdigit((unsigned char)pair[0]) ||
            !isxdigit((unsigned char)pair[1])) {
            return false;
        }
        digest[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    load->arg_bytes += DIGEST_BYTES;
    return true;
}

static int digest_order(const void *a, const void *b)
{
    return memcmp(a, b, DIGEST_BYTES);
}

static void sort_digests(struct format_load *load)
{
    uint32_t kept = 0;

    qsort(load->arg, load->arg_bytes / DIGEST_BYTES, DIGEST_BYTES,
          digest_order);
    for (uint32_t at = 0; at < load->arg_bytes; at += DIGEST_BYTES) {
        if (kept == 0 || memcmp(load->arg + kept - DIGEST_BYTES, load->arg + at,
                                DIGEST_BYTES) != 0) {
            memmove(load->arg + kept, load->arg + at, DIGEST_BYTES);
            kept += DIGEST_BYTES;
        }
    }
    load->arg_bytes = kept;
}

/* Returns whether a line ends after its digest. In a file, a blank and a name
   may follow the digest, as sha256sum writes them. */
static bool ends_there(const char *text, size_t bytes, const char *path)
{
    return bytes == DIGEST_DIGITS ||
           (path != NULL && strchr(" \t", text[DIGEST_DIGITS]) != NULL &&
            text[DIGEST_DIGITS] != '\0');
}

static int no_digest(unsigned number, const char *path)
{
    if (path == NULL) {
        fprintf(stderr,
                "quincunx: --arg: digest %u: must be a SHA-256 digest, 64 "
                "hexadecimal digits\n",
                number);
        return EXIT_USAGE;
    }
    return file_error(path,
                      "line %u: must begin with a SHA-256 digest, 64 "
                      "hexadecimal digits, and end or have a blank behind it",
                      number);
}

/* Reads the digests of a file, one a line, without empty lines. If `path` is
   NULL, reads those of --arg, which commas separate. */
static int list_digests(struct format_load *load, const char *text,
                        size_t bytes, const char *path)
{
    const char *end = text + bytes;
    unsigned number = 1;

    while (text < end || (path == NULL && bytes > 0 && text == end)) {
        const char *next =
            memchr(text, path != NULL ? '\n' : ',', (size_t)(end - text));
        size_t length = (size_t)((next != NULL ? next : end) - text);

        if ((length > 0 || path == NULL) && !(add_digest(load, text, length) &&
                                              ends_there(text, length, path))) {
            return no_digest(number, path);
        }
        text += length + 1;
        number += 1;
    }
    return 0;
}

static int store_digests(struct format_load *load, const char *text,
                         size_t bytes, const char *path)
{
    int status;

    load->arg = memory_or_exit(malloc(bytes / 2 + 1));
    status = list_digests(load, text, bytes, path);
    if (status != 0) {
        return status;
    }
    sort_digests(load);
    if (load->arg_bytes > DIGESTS_MAX * DIGEST_BYTES) {
        return file_error(path != NULL ? path : "--arg",
                          "%u different digests; a job carries at most %u",
                          load->arg_bytes / DIGEST_BYTES, DIGESTS_MAX);
    }
    return load->arg_bytes == 0 && path != NULL
               ? file_error(path, "has no digest")
               : 0;
}

static int read_digests(struct format_load *load, const char *path)
{
    struct text text;
    int status = format_read_text(load, &text, path);

    status = status == 0 ? text_check_narrow(&text, path) : status;
    if (status == 0 && text.bytes / 2 >= UINT32_MAX) {
        status = file_error(path, "is too large");
    }
    if (status == 0) {
        text_end_lines(&text, false);
        status = store_digests(load, (const char *)text.data,
                               (size_t)text.bytes, path);
    }
    free(text.data);
    return status;
}

/* Refuses words that are too long: the kernel would ignore them. */
static int check_words(const struct format_load *load, const char *path)
{
    uint64_t line = 1;
    uint64_t from = 0;

    while (from < load->units) {
        const uint8_t *begin = load->data + from;
        const uint8_t *end = memchr(begin, '\n', load->units - from);
        uint64_t length =
            end != NULL ? (uint64_t)(end - begin) : load->units - from;
        uint64_t next = from + length + 1;

        if (end != NULL && length > 0 && begin[length - 1] == '\r') {
            length -= 1;
        }
        if (length > WORD_MAX) {
            return file_error(path,
                              "line %" PRIu64 ": %" PRIu64
                              " bytes; a word has at most %u",
                              line, length, WORD_MAX);
        }
        from = next;
        line += 1;
    }
    return 0;
}

/* Reads the list of words. Lines may end in LF or CR LF, as the kernel takes
   both. */
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
        status = check_words(load, path);
    }
    return status;
}

static int read_dictionary(struct format_load *load, const char *path,
                           const uint8_t *arg, uint32_t arg_bytes)
{
    const char *text = (const char *)arg;
    int status;

    if (path == NULL) {
        fprintf(stderr, "quincunx: kernel dictionary needs an INPUT\n");
        return EXIT_USAGE;
    }
    status = strncmp(text, "digests=", 8) == 0
                 ? read_digests(load, text + 8)
                 : store_digests(load, text, arg_bytes, NULL);
    return status == 0 ? read_words(load, path) : status;
}

const struct format format_dictionary = {
    .kernel = "dictionary",
    .example = "digests=sums.txt",
    .done = "hashed",
    .thing = "word found",
    .things = "words found",
    .arg_file = "digests=",
    .input = "a list of words, one a line of at most 255 bytes",
    .read = read_dictionary,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the argument of the kernel `search` from --arg. That has the kernel's
   form (kernels/search.c), or is (?f)FILE or (?if)FILE; then the lines of the
   file are the patterns. */
#include "qemu/format/format.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_MAX 255u
#define PATTERNS_MAX 255u

/* Patterns for the kernel's argument, without repeated ones. */
struct patterns {
    struct format_load *load; /* the load whose argument gets the patterns */
    const char *path; /* file with the patterns; NULL: they are in --arg */
    uint8_t separator;
    bool folds;
    unsigned count;
    struct {
        uint32_t at; /* where the pattern begins in the argument */
        uint32_t bytes;
        unsigned number; /* line in the file, or number in --arg */
    } pattern[PATTERNS_MAX];
    unsigned again; /* number of repeated patterns, which are left out */
    unsigned again_number;
    unsigned same_number; /* number of the pattern that came twice first */
};

static const char *place_of(const char *path)
{
    return path != NULL ? "line" : "pattern";
}

/* Prints what is wrong with a pattern. `number` is its line in the file, or its
   place in --arg. */
static int print_error(const char *path, unsigned number, size_t bytes)
{
    const char *name = path != NULL ? path : "--arg";

    if (bytes > 0 && bytes <= PATTERN_MAX) {
        file_error(name, "%s %u: at most 255 patterns are allowed",
                   place_of(path), number);
    } else {
        file_error(name, "%s %u: %zu bytes; a pattern has 1 to 255 bytes",
                   place_of(path), number, bytes);
    }
    return path != NULL ? EXIT_FAILED : EXIT_USAGE;
}

static bool is_same(const uint8_t *a, const uint8_t *b, size_t bytes,
                    bool folds)
{
    for (size_t i = 0; i < bytes; ++i) {
        if (a[i] != b[i] && !(folds && tolower(a[i]) == tolower(b[i]))) {
            return false;
        }
    }
    return true;
}

static bool is_again(struct patterns *patterns, const uint8_t *text,
                     size_t bytes, unsigned number)
{
    for (unsigned i = 0; i < patterns->count; ++i) {
        if (patterns->pattern[i].bytes == bytes &&
            is_same(patterns->load->arg + patterns->pattern[i].at, text, bytes,
                    patterns->folds)) {
            if (patterns->again == 0) {
                patterns->again_number = number;
                patterns->same_number = patterns->pattern[i].number;
            }
            patterns->again += 1;
            return true;
        }
    }
    return false;
}

static void append(struct format_load *load, const void *bytes, size_t count)
{
    memcpy(load->arg + load->arg_bytes, bytes, count);
    load->arg_bytes += (uint32_t)count;
}

/* Appends a pattern, if it was not listed before. Returns 0, or an exit status
   after a message. */
static int add_pattern(struct patterns *patterns, const uint8_t *text,
                       size_t bytes, unsigned number)
{
    unsigned count = patterns->count;

    if (bytes > 0 && is_again(patterns, text, bytes, number)) {
        return 0;
    }
    if (bytes == 0 || bytes > PATTERN_MAX || count == PATTERNS_MAX) {
        return print_error(patterns->path, number, bytes);
    }
    if (count > 0) {
        append(patterns->load, &patterns->separator, 1);
    }
    patterns->pattern[count].at = patterns->load->arg_bytes;
    patterns->pattern[count].bytes = (uint32_t)bytes;
    patterns->pattern[count].number = number;
    patterns->count += 1;
    append(patterns->load, text, bytes);
    return 0;
}

static int add_patterns(struct patterns *patterns, const uint8_t *text,
                        size_t bytes)
{
    size_t from = 0;
    unsigned number = 0;
    int status = 0;

    while (from <= bytes && status == 0) {
        const uint8_t *end =
            memchr(text + from, patterns->separator, bytes - from);
        size_t length = (end != NULL ? (size_t)(end - text) : bytes) - from;

        number += 1;
        status = add_pattern(patterns, text + from, length, number);
        from += length + 1;
    }
    return status;
}

/* Makes the kernel's argument from a list of patterns with separators between
   them. `path` is the list's file; NULL: the list is --arg. Returns what read()
   returns. */
static int store_list(struct format_load *load, const uint8_t *text,
                      size_t bytes, uint8_t separator, bool folds,
                      const char *path)
{
    struct patterns patterns = {
        .load = load, .path = path, .separator = separator, .folds = folds};
    int status;

    load->arg = memory_or_exit(malloc(bytes + strlen("(?i|)")));
    append(load, "(?i", folds ? 3 : 2);
    append(load, &separator, 1);
    append(load, ")", 1);
    status = add_patterns(&patterns, text, bytes);
    if (status == 0 && patterns.again > 0) {
        format_note(load,
                    "%s: %u of its patterns %s listed again (%s %u is %s %u); "
                    "each counts once, which leaves %u.",
                    path != NULL ? file_name(path) : "--arg", patterns.again,
                    patterns.again == 1 ? "is" : "are", place_of(path),
                    patterns.again_number, place_of(path), patterns.same_number,
                    patterns.count);
    }
    return status;
}

static int read_patterns(struct format_load *load, const char *path, bool folds)
{
    struct text text;
    int status = format_read_text(load, &text, path);

    if (status == 0) {
        text_end_lines(&text, false);
        while (text.bytes > 0 && text.data[text.bytes - 1] == '\n') {
            text.bytes -= 1;
        }
        if (!load->as_is) {
            format_note_text(load, &text, path, ", whose bytes are looked for",
                             "its lines' bytes were looked for");
        }
        status = text.bytes == 0
                     ? file_error(path, "has no pattern")
                     : store_list(load, text.data, (size_t)text.bytes, '\n',
                                  folds, path);
    }
    free(text.data);
    return status;
}

/* Returns the length of the options before the patterns (kernels/search.c), or
   0 if there are none. Sets *several if the rest has several patterns with a
   separator between them; the separator is the last but one byte of the
   options. */
static size_t options_of(bool *several, const uint8_t *arg, uint32_t arg_bytes)
{
    size_t folds = arg_bytes > 2 && arg[2] == 'i';
    size_t at = 2 + folds;

    *several = at + 1 < arg_bytes && arg[at] != ')' && arg[at + 1] == ')' &&
               !(arg[at] < 0x80 && isalnum(arg[at]));
    at += *several;
    return at < arg_bytes && arg[at] == ')' && memcmp(arg, "(?", 2) == 0
               ? at + 1
               : 0;
}

static int store_patterns(struct format_load *load, const uint8_t *arg,
                          uint32_t arg_bytes)
{
    bool several;
    size_t options = options_of(&several, arg, arg_bytes);
    size_t bytes = arg_bytes - options;

    if (options > 0 && several) {
        return store_list(load, arg + options, bytes, arg[options - 2],
                          arg[2] == 'i' && options == 5, NULL);
    }
    format_copy_arg(load, arg, arg_bytes);
    return bytes > PATTERN_MAX ? print_error(NULL, 1, bytes) : 0;
}

static int read_arg(struct format_load *load, const uint8_t *arg,
                    uint32_t arg_bytes)
{
    const char *text = (const char *)arg;

    if (strncmp(text, "(?f)", 4) == 0 || strncmp(text, "(?if)", 5) == 0) {
        bool folds = text[2] == 'i';

        return read_patterns(load, text + 4 + folds, folds);
    }
    return store_patterns(load, arg, arg_bytes);
}

/* Adds a note if characters of a file have more bytes than those of the
   patterns. */
static void note_wide(struct format_load *load, const char *path, uint64_t at,
                      uint64_t bytes)
{
    struct file_piece piece = format_piece(load, at);
    uint8_t begin[128];
    bool has_mark = false;
    const char *wide = NULL;

    bytes = bytes < sizeof begin ? bytes : sizeof begin;
    if (file_piece_copy(begin, &piece, bytes) == 0) {
        wide = text_wide(&has_mark, begin, bytes);
    }
    if (wide != NULL) {
        format_note(
            load,
            "%s: %s %s; patterns are looked for byte by byte, and not in "
            "characters of that: `iconv -f %s -t UTF-8' converts it.",
            file_name(path),
            has_mark ? "begins with the mark of" : "seems to be", wide, wide);
    }
}

static int read_search(struct format_load *load, const char *path,
                       const uint8_t *arg, uint32_t arg_bytes)
{
    int status;

    if (path == NULL) {
        fprintf(stderr, "quincunx: kernel search needs an INPUT\n");
        return EXIT_USAGE;
    }
    status = read_arg(load, arg, arg_bytes);
    status = status != 0 ? status : format_open(load, path);
    if (status == 0) {
        note_wide(load, path, 0, load->units);
    }
    return status;
}

/* Returns a byte that no match can contain, a newline if possible. Between two
   files, it keeps matches from reaching into the next file. Returns -1 if there
   is no such byte. */
static int byte_between(const struct format_load *load)
{
    bool used[256] = {false};
    bool several;
    size_t options = options_of(&several, load->arg, load->arg_bytes);
    bool folds = options > 0 && load->arg[2] == 'i';

    for (size_t i = options; i < load->arg_bytes; ++i) {
        uint8_t byte = load->arg[i];

        used[byte] = true;
        if (folds && byte < 0x80 && isalpha(byte)) {
            used[byte ^ 0x20] = true;
        }
    }
    if (options > 0 && several) { /* the separator is in no pattern */
        used[load->arg[options - 2]] = false;
    }
    for (int i = 0; i < 256; ++i) {
        int byte = ('\n' + i) % 256;

        if (!used[byte]) {
            return byte;
        }
    }
    return -1;
}

static int read_several(struct format_load *load, const char *const path[],
                        uint32_t count, const uint8_t *arg, uint32_t arg_bytes)
{
    int status = read_arg(load, arg, arg_bytes);
    int between = status == 0 ? byte_between(load) : 0;

    if (between < 0) {
        fputs("quincunx: --arg: the pattern has all 256 bytes; with several "
              "INPUTs it must leave one that can lie between the files\n",
              stderr);
        return EXIT_USAGE;
    }
    status = status != 0
                 ? status
                 : format_open_several(load, path, count, (uint8_t)between);
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        note_wide(load, path[i], load->files[i].at, load->files[i].bytes);
    }
    return status;
}

const struct format format_search = {
    .kernel = "search",
    .example = "needle",
    .done = "searched",
    .thing = "match",
    .things = "matches",
    .input = "any files",
    .read = read_search,
    .read_several = read_several,
};

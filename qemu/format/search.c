/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The argument of `search`: what the kernel reads (kernels/search.c), and
 * besides (?f)FILE or (?if)FILE for the lines of a file as patterns.
 */
#include "qemu/format/format.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/file.h"
#include "qemu/support/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_MAX 255u
#define PATTERNS_MAX 255u

/* Says what is wrong with a pattern: its number is its line's. */
static int print_error(const char *path, unsigned number, size_t bytes)
{
    const char *name = path != NULL ? path : "--arg";
    const char *place = path != NULL ? "line" : "pattern";

    if (number > PATTERNS_MAX) {
        file_error(name, "%s %u: at most 255 patterns are allowed", place,
                   number);
    } else {
        file_error(name, "%s %u: %zu bytes; a pattern has 1 to 255 bytes",
                   place, number, bytes);
    }
    return path != NULL ? EXIT_FAILED : EXIT_USAGE;
}

static int check_patterns(const uint8_t *text, size_t bytes, int separator,
                          const char *path)
{
    size_t from = 0;
    unsigned number = 0;

    while (from <= bytes) {
        const uint8_t *end = memchr(text + from, separator, bytes - from);
        size_t length = (end != NULL ? (size_t)(end - text) : bytes) - from;

        number += 1;
        if (number > PATTERNS_MAX || length == 0 || length > PATTERN_MAX) {
            return print_error(path, number, length);
        }
        from += length + 1;
    }
    return 0;
}

/* Line ends become '\n', and the last line has none; the bytes left. */
static size_t plain_lines(uint8_t *text, size_t bytes)
{
    size_t to = 0;

    for (size_t from = 0; from < bytes; ++from) {
        if (text[from] != '\r' || from + 1 == bytes || text[from + 1] != '\n') {
            text[to++] = text[from];
        }
    }
    return to > 0 && text[to - 1] == '\n' ? to - 1 : to;
}

/* The lines of a file as patterns with '\n' between. */
static int read_patterns(struct format_load *load, const char *path, bool folds)
{
    const char *options = folds ? "(?i\n)" : "(?\n)";
    uint8_t *text = NULL;
    uint64_t bytes = 0;
    int status = format_read_file(load, &text, &bytes, path);

    if (status == 0) {
        bytes = plain_lines(text, (size_t)bytes);
        status = bytes == 0 ? file_error(path, "has no pattern")
                            : check_patterns(text, bytes, '\n', path);
    }
    if (status == 0) {
        load->arg_bytes = (uint32_t)(strlen(options) + bytes);
        load->arg = memory_or_exit(malloc(load->arg_bytes));
        memcpy(load->arg, options, strlen(options));
        memcpy(load->arg + strlen(options), text, bytes);
    }
    free(text);
    return status;
}

/* Bytes of the options (kernels/search.c); tells whether a separator, their
   last byte but one, makes several patterns of the rest. */
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

/* Takes the argument as it is, but names the pattern that the kernel would not
   take. */
static int store_patterns(struct format_load *load, const uint8_t *arg,
                          uint32_t arg_bytes)
{
    bool several;
    size_t options = options_of(&several, arg, arg_bytes);
    size_t bytes = arg_bytes - options;

    format_copy_arg(load, arg, arg_bytes);
    if (options > 0 && several) {
        return check_patterns(arg + options, bytes, arg[options - 2], NULL);
    }
    return bytes > PATTERN_MAX ? print_error(NULL, 1, bytes) : 0;
}

/* Stores what the kernel reads. Result: as of read(). */
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

static int read_search(struct format_load *load, const char *path,
                       const uint8_t *arg, uint32_t arg_bytes)
{
    int status;

    if (path == NULL) {
        fprintf(stderr, "quincunx: kernel search needs an INPUT\n");
        return EXIT_USAGE;
    }
    status = read_arg(load, arg, arg_bytes);
    return status != 0 ? status : format_open(load, path);
}

/* A byte that no occurrence of a pattern can have: between two files it ends
   all that begins in the first. A newline if there is a choice; -1: there is
   none, which takes 255 bytes that stand for both cases. */
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
    if (options > 0 && several) { /* not in a pattern, but between them */
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
    return status != 0
               ? status
               : format_open_several(load, path, count, (uint8_t)between);
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

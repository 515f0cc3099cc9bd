/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the argument of kernel `search`: a pattern, or options and patterns,
 *
 *   "(?" [option { "," option }] [separator] ")" pattern { separator pattern }
 *
 * An option is a word for -o, or letters: i for either case, f for a file whose
 * lines are the patterns. The kernel gets patterns with their lengths
 * (kernels/search.c). Its output is a bit for each byte of the load, set where
 * a pattern begins; with them this file writes offsets or lines.
 */
#include "qemu/format/format.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_MAX 255u
#define PATTERNS_MAX 255u
/* The kernel's argument: flags, patterns behind their lengths, a tail of 0. */
#define FOLDS 1u
#define OUTPUT 2u
#define TAIL 3u

enum output {
    OUTPUT_OPEN,
    OUTPUT_LINES,
    OUTPUT_TEXT,
    OUTPUT_U64
};

static const struct {
    const char *word;
    enum output output;
} words[] = {{"lines", OUTPUT_LINES},
             {"offsets", OUTPUT_TEXT},
             {"offsets=text", OUTPUT_TEXT},
             {"offsets=u64", OUTPUT_U64}};

/* What stands before the patterns; write() needs it, too. */
struct options {
    size_t bytes; /* length of the options, with "(?" and ")"; 0: none */
    enum output output;
    bool folds;
    bool file;
    bool several; /* a separator divides the rest into patterns */
    uint8_t separator;
};

/* The patterns of the kernel's argument, without repeated ones. */
struct patterns {
    struct format_load *load; /* the load whose argument gets the patterns */
    const struct options *options;
    const char *path; /* file with the patterns; NULL: they are in --arg */
    unsigned count;
    unsigned number[PATTERNS_MAX]; /* line in the file, or number in --arg */
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

/* Returns the number of the pattern that this one repeats; 0: none. */
static unsigned same_as(const struct patterns *patterns, const uint8_t *text,
                        size_t bytes)
{
    const uint8_t *at = patterns->load->arg + 1;

    for (unsigned i = 0; i < patterns->count; ++i, at += 1 + *at) {
        if (*at == bytes &&
            is_same(at + 1, text, bytes, patterns->options->folds)) {
            return patterns->number[i];
        }
    }
    return 0;
}

/* Appends a pattern, if it was not listed before. Returns 0, or an exit status
   after a message. */
static int add_pattern(struct patterns *patterns, const uint8_t *text,
                       size_t bytes, unsigned number)
{
    struct format_load *load = patterns->load;
    unsigned same = bytes > 0 ? same_as(patterns, text, bytes) : 0;

    if (same > 0) {
        if (patterns->again == 0) {
            patterns->again_number = number;
            patterns->same_number = same;
        }
        patterns->again += 1;
        return 0;
    }
    if (bytes == 0 || bytes > PATTERN_MAX || patterns->count == PATTERNS_MAX) {
        return print_error(patterns->path, number, bytes);
    }
    patterns->number[patterns->count++] = number;
    load->arg[load->arg_bytes] = (uint8_t)bytes;
    memcpy(load->arg + load->arg_bytes + 1, text, bytes);
    load->arg_bytes += 1 + (uint32_t)bytes;
    return 0;
}

static int add_patterns(struct patterns *patterns, const uint8_t *text,
                        size_t bytes)
{
    const struct options *options = patterns->options;
    size_t from = 0;
    unsigned number = 0;
    int status = 0;

    while (from <= bytes && status == 0) {
        const uint8_t *end =
            options->several
                ? memchr(text + from, options->separator, bytes - from)
                : NULL;
        size_t length = (end != NULL ? (size_t)(end - text) : bytes) - from;

        number += 1;
        status = add_pattern(patterns, text + from, length, number);
        from += length + 1;
    }
    return status;
}

/* Makes the kernel's argument of patterns. `path` names their file, or is NULL
   for --arg. Returns as read() does. */
static int store_patterns(struct format_load *load,
                          const struct options *options, const uint8_t *text,
                          size_t bytes, const char *path)
{
    struct patterns patterns = {.load = load, .options = options, .path = path};
    int status;

    load->arg = memory_or_exit(calloc(1, 1 + bytes + 1 + TAIL));
    load->arg[0] = (uint8_t)((options->folds ? FOLDS : 0) |
                             (load->wants_output ? OUTPUT : 0));
    load->arg_bytes = 1;
    status = add_patterns(&patterns, text, bytes);
    load->arg_bytes += TAIL;
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

/* Reads a file's lines as patterns, without blank lines at its end. */
static int read_patterns(struct format_load *load,
                         const struct options *options, const char *path)
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
        status = text.bytes == 0 ? file_error(path, "has no pattern")
                                 : store_patterns(load, options, text.data,
                                                  (size_t)text.bytes, path);
    }
    free(text.data);
    return status;
}

static int refuse_option(const char *word)
{
    return usage_error(
        "--arg: (?..): '%s' is no option; allowed are i (either case), f (a "
        "file's lines), lines, offsets=text and offsets=u64 (of -o), with "
        "commas between, and last a byte such as | that separates patterns; "
        "(?) begins a pattern that itself begins with (?",
        quote_shown(word));
}

/* Takes one option, a word or letters. */
static int read_option(struct options *options, const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (strcmp(word, words[i].word) == 0) {
            if (options->output != OUTPUT_OPEN &&
                options->output != words[i].output) {
                return usage_error("--arg: (?..): -o gets one of lines, "
                                   "offsets=text and offsets=u64; '%s' is a "
                                   "second one",
                                   word);
            }
            options->output = words[i].output;
            return 0;
        }
    }
    if (word[0] == '\0' || word[strspn(word, "if")] != '\0') {
        return refuse_option(word);
    }
    options->folds = options->folds || strchr(word, 'i') != NULL;
    options->file = options->file || strchr(word, 'f') != NULL;
    return 0;
}

/* Takes the options between "(?" and ")". */
static int read_options(struct options *options, const uint8_t *arg,
                        size_t bytes)
{
    uint8_t last = bytes > 0 ? arg[bytes - 1] : '0';
    char *words;
    char *next;
    int status = 0;

    options->several = last >= 0x80 || !isalnum(last);
    options->separator = last;
    bytes -= options->several;
    words = memory_or_exit(strndup((const char *)arg, bytes));
    next = bytes > 0 ? words : NULL;
    if (strlen(words) < bytes) { /* a byte of 0 */
        status = refuse_option(words);
    }
    while (status == 0 && next != NULL) {
        status = read_option(options, strsep(&next, ","));
    }
    free(words);
    if (status == 0 && options->file && options->several) {
        return usage_error("--arg: (?f..): the lines of a file are patterns; "
                           "no '%s' can separate them",
                           quote_shown((char[]){(char)last, '\0'}));
    }
    if (options->file) {
        options->several = true;
        options->separator = '\n';
    }
    return status;
}

/* Finds the options before the patterns. Returns 0 or EXIT_USAGE. */
static int find_options(struct options *options, const uint8_t *arg,
                        uint32_t arg_bytes)
{
    const uint8_t *end = arg_bytes > 2 && memcmp(arg, "(?", 2) == 0
                             ? memchr(arg + 2, ')', arg_bytes - 2)
                             : NULL;

    if (end == NULL) {
        return 0;
    }
    options->bytes = (size_t)(end - arg) + 1;
    return read_options(options, arg + 2, options->bytes - 3);
}

/* Stores the kernel's argument without repeated patterns; refuses invalid ones.
   Returns as read() does. */
static int read_arg(struct format_load *load, const uint8_t *arg,
                    uint32_t arg_bytes)
{
    struct options *options = memory_or_exit(calloc(1, sizeof *options));
    int status = find_options(options, arg, arg_bytes);

    load->context = options;
    if (status != 0) {
        return status;
    }
    arg += options->bytes;
    return options->file ? read_patterns(load, options, (const char *)arg)
                         : store_patterns(load, options, arg,
                                          arg_bytes - options->bytes, NULL);
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

static bool has_zero(FILE *file)
{
    uint8_t block[65536];
    bool found = false;
    size_t bytes;

    rewind(file);
    while (!found && (bytes = fread(block, 1, sizeof block, file)) > 0) {
        found = memchr(block, 0, bytes) != NULL;
    }
    return found;
}

/* Sets the output that was left open: lines, or offsets where a byte of 0 says
   that the load is no text. */
static void set_output(struct format_load *load)
{
    struct options *options = load->context;

    if (!load->wants_output || options->output != OUTPUT_OPEN) {
        return;
    }
    options->output = OUTPUT_LINES;
    if (has_zero(load->file)) {
        options->output = OUTPUT_TEXT;
        format_note(load, "INPUT has bytes of 0: -o has offsets; (?lines) "
                          "before the pattern asks for lines.");
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
        set_output(load);
    }
    return status;
}

/* Returns a byte that no match can contain, a newline if possible. Between two
   files, it keeps matches from reaching into the next file. Returns -1 if there
   is no such byte. */
static int byte_between(const struct format_load *load)
{
    bool used[256] = {false};

    for (const uint8_t *at = load->arg + 1; *at > 0; at += 1 + *at) {
        for (unsigned i = 1; i <= *at; ++i) {
            used[at[i]] = true;
            if ((load->arg[0] & FOLDS) != 0 && at[i] < 0x80 && isalpha(at[i])) {
                used[at[i] ^ 0x20] = true;
            }
        }
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
    if (status == 0) {
        set_output(load);
    }
    return status;
}

/* ---- the output ---- */

static int check(const struct format_load *load, const char *path)
{
    const struct options *options = load->context;

    if (options->output == OUTPUT_U64 && load->file_count > 1) {
        return usage_error("-o '%s': offsets=u64 of several INPUTs would not "
                           "say in which; must be offsets=text or lines",
                           file_is_standard_output(path)
                               ? "-"
                               : quote_shown(path)) != 0;
    }
    return 0;
}

static void print_name(FILE *out, const struct format_file *file)
{
    if (file->name != NULL) {
        fprintf(out, "%s:", file->name);
    }
}

static void write_offsets(FILE *out, const struct format_file *file,
                          const uint8_t *output, bool text)
{
    uint64_t end = file->at + file->bytes;

    for (uint64_t at = format_next_bit(output, file->at, end); at < end;
         at = format_next_bit(output, at + 1, end)) {
        uint64_t offset = at - file->at;

        if (text) {
            print_name(out, file);
            fprintf(out, "%" PRIu64 "\n", offset);
        } else {
            fwrite(&offset, sizeof offset, 1, out);
        }
    }
}

/* Writes the lines of a file in which a match begins. */
static int write_lines(FILE *out, const struct format_load *load,
                       const struct format_file *file, const uint8_t *output)
{
    uint64_t end = file->at + file->bytes;
    uint64_t at = file->at;
    char *line = NULL;
    size_t room = 0;
    ssize_t got = fseeko(load->file, (off_t)at, SEEK_SET);

    while (at < end && got >= 0) {
        uint64_t next;

        got = getline(&line, &room, load->file);
        next = got < 0 || (uint64_t)got > end - at ? end : at + (uint64_t)got;
        if (got >= 0 && format_next_bit(output, at, next) < next) {
            size_t bytes = (size_t)(next - at);

            print_name(out, file);
            fwrite(line, 1, bytes - (line[bytes - 1] == '\n'), out);
            fputc('\n', out);
        }
        at = next;
    }
    free(line);
    return got >= 0
               ? 0
               : file_error(load->path, "has changed, or cannot be read again");
}

static int write_matches(FILE *out, const struct format_load *load,
                         const char *path, const uint8_t *output,
                         uint64_t bytes)
{
    const struct options *options = load->context;
    const struct format_file whole = {.bytes = load->units * load->unit_bytes};
    const struct format_file *file = load->files != NULL ? load->files : &whole;
    int status = 0;

    (void)path;
    (void)bytes;
    for (uint32_t i = 0; status == 0 && (i == 0 || i < load->file_count); ++i) {
        if (options->output == OUTPUT_LINES) {
            status = write_lines(out, load, &file[i], output);
        } else {
            write_offsets(out, &file[i], output,
                          options->output == OUTPUT_TEXT);
        }
    }
    return status;
}

const struct format format_search = {
    .kernel = "search",
    .argument =
        "a byte pattern, 1 to 255 bytes; (?i)PATTERN for ASCII letters of "
        "either case; (?|)ONE|TWO|... for up to 255 patterns, or another "
        "separator than |; (?f)FILE for the lines of a file as patterns; "
        "(?lines), (?offsets) and (?offsets=u64) for what -o gets; several as "
        "in (?i,offsets|)ONE|TWO; (?)PATTERN for a pattern that begins like "
        "these",
    .example = "needle",
    .done = "searched",
    .thing = "match",
    .things = "matches",
    .input = "any files",
    .output = "the lines with a match, or offsets",
    .read = read_search,
    .read_several = read_several,
    .check = check,
    .write = write_matches,
};

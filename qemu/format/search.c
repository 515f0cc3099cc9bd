/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the argument of kernel `search`: a pattern, or options and patterns,
 *
 *   "(?" [option { "," option }] [separator] ")" pattern { separator pattern }
 *
 * An option is a word for -o, or letters: i for either case, f for a file whose
 * lines are the patterns. The kernel gets its own form (kernels/search.c). Its
 * output is a bit for each byte of the load, set where a pattern begins; with
 * them this file writes offsets or lines.
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

#define BLOCK_BYTES 65536u

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

/* Begins the kernel's argument, which has room for `bytes` bytes of patterns.
 */
static void begin_arg(struct format_load *load, const struct options *options,
                      size_t bytes)
{
    load->arg = memory_or_exit(malloc(bytes + strlen("(?io|)")));
    if (options->bytes > 0 || load->wants_output) {
        append(load, "(?i", options->folds ? 3 : 2);
        append(load, "o", load->wants_output ? 1 : 0);
        append(load, &options->separator, options->several ? 1 : 0);
        append(load, ")", 1);
    }
}

/* Makes the kernel's argument of a list of patterns between separators. `path`
   names the file, or is NULL for --arg. Returns as read() does. */
static int store_list(struct format_load *load, const struct options *options,
                      const uint8_t *text, size_t bytes, const char *path)
{
    struct patterns patterns = {.load = load,
                                .path = path,
                                .separator = options->separator,
                                .folds = options->folds};
    int status;

    begin_arg(load, options, bytes);
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
                                 : store_list(load, options, text.data,
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
    size_t bytes = arg_bytes - options->bytes;

    load->context = options;
    if (status != 0) {
        return status;
    }
    arg += options->bytes;
    if (options->file) {
        return read_patterns(load, options, (const char *)arg);
    }
    if (options->several) {
        return store_list(load, options, arg, bytes, NULL);
    }
    begin_arg(load, options, bytes);
    append(load, arg, bytes);
    return bytes > PATTERN_MAX ? print_error(NULL, 1, bytes) : 0;
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

/* ---- the load, block by block ---- */

struct view {
    const struct format_load *load;
    uint64_t at; /* offset of the block */
    uint32_t bytes;
    uint8_t block[BLOCK_BYTES];
};

/* Returns the block of the load that has byte `at`, with the offset of its
   first byte and its length; or NULL after a message. */
static const uint8_t *see(struct view *view, uint64_t at)
{
    const struct format_load *load = view->load;
    uint64_t bytes = load->units * load->unit_bytes;
    struct file_piece piece;

    if (at >= view->at && at - view->at < view->bytes) {
        return view->block;
    }
    view->at = at - at % BLOCK_BYTES;
    view->bytes = (uint32_t)(bytes - view->at < BLOCK_BYTES ? bytes - view->at
                                                            : BLOCK_BYTES);
    piece = format_piece(load, view->at);
    if (file_piece_copy(view->block, &piece, view->bytes) == 0) {
        return view->block;
    }
    file_error(load->path, "has changed, or cannot be read again");
    return NULL;
}

/* Sets the output that was left open: lines, or offsets where a byte of 0 says
   that the load is no text. */
static int set_output(struct format_load *load)
{
    struct options *options = load->context;
    struct view view = {.load = load};

    if (!load->wants_output || options->output != OUTPUT_OPEN) {
        return 0;
    }
    options->output = OUTPUT_LINES;
    for (uint64_t at = 0; at < load->units; at += view.bytes) {
        if (see(&view, at) == NULL) {
            return 1;
        }
        if (memchr(view.block, 0, view.bytes) != NULL) {
            options->output = OUTPUT_TEXT;
            format_note(load, "INPUT has bytes of 0: -o has offsets; (?lines) "
                              "before the pattern asks for lines.");
            return 0;
        }
    }
    return 0;
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
        status = set_output(load);
    }
    return status;
}

/* Returns a byte that no match can contain, a newline if possible. Between two
   files, it keeps matches from reaching into the next file. Returns -1 if there
   is no such byte. */
static int byte_between(const struct format_load *load)
{
    const struct options *options = load->context;
    bool used[256] = {false};
    size_t head = 0;

    while (options->bytes > 0 || load->wants_output) {
        if (load->arg[head++] == ')') {
            break;
        }
    }
    for (size_t i = head; i < load->arg_bytes; ++i) {
        uint8_t byte = load->arg[i];

        used[byte] = true;
        if (options->folds && byte < 0x80 && isalpha(byte)) {
            used[byte ^ 0x20] = true;
        }
    }
    if (options->several) { /* the separator is in no pattern */
        used[options->separator] = false;
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
    return status == 0 ? set_output(load) : status;
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

/* A part of the load that matches are in. */
struct part {
    const char *name; /* NULL: the whole load */
    uint64_t at;
    uint64_t end;
};

/* Returns the file that has byte `at`. *index is that of an earlier byte. */
static struct part part_of(const struct format_load *load, uint32_t *index,
                           uint64_t at)
{
    const struct format_file *file = load->files;

    if (file == NULL) {
        return (struct part){.end = load->units * load->unit_bytes};
    }
    while (at >= file[*index].at + file[*index].bytes) {
        *index += 1;
    }
    file += *index;
    return (struct part){file->name, file->at, file->at + file->bytes};
}

static void write_offset(FILE *out, const struct part *part, uint64_t at,
                         bool text)
{
    uint64_t offset = at - part->at;

    if (!text) {
        fwrite(&offset, sizeof offset, 1, out);
    } else if (part->name != NULL) {
        fprintf(out, "%s:%" PRIu64 "\n", part->name, offset);
    } else {
        fprintf(out, "%" PRIu64 "\n", offset);
    }
}

/* Returns where the line of byte `at` begins, `least` or later; or UINT64_MAX
   after a message. */
static uint64_t line_at(struct view *view, uint64_t at, uint64_t least)
{
    while (at > least) {
        const uint8_t *block = see(view, at - 1);
        const uint8_t *end;
        uint64_t from;

        if (block == NULL) {
            return UINT64_MAX;
        }
        from = view->at > least ? view->at : least;
        end = memrchr(block + (from - view->at), '\n', at - from);
        if (end != NULL) {
            return view->at + (uint64_t)(end - block) + 1;
        }
        at = from;
    }
    return at;
}

/* Writes the line from `at` on. Returns the offset behind it; or UINT64_MAX
   after a message. */
static uint64_t write_line(FILE *out, struct view *view,
                           const struct part *part, uint64_t at)
{
    const uint8_t *end = NULL;

    if (part->name != NULL) {
        fprintf(out, "%s:", part->name);
    }
    while (at < part->end && end == NULL) {
        const uint8_t *block = see(view, at);
        uint64_t bytes;

        if (block == NULL) {
            return UINT64_MAX;
        }
        block += at - view->at;
        bytes = view->at + view->bytes - at;
        bytes = bytes < part->end - at ? bytes : part->end - at;
        end = memchr(block, '\n', bytes);
        bytes = end != NULL ? (uint64_t)(end - block) : bytes;
        fwrite(block, 1, bytes, out);
        at += bytes;
    }
    fputc('\n', out);
    return at + 1;
}

static int write_matches(FILE *out, const struct format_load *load,
                         const char *path, const uint8_t *output,
                         uint64_t bytes)
{
    const struct options *options = load->context;
    struct view view = {.load = load};
    uint32_t index = 0;
    uint64_t next = 0; /* offset behind the last line written */

    (void)path;
    for (uint64_t at = 0; at < 8 * bytes && next != UINT64_MAX; ++at) {
        struct part part;

        if ((output[at / 8] >> at % 8 & 1) == 0 || at < next) {
            continue;
        }
        part = part_of(load, &index, at);
        if (options->output != OUTPUT_LINES) {
            write_offset(out, &part, at, options->output == OUTPUT_TEXT);
            continue;
        }
        next = line_at(&view, at, next > part.at ? next : part.at);
        if (next != UINT64_MAX) {
            next = write_line(out, &view, &part, next);
        }
    }
    return next == UINT64_MAX;
}

const struct format format_search = {
    .kernel = "search",
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

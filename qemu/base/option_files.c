/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/option_line.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    char option[OPTION_NAME_BYTES]; /* name for messages: "--report", "-o" */
    const char *path; /* for outputs: what file_output_name() returns */
    /* suffixes that suit the file, "html htm"; NULL: all */
    const char *suffixes;
    bool written; /* false: the file is only read */
};

/* ---- checks ---- */

static int check_pair(const struct file *file, const struct file *other)
{
    bool standard = file_is_standard_output(file->path);

    if (standard && other->written && file_is_standard_output(other->path)) {
        return usage_error(
            "%s -: standard output is taken by %s; must be a file",
            file->option, other->option);
    }
    if (file->path[0] == '\0' || !file_same(file->path, other->path)) {
        return 0;
    }
    return usage_error(
        "%s '%s': is the file of %s '%s', too; must be a file of its own",
        file->option, quote_shown(file->path), other->option,
        quote_shown(other->path));
}

/* File name suffixes by which people and programs tell a file's kind. */
static const char known[] =
    " png apng jpg jpeg jpe gif bmp tif tiff webp heic heif avif jxl jp2 svg "
    "svgz eps emf wmf "
    "ps pdf pgm ppm pnm pbm pam pfm ico tga exr hdr psd "
    "wav wave flac ogg oga opus mp2 mp3 m4a aac wma aif aiff aifc au snd caf "
    "w64 rf64 raw gsm vox voc xi wve bwf amr mid midi wv ape mp4 m4v m4b mkv "
    "mka avi mov webm "
    "mpg mpeg "
    "csv tsv tab psv xls xlsx xlsm ods odt doc docx ppt pptx odp rtf parquet "
    "feather arrow avro orc sqlite db dbf sql json jsonl ndjson geojson yaml "
    "yml toml xml html htm xhtml md rst tex txt npy npz mat h5 hdf5 "
    "hdf nc pkl pickle msgpack cbor fits dcm ipynb epub sav dta rds "
    "gz bz2 xz zst zip 7z rar tar tgz txz tbz2 tzst lz lzo lz4 lzma br z cab "
    "elf hex exe dll so o a c h py js css sh ";

static bool has_word(const char *list, const char *word)
{
    size_t bytes = strlen(word);

    while ((list = strcasestr(list, word)) != NULL) {
        if ((list[bytes] == ' ' || list[bytes] == '\0') && list[-1] == ' ') {
            return true;
        }
        list += bytes;
    }
    return false;
}

static int check_name(const struct file *file)
{
    const char *slash = strrchr(file->path, '/');
    const char *dot = strrchr(slash != NULL ? slash : file->path, '.');
    char allowed[80];

    if (file->path[0] == '\0') {
        return usage_error("%s '': must be a file's name", file->option);
    }
    if (file->suffixes == NULL || dot == NULL || dot[1] == '\0' ||
        strchr(dot, ' ') != NULL) {
        return 0;
    }
    snprintf(allowed, sizeof allowed, " %s", file->suffixes);
    if (has_word(allowed, dot + 1) || !has_word(known, dot + 1)) {
        return 0;
    }
    fprintf(stderr,
            "quincunx: %s '%s': its name says %s, and it would be .%.*s; may "
            "end in",
            file->option, quote_shown(file->path), quote_shown(dot),
            (int)strcspn(file->suffixes, " "), file->suffixes);
    for (const char *at = allowed; *at != '\0'; at += strcspn(at, " ")) {
        at += 1;
        fprintf(stderr, " .%.*s,", (int)strcspn(at, " "), at);
    }
    fputs(" or as no kind of file does\n", stderr);
    return EXIT_USAGE;
}

/* No output may be the same file as an earlier element of file[]. */
static int check_all(const struct file file[], size_t files)
{
    int status = 0;

    for (size_t i = 0; i < files && status == 0; ++i) {
        for (size_t j = 0; j < i && file[i].written && status == 0; ++j) {
            status = check_pair(&file[i], &file[j]);
        }
        if (status == 0 && (file[i].written || file[i].suffixes != NULL)) {
            status = check_name(&file[i]);
        }
    }
    for (size_t i = 0; i < files && status == 0; ++i) {
        if (file[i].written &&
            file_output_check(file[i].path, file[i].option) != 0) {
            status = EXIT_FAILED;
        }
    }
    return status;
}

/* ---- the files of a command line ---- */

/* Returns a sort key of files for check_all(): 0 for files to read, 1
   for the standard output of a flag, 2 for files to write, 3 for files to read
   and write. */
static unsigned rank_of(const struct option_row *row)
{
    return row->type == OPTION_UPDATE                                  ? 3
           : row->type == OPTION_OUTPUT || row->type == OPTION_OUTPUTS ? 2
           : row->prints                                               ? 1
                                                                       : 0;
}

/* Returns the path of the file that an option or word names, or NULL if it
   names none. Paths of output files come from file_output_name(). */
static const char *file_of(const struct option_given *given)
{
    const struct option_row *row = given->entry->row;
    const char *text = given->text;

    if (row->type < OPTION_LISTS && text != given->entry->text) {
        return NULL; /* the option is given again later */
    }
    switch (row->type) {
    case OPTION_INPUT:
    case OPTION_PATH:
    case OPTION_UPDATE:
    case OPTION_INPUTS:
        return text;
    case OPTION_OUTPUT:
    case OPTION_OUTPUTS:
        return file_output_name(text);
    case OPTION_PLACES:
        text = strstr(row->value, "FILE") != NULL ? strchr(text, '=') : NULL;
        return text != NULL ? text + 1 : NULL;
    default:
        return row->file != NULL       ? row->file(given->entry->options, text)
               : row->suffixes != NULL ? text
                                       : NULL;
    }
}

static void put_name(char name[OPTION_NAME_BYTES],
                     const struct option_entry *entry)
{
    if (entry->row->letter != '\0') {
        snprintf(name, OPTION_NAME_BYTES, "-%c", entry->row->letter);
    } else {
        memcpy(name, entry->name, OPTION_NAME_BYTES);
    }
}

static struct file describe_file(const struct option_given *given)
{
    const struct option_entry *entry = given->entry;
    const struct option_row *row = entry->row;
    struct file file = {
        .path = row->prints ? file_output_name("-") : file_of(given),
        .suffixes = row->suffixes_of != NULL ? row->suffixes_of(entry->options)
                                             : row->suffixes,
        .written = rank_of(row) > 0};

    put_name(file.option, entry);
    return file;
}

int option_files_check(const struct option_line *line)
{
    const struct option_command *command = line->command;
    struct file *file = memory_or_exit(calloc(line->count + 1, sizeof *file));
    FILE *people = stdout;
    size_t count = 0;
    int status;

    for (unsigned rank = 0; rank < 4; ++rank) {
        for (size_t i = 0; i < line->count; ++i) {
            if (rank_of(line->given[i].entry->row) == rank) {
                file[count] = describe_file(&line->given[i]);
                count += file[count].path != NULL;
            }
        }
    }
    status = check_all(file, count);
    for (size_t i = 0; i < count; ++i) {
        if (file[i].written && file_is_standard_output(file[i].path)) {
            people = stderr;
        }
    }
    if (command->people != 0) {
        *(FILE **)(void *)((char *)line->options + command->people) = people;
    }
    free(file);
    return status;
}

int option_files_check_read(const struct option_line *line, const char *option,
                            const char *path)
{
    struct file read = {.path = path};
    int status = 0;

    snprintf(read.option, sizeof read.option, "%s", option);
    for (size_t i = 0; i < line->rows; ++i) {
        const struct option_entry *entry = &line->entry[i];
        const struct option_texts one = {option_field(entry), 1};
        const struct option_texts *outputs =
            entry->row->type == OPTION_OUTPUTS ? option_field(entry) : &one;

        if (rank_of(entry->row) < 2) {
            continue;
        }
        for (uint32_t j = 0; status == 0 && j < outputs->count; ++j) {
            struct file file = {.path = outputs->text[j], .written = true};

            put_name(file.option, entry);
            status = file.path != NULL ? check_pair(&file, &read) : 0;
        }
    }
    return status;
}

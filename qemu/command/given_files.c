/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/given_files.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool is_standard(const struct given_file *file)
{
    return file->path != NULL && file_is_standard_output(file->path);
}

/* Whether two options name one file, after a message. */
static bool is_given_twice(const struct given_file *file,
                           const struct given_file *other)
{
    if (file->path == NULL || other->path == NULL || file->path[0] == '\0') {
        return false;
    }
    if (is_standard(file) && is_standard(other)) {
        fprintf(stderr,
                "quincunx: %s -: standard output is taken by %s; must be a "
                "file\n",
                file->option, other->option);
        return true;
    }
    if (!file_same(file->path, other->path)) {
        return false;
    }
    fprintf(stderr,
            "quincunx: %s '%s': is the file of %s '%s', too; must be a file of "
            "its own\n",
            file->option, quote_shown(file->path), other->option,
            quote_shown(other->path));
    return true;
}

/* Ends of names that tell people and programs what a file is. */
static const char known[] =
    " png apng jpg jpeg jpe gif bmp tif tiff webp heic heif avif jxl jp2 svg "
    "svgz eps emf wmf "
    "ps pdf pgm ppm pnm pbm pam pfm ico tga exr hdr psd "
    "wav wave flac ogg oga opus mp2 mp3 m4a aac wma aif aiff aifc au snd caf "
    "w64 rf64 bwf voc amr mid midi wv ape mp4 m4v m4b mkv mka avi mov webm "
    "mpg mpeg "
    "csv tsv tab psv xls xlsx xlsm ods odt doc docx ppt pptx odp rtf parquet "
    "feather arrow avro orc sqlite db dbf sql json jsonl ndjson geojson yaml "
    "yml toml xml html htm xhtml md rst tex txt npy npz mat h5 hdf5 "
    "hdf nc pkl pickle msgpack cbor fits dcm ipynb epub sav dta rds "
    "gz bz2 xz zst zip 7z rar tar tgz txz tbz2 tzst lz lzo lz4 lzma br z cab "
    "elf hex exe dll so o a c h py js css sh ";

/* Whether a list of words has one, in small letters. */
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

int given_file_check_name(const struct given_file *file)
{
    const char *slash = file->path != NULL ? strrchr(file->path, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : file->path;
    const char *dot = name != NULL ? strrchr(name, '.') : NULL;
    char allowed[64];

    if (file->path != NULL && file->path[0] == '\0') {
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

int given_files_check(const struct given_file file[], uint32_t read_only,
                      uint32_t count)
{
    for (uint32_t i = read_only; i < count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            if (is_given_twice(&file[i], &file[j])) {
                return EXIT_USAGE;
            }
        }
        if (given_file_check_name(&file[i]) != 0) {
            return EXIT_USAGE;
        }
    }
    return 0;
}

int given_files_writable(const struct given_file file[], uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (file[i].path != NULL &&
            file_output_check(file[i].path, file[i].option) != 0) {
            return EXIT_FAILED;
        }
    }
    return 0;
}

const char *given_files_standard(const struct given_file file[], uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (is_standard(&file[i])) {
            return file[i].option;
        }
    }
    return NULL;
}

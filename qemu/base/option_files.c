/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/option_files.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <stdio.h>
#include <string.h>

static int check_pair(const struct option_file *file,
                      const struct option_file *other)
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
    "w64 rf64 bwf voc amr mid midi wv ape mp4 m4v m4b mkv mka avi mov webm "
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

static int check_name(const struct option_file *file)
{
    const char *slash = strrchr(file->path, '/');
    const char *dot = strrchr(slash != NULL ? slash : file->path, '.');
    char allowed[64];

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

int option_files_check(const struct option_file file[], size_t files)
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

bool option_files_standard(const struct option_file file[], size_t files)
{
    bool standard = false;

    for (size_t i = 0; i < files; ++i) {
        standard = standard ||
                   (file[i].written && file_is_standard_output(file[i].path));
    }
    return standard;
}

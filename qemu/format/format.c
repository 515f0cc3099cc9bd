/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/format.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"
#include "qemu/base/unpack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void format_free(struct format_load *load)
{
    free(load->data);
    if (load->file != NULL) {
        fclose(load->file);
    }
    free(load->files);
    free(load->arg);
    free(load->words);
    free(load->context);
    *load = (struct format_load){.data = NULL};
}

struct file_piece format_piece(const struct format_load *load, uint64_t at)
{
    return (struct file_piece){.data =
                                   load->data == NULL ? NULL : load->data + at,
                               .file = load->file,
                               .path = load->path,
                               .at = at};
}

uint64_t format_next_bit(const uint8_t *output, uint64_t from, uint64_t end)
{
    while (from < end && (output[from / 8] >> from % 8 & 1) == 0) {
        from += output[from / 8] == 0 ? 8 - from % 8 : 1;
    }
    return from < end ? from : end;
}

/* ---- notes ---- */

/* Adds a malloc'd text to the list, which frees it, unless it is there. */
static void add_text(char ***list, uint32_t *count, char *text)
{
    for (uint32_t i = 0; i < *count; ++i) {
        if (strcmp((*list)[i], text) == 0) {
            free(text);
            return;
        }
    }
    *list = memory_or_exit(realloc(*list, (*count + 1u) * sizeof **list));
    (*list)[*count] = text;
    *count += 1;
}

void format_note(struct format_load *load, const char *format, ...)
{
    char *text = NULL;
    va_list list;

    if (load->notes == NULL) {
        return;
    }
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0) {
        text = NULL;
    }
    va_end(list);
    add_text(&load->notes->text, &load->notes->count, memory_or_exit(text));
}

static void free_texts(char **list, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        free(list[i]);
    }
    free(list);
}

void format_notes_free(struct format_notes *notes)
{
    free_texts(notes->text, notes->count);
    free_texts(notes->file, notes->files);
    *notes = (struct format_notes){.text = NULL};
}

/* ---- files ---- */

size_t format_name_bytes(const char *path)
{
    static const char *const packed[] = {
        ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".lz4",
        ".lz", ".zip", ".7z",  ".rar",  ".z",  ".br",  ".lzo", ".lzma"};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot != NULL && i < sizeof packed / sizeof *packed; ++i) {
        if (strcasecmp(dot, packed[i]) == 0) {
            return (size_t)(dot - path);
        }
    }
    return strlen(path);
}

const char *format_kind(const uint8_t *file, uint64_t bytes, bool sounds)
{
    static const struct {
        const char *name;
        const char *mark;
        uint8_t bytes; /* length of the mark */
        uint8_t at;    /* its offset */
        bool is_sound;
    } kinds[] = {
        {"GIF", "GIF8", 4, 0, false},
        {"WebP", "WEBP", 4, 8, false},
        {"BMP", "BM", 2, 0, false},
        {"JPEG XL", "\xff\x0a", 2, 0, false},
        {"PFM", "Pf", 2, 0, false},
        {"PFM", "PF", 2, 0, false},
        {"PDF", "%PDF", 4, 0, false},
        {"a Photoshop file", "8BPS", 4, 0, false},
        {"SVG", "<svg", 4, 0, false},
        {"XML, as SVG", "<?xml", 5, 0, false},
        {"PNM behind a byte order mark", "\xef\xbb\xbfP", 4, 0, false},
        {"PNG that a transfer as text has damaged", "\x89PNG", 4, 0, false},
        {"AVIF", "ftypavif", 8, 4, false},
        {"HEIF", "ftyphei", 7, 4, false},
        {"HEIF", "ftypmif1", 8, 4, false},
        {"AAC", "\xff\xf1", 2, 0, true},
        {"AAC", "\xff\xf9", 2, 0, true},
        {"AAC", "ADIF", 4, 0, true},
        {"M4A", "ftypM4A", 7, 4, true},
        {"MP4 or QuickTime", "ftyp", 4, 4, true},
        {"WMA", "\x30\x26\xb2\x75\x8e\x66\xcf\x11", 8, 0, true},
        {"MIDI", "MThd\0\0\0\6", 8, 0, true},
        {"MIDI", "RMID", 4, 8, true},
        {"AVI", "AVI ", 4, 8, true},
        {"Matroska or WebM", "\x1a\x45\xdf\xa3", 4, 0, true},
        {"DSD", "DSD ", 4, 0, true},
        {"Musepack", "MPCK", 4, 0, true},
        {"Musepack", "MP+", 3, 0, true},
        {"WavPack", "wvpk", 4, 0, true},
        {"Monkey's Audio", "MAC ", 4, 0, true},
        {"True Audio", "TTA1", 4, 0, true},
        {"HCOM", "FSSD", 4, 65, true},
        {"AMR", "#!AMR", 5, 0, true}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if ((kinds[i].is_sound || !sounds) &&
            bytes >= kinds[i].at + (uint64_t)kinds[i].bytes &&
            memcmp(file + kinds[i].at, kinds[i].mark, kinds[i].bytes) == 0) {
            return kinds[i].name;
        }
    }
    return NULL;
}

int format_open_file(struct format_load *load, FILE **file, uint64_t *bytes,
                     const char *path)
{
    int status = file_open(file, bytes, path);
    uint64_t packed = *bytes;
    char kinds[UNPACK_KINDS];

    if (status == 0 && load->notes != NULL) {
        add_text(&load->notes->file, &load->notes->files,
                 memory_or_exit(strdup(path)));
    }
    if (status != 0 || load->as_is) {
        return status;
    }
    if (unpack_file(file, bytes, kinds, path) != 0) {
        fclose(*file);
        *file = NULL;
        return 1;
    }
    if (kinds[0] == '\0' && path[format_name_bytes(path)] != '\0') {
        format_note(load,
                    "%s: its name says that it is compressed, but it is of no "
                    "kind that is known here: its bytes were taken as they "
                    "are.",
                    file_name(path));
    }
    if (kinds[0] != '\0') {
        format_note(load,
                    "%s was decompressed (%s): %" PRIu64 " bytes became "
                    "%" PRIu64 ".",
                    file_name(path), kinds, packed, *bytes);
    }
    return 0;
}

int format_read_file(struct format_load *load, uint8_t **data, uint64_t *bytes,
                     const char *path)
{
    FILE *file;
    int status = format_open_file(load, &file, bytes, path);

    *data = NULL;
    if (status == 0) {
        status = file_read_open(data, file, *bytes, path);
        fclose(file);
    }
    return status;
}

int format_read_text(struct format_load *load, struct text *text,
                     const char *path)
{
    int status;

    *text = (struct text){.data = NULL};
    status = format_read_file(load, &text->data, &text->bytes, path);
    return status != 0 || load->as_is ? status : text_decode(text, path);
}

void format_note_text(struct format_load *load, const struct text *text,
                      const char *path, const char *converted, const char *wide)
{
    bool has_mark;
    const char *seems = text_wide(&has_mark, text->data, text->bytes);
    const char *name = file_name(path);
    const char *other = text_other_ends(text);

    if (other != NULL) {
        format_note(load,
                    "%s: is one line: %s, with which others end lines, are "
                    "part of it.",
                    name, other);
    }
    if (text->returns > 0) {
        format_note(load, "%s: carriage returns alone end lines of it, too.",
                    name);
    }
    if (text->marks > 0) {
        format_note(load,
                    "%s: byte order marks before further lines are left out.",
                    name);
    }
    if (text->ended) {
        format_note(load, "%s: the ^Z at its end is left out.", name);
    }
    if (text->converted) {
        format_note(load, "%s: converted from %s to UTF-8%s.", name,
                    text->encoding, converted);
    }
    if (seems != NULL && wide != NULL) {
        format_note(load,
                    "%s: seems to be %s without a mark; %s as they are, zeros "
                    "included.",
                    name, seems, wide);
    }
}

int format_open(struct format_load *load, const char *path)
{
    load->unit_bytes = 1;
    load->path = path;
    return format_open_file(load, &load->file, &load->units, path);
}

void format_list_files(struct format_load *load, const char *const path[],
                       uint32_t count)
{
    load->files = memory_or_exit(calloc(count, sizeof *load->files));
    load->file_count = count;
    for (uint32_t i = 0; i < count; ++i) {
        load->files[i].name =
            strcmp(path[i], "-") == 0 ? file_name(path[i]) : path[i];
    }
}

static int append_file(struct format_load *load, uint64_t *bytes,
                       const char *path)
{
    FILE *file;
    int status = format_open_file(load, &file, bytes, path);

    if (status == 0) {
        status = file_append(load->file, file, *bytes, path);
        fclose(file);
    }
    return status;
}

int format_open_several(struct format_load *load, const char *const path[],
                        uint32_t count, uint8_t between)
{
    uint64_t bytes = 0; /* sum of the sizes of all files */
    int status = 0;

    load->unit_bytes = 1;
    load->path = path[0];
    load->units = 0;
    format_list_files(load, path, count);
    load->file = file_scratch(path[0]);
    for (uint32_t i = 0; load->file != NULL && status == 0 && i < count; ++i) {
        struct format_file *file = &load->files[i];

        if (i > 0) {
            fputc(between, load->file);
            load->units += 1;
        }
        file->at = load->units;
        status = append_file(load, &file->bytes, path[i]);
        load->units += file->bytes;
        bytes += file->bytes;
    }
    if (load->file == NULL || status != 0) {
        return 1;
    }
    if (fflush(load->file) != 0) {
        return file_error(path[count - 1], "its copy: %s", strerror(errno));
    }
    if (bytes == 0) { /* all files are empty: as for a single empty one */
        load->units = 0;
    }
    return 0;
}

int format_parse_arg(struct format_load *load, const struct option_table *table,
                     const uint8_t *arg, uint32_t arg_bytes, void *values)
{
    const char *text = (const char *)arg;

    if (strlen(text) != arg_bytes) {
        return usage_error("--arg '%s': has a byte of 0 behind that",
                           quote_shown(text));
    }
    load->words = memory_or_exit(strdup(text));
    return option_parse_list(table, "--arg", load->words, values);
}

void format_copy_arg(struct format_load *load, const void *arg, size_t bytes)
{
    load->arg = memory_or_exit(malloc(bytes + 1));
    load->arg_bytes = (uint32_t)bytes;
    memcpy(load->arg, arg, bytes);
}

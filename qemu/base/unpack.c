/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/unpack.h"

#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define ALWAYS_ALLOWED (UINT64_C(64) << 20)
#define TIMES_ALLOWED 100u
#define LAYERS_MAX 4u
#define BLOCK 16384u
#define HEAD_BYTES 264u /* a file's first bytes that tell its kind */
#define AS_IS "; --as-is takes its bytes as they are"

struct kind {
    const char *name;
    const char *mark; /* bytes by which files of this kind are known */
    size_t mark_bytes;
    size_t at;                         /* offset of `mark` in the file */
    int (*support)(struct archive *a); /* NULL: zlib reads this kind */
    bool archive;                      /* true: the file contains named files */
};

/* Kinds of compressed files. The last one, tar, is not compressed itself. */
static const struct kind kind_table[] = {
    {"gzip", "\x1f\x8b\x08", 3, 0, NULL, false},
    {"bzip2", "1AY&SY", 6, 4, archive_read_support_filter_bzip2, false},
    {"bzip2", "\x17rE8P\x90", 6, 4, archive_read_support_filter_bzip2, false},
    {"xz",
     "\xfd"
     "7zXZ\0",
     6, 0, archive_read_support_filter_xz, false},
    {"zstd", "\x28\xb5\x2f\xfd", 4, 0, archive_read_support_filter_zstd, false},
    {"lz4", "\x04\x22\x4d\x18", 4, 0, archive_read_support_filter_lz4, false},
    {"lz4", "\x02\x21\x4c\x18", 4, 0, archive_read_support_filter_lz4, false},
    {"lzip", "LZIP\1", 5, 0, archive_read_support_filter_lzip, false},
    {"compress", "\x1f\x9d\x90", 3, 0, archive_read_support_filter_compress,
     false},
    {"zip", "PK\3\4", 4, 0, archive_read_support_format_zip, true},
    {"zip", "PK\5\6", 4, 0, archive_read_support_format_zip, true},
    {"7z", "7z\xbc\xaf\x27\x1c", 6, 0, archive_read_support_format_7zip, true},
    {"rar", "Rar!\x1a\7\0", 7, 0, archive_read_support_format_rar, true},
    {"rar", "Rar!\x1a\7\1\0", 8, 0, archive_read_support_format_rar5, true},
    {"tar", "ustar", 5, 257, archive_read_support_format_tar, true}};

#define KINDS (sizeof kind_table / sizeof *kind_table)

/* Returns the kind of a file by its first bytes, or NULL if it is not
   compressed. A tar archive counts only if `layers` compressions, 1 or more,
   were removed from it. */
static const struct kind *kind_in(const uint8_t *head, uint64_t bytes,
                                  unsigned layers)
{
    for (size_t i = 0; i < KINDS - (layers == 0); ++i) {
        const struct kind *kind = &kind_table[i];

        if (bytes >= kind->at + kind->mark_bytes &&
            memcmp(head + kind->at, kind->mark, kind->mark_bytes) == 0) {
            return kind;
        }
    }
    return NULL;
}

const char *unpack_named(const uint8_t *head, uint64_t bytes)
{
    const struct kind *kind = kind_in(head, bytes, 0);

    return kind != NULL ? kind->name : NULL;
}

static const struct kind *kind_of(FILE *file, unsigned layers)
{
    uint8_t head[HEAD_BYTES];
    ssize_t got = pread(fileno(file), head, sizeof head, 0);

    return got > 0 ? kind_in(head, (uint64_t)got, layers) : NULL;
}

/* One compression of a file, while it is removed. */
struct layer {
    const struct kind *kind;
    const char *path; /* for messages */
    int from;
    FILE *to;
    uint64_t bytes; /* length of `to` */
    uint64_t most;  /* greatest allowed length */
};

/* Prints that unpacking failed, and why: a text of a library, or NULL. Returns
   1. */
static int fail(const struct layer *layer, const char *why)
{
    static const struct {
        const char *said;
        const char *meant;
    } words[] = {{"No progress is possible",
                  "unexpected end of file, or other bytes behind its end"},
                 {"failed (-5)", "unexpected end of file"}};

    for (size_t i = 0; why != NULL && i < sizeof words / sizeof *words; ++i) {
        if (strstr(why, words[i].said) != NULL) {
            why = words[i].meant;
        }
    }
    return file_error(layer->path, "%s: cannot be decompressed: %s" AS_IS,
                      layer->kind->name,
                      why != NULL ? quote_shown(why) : "it is damaged");
}

static int put(struct layer *layer, const void *block, size_t bytes)
{
    if (bytes > layer->most - layer->bytes) {
        return file_error(layer->path,
                          "%s: expands to more than %" PRIu64
                          " bytes, 64 MiB or 100 times the file; decompress it "
                          "yourself if that is right" AS_IS,
                          layer->kind->name, layer->most);
    }
    layer->bytes += bytes;
    return fwrite(block, 1, bytes, layer->to) == bytes
               ? 0
               : file_error(layer->path, "its copy: %s", strerror(errno));
}

/* ---- by zlib ---- */

/* Skips zero bytes after a member of a gzip file, and begins the next member.
   Returns false if anything else follows. */
static bool begin_member(z_stream *stream, bool *ended)
{
    while (stream->avail_in > 0 && stream->next_in[0] == 0) {
        stream->next_in += 1;
        stream->avail_in -= 1;
    }
    if (stream->avail_in > 0) {
        *ended = false;
        return stream->next_in[0] == 0x1f && inflateReset(stream) == Z_OK;
    }
    return true;
}

static bool fill(z_stream *stream, const struct layer *layer, uint8_t *block,
                 size_t room)
{
    ssize_t got = stream->avail_in > 0 ? 1 : read(layer->from, block, room);

    if (stream->avail_in == 0 && got > 0) {
        stream->next_in = block;
        stream->avail_in = (uInt)got;
    }
    return got > 0;
}

static int inflate_all(struct layer *layer, z_stream *stream)
{
    uint8_t in[BLOCK];
    uint8_t out[BLOCK];
    bool ended = false;
    int status = 0;

    while (status == 0 && fill(stream, layer, in, sizeof in)) {
        int error;

        if (ended && !begin_member(stream, &ended)) {
            return fail(layer, "there are other bytes behind its end");
        }
        stream->next_out = out;
        stream->avail_out = sizeof out;
        error = ended ? Z_OK : inflate(stream, Z_NO_FLUSH);
        if (error != Z_OK && error != Z_STREAM_END && error != Z_BUF_ERROR) {
            return fail(layer, stream->msg != NULL ? stream->msg : "no memory");
        }
        ended = ended || error == Z_STREAM_END;
        status = put(layer, out, sizeof out - stream->avail_out);
    }
    return status != 0 || ended ? status
                                : fail(layer, "unexpected end of file");
}

static int gunzip(struct layer *layer)
{
    z_stream stream = {.avail_in = 0};
    int status;

    if (inflateInit2(&stream, 15 + 16) != Z_OK) { /* 15 + 16: gzip's header */
        return fail(layer, "no memory");
    }
    status = inflate_all(layer, &stream);
    inflateEnd(&stream);
    return status;
}

/* ---- by libarchive ---- */

static bool is_file(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);

    return archive_entry_filetype(entry) == AE_IFREG &&
           (name == NULL || strncmp(name, "__MACOSX/", 9) != 0);
}

static int put_entry(struct layer *layer, struct archive *archive)
{
    char block[BLOCK];
    int status = 0;
    la_ssize_t got = 1;

    while (status == 0 && got > 0) {
        got = archive_read_data(archive, block, sizeof block);
        status = got > 0 ? put(layer, block, (size_t)got) : 0;
    }
    return got < 0 ? fail(layer, archive_error_string(archive)) : status;
}

static int refuse_second(const struct layer *layer, const char *first,
                         struct archive_entry *second)
{
    const char *name = archive_entry_pathname(second);

    return file_error(layer->path,
                      "%s: has several files in it, such as '%s' and '%s'; "
                      "must have one" AS_IS,
                      layer->kind->name, quote_shown(first),
                      name != NULL ? quote_shown(name) : "");
}

/* Extracts the only file of an archive, or all that a decompressor puts out. */
static int put_entries(struct layer *layer, struct archive *archive)
{
    struct archive_entry *entry;
    char *first = NULL;
    int status = 0;
    int next = archive_read_next_header(archive, &entry);

    while (status == 0 && (next == ARCHIVE_OK || next == ARCHIVE_WARN)) {
        const char *name = archive_entry_pathname(entry);

        if (is_file(entry) && first != NULL) {
            status = refuse_second(layer, first, entry);
        } else if (is_file(entry)) {
            first = memory_or_exit(strdup(name != NULL ? name : ""));
            status = put_entry(layer, archive);
        }
        next = status != 0 ? next : archive_read_next_header(archive, &entry);
    }
    if (status == 0 && next != ARCHIVE_EOF) {
        status = fail(layer, archive_error_string(archive));
    }
    if (status == 0 && first == NULL && layer->kind->archive) {
        status = file_error(layer->path, "%s: has no file in it" AS_IS,
                            layer->kind->name);
    }
    free(first);
    return status;
}

/* Refuses bytes after the end of the compressed data, except zero padding. */
static int check_rest(const struct layer *layer, struct archive *archive)
{
    off_t at = (off_t)archive_filter_bytes(archive, -1);
    char block[BLOCK];
    ssize_t got;

    while ((got = pread(layer->from, block, sizeof block, at)) > 0) {
        for (ssize_t i = 0; i < got; ++i) {
            if (block[i] != 0) {
                return fail(layer, "there are other bytes behind its end");
            }
        }
        at += got;
    }
    return 0;
}

static int unarchive(struct layer *layer)
{
    struct archive *archive = memory_or_exit(archive_read_new());
    int status;

    layer->kind->support(archive);
    if (!layer->kind->archive) {
        archive_read_support_format_raw(archive);
        archive_read_support_format_empty(archive);
    }
    status = archive_read_open_fd(archive, layer->from, BLOCK) == ARCHIVE_OK
                 ? put_entries(layer, archive)
                 : fail(layer, archive_error_string(archive));
    if (status == 0 && !layer->kind->archive) {
        status = check_rest(layer, archive);
    }
    archive_read_free(archive);
    return status;
}

/* ---- all layers ---- */

uint64_t unpack_limit(uint64_t bytes)
{
    return bytes > ALWAYS_ALLOWED / TIMES_ALLOWED ? bytes * TIMES_ALLOWED
                                                  : ALWAYS_ALLOWED;
}

/* Removes one compression. */
static int unpack_layer(FILE **file, uint64_t *bytes, struct layer *layer)
{
    int status;

    layer->from = fileno(*file);
    layer->to = file_scratch(layer->path);
    if (layer->to == NULL) {
        return 1;
    }
    lseek(layer->from, 0, SEEK_SET);
    status = layer->kind->support == NULL ? gunzip(layer) : unarchive(layer);
    if (status == 0 && fflush(layer->to) != 0) {
        status = file_error(layer->path, "its copy: %s", strerror(errno));
    }
    fclose(*file);
    *file = layer->to;
    *bytes = layer->bytes;
    return status;
}

int unpack_file(FILE **file, uint64_t *bytes, char kinds[UNPACK_KINDS],
                const char *path)
{
    uint64_t most = unpack_limit(*bytes);
    struct layer layer = {.path = path};
    int status = 0;

    kinds[0] = '\0';
    for (unsigned i = 0; status == 0; ++i) {
        layer = (struct layer){
            .kind = kind_of(*file, i), .path = path, .most = most};
        if (layer.kind == NULL) {
            break;
        }
        if (i == LAYERS_MAX) {
            return file_error(path,
                              "is compressed more than 4 times over" AS_IS);
        }
        snprintf(kinds + strlen(kinds), UNPACK_KINDS - strlen(kinds), "%s%s",
                 i > 0 ? ", " : "", layer.kind->name);
        status = unpack_layer(file, bytes, &layer);
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/sound_header.h"

#include "qemu/base/file.h"

#include <inttypes.h>
#include <string.h>

#define FORM_BYTES 12u /* bytes before the first chunk */
#define CHUNK_BYTES 8u /* bytes before a chunk's contents */
#define FMT_BYTES 16u  /* least bytes of a format chunk */
#define FMT_BYTES_MAX 512u
#define OLD_BYTES_MAX (UINT32_MAX - 2 * FMT_BYTES_MAX)
#define AU_BYTES 24u
#define RATE_MAX INT32_MAX /* libsndfile's limit */

/* Lengths of at least this mean "unknown": SoX writes 7f000000 and 7ffff000
   into a pipe, other programs 7fffffff, 80000000 or ffffffff. */
#define OPEN_LENGTH 0x7f000000u

static bool is_named(const uint8_t *at, const char *name)
{
    return memcmp(at, name, 4) == 0;
}

/* Loads a number of `bytes` bytes. */
static uint64_t load(const uint8_t *at, uint32_t bytes, bool is_big)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes; ++i) {
        value = value << 8 | at[is_big ? i : bytes - 1 - i];
    }
    return value;
}

static void store(uint8_t *at, uint32_t value, bool is_big)
{
    for (uint32_t i = 0; i < 4; ++i) {
        at[is_big ? 3 - i : i] = (uint8_t)(value >> 8 * i);
    }
}

/* Hides an invalid rate, u32 at `at`, from libsndfile. */
static void check_rate(struct sound_header *header, uint8_t *at, bool is_big)
{
    uint64_t rate = load(at, 4, is_big);

    if (rate == 0 || rate > RATE_MAX) {
        header->rate_is_odd = true;
        store(at, 1, is_big);
    }
}

/* Sets the length of the samples, by the header, `size`, and by the file,
   `left`. */
static void measure(struct sound_header *header, uint64_t size, uint64_t left)
{
    header->is_open = (size >= OPEN_LENGTH && size > left) || size == 0;
    header->stated = header->is_open ? left : size;
    header->there = header->stated < left ? header->stated : left;
    header->is_open &= left > 0;
}

/* A file of chunks: each has a name, the length of its contents, and these. */
struct chunks {
    uint8_t *file;
    uint64_t bytes;
    bool is_big;         /* lengths are big-endian */
    uint32_t size_bytes; /* bytes of a length */
};

static uint64_t chunk_size(const struct chunks *in, uint64_t at)
{
    return load(in->file + at + 4, in->size_bytes, in->is_big);
}

/* Returns the chunk at or after offset `at` that has this name; else where the
   chunks end: at the file's end, or at a chunk that is longer than the file. */
static uint64_t find_chunk(const struct chunks *in, const char *name,
                           uint64_t at)
{
    uint32_t head = 4 + in->size_bytes;

    while (at < in->bytes && in->bytes - at >= head &&
           !is_named(in->file + at, name)) {
        uint64_t size = chunk_size(in, at);

        if (size > in->bytes - at - head) {
            return at;
        }
        at += head + size + (in->size_bytes == 4 ? size % 2 : 0);
    }
    return at;
}

/* Returns whether the chunk at `at` has this name and, in the file, `least`
   bytes of contents. */
static bool is_found(const struct chunks *in, const char *name, uint64_t at,
                     uint64_t least)
{
    return at < in->bytes && in->bytes - at >= 4 + in->size_bytes + least &&
           is_named(in->file + at, name);
}

/* ---- WAV ---- */

/* Returns whether the bytes from `at` on are chunks up to the end, and thus no
   samples. */
static bool are_chunks(const struct chunks *in, uint64_t at)
{
    return find_chunk(in, "\0\0\0", at) >= in->bytes;
}

/* Returns the last of several data chunks, whose samples FFmpeg takes. */
static uint64_t last_samples(const struct chunks *in, uint64_t first)
{
    uint64_t last = first;
    uint64_t next = are_chunks(in, first) ? first : in->bytes;

    while (is_found(in, "data", next, 0)) {
        uint64_t size = chunk_size(in, next);

        last = next;
        next = size == 0 ? in->bytes
                         : find_chunk(in, "data",
                                      last + CHUNK_BYTES + size + size % 2);
    }
    return last;
}

static void measure_samples(struct sound_header *header,
                            const struct chunks *in, uint64_t at)
{
    uint64_t long_at = find_chunk(in, "ds64", FORM_BYTES);
    uint64_t left = in->bytes - at - CHUNK_BYTES;
    uint64_t size = chunk_size(in, at);

    if (size == UINT32_MAX && is_found(in, "ds64", long_at, 16)) {
        size = load(in->file + long_at + CHUNK_BYTES + 8, 8, false);
    }
    measure(header, size,
            size == 0 && are_chunks(in, at + CHUNK_BYTES) ? 0 : left);
}

/* Moves form and format right before the samples, over what is there. */
static int mend_wav(struct sound_header *header, const struct chunks *in,
                    const char *path)
{
    uint64_t format = find_chunk(in, "fmt ", FORM_BYTES);
    uint64_t first = find_chunk(in, "data", FORM_BYTES);
    uint64_t size = format < first ? chunk_size(in, format) : 0;
    uint64_t last;
    uint32_t head; /* bytes of form and format */
    uint32_t there;
    uint8_t *to;

    if (!is_found(in, "data", first, 0)) {
        return first + CHUNK_BYTES <= in->bytes
                   ? file_error(path,
                                "WAV header: the chunk at byte %" PRIu64
                                " is longer than the file",
                                first)
                   : file_error(path, "WAV header: there is no data chunk");
    }
    if (size < FMT_BYTES || size > FMT_BYTES_MAX) {
        return file_error(path, "WAV header: there is no whole fmt chunk");
    }
    last = last_samples(in, first);
    measure_samples(header, in, last);
    check_rate(header, in->file + format + CHUNK_BYTES + 4, in->is_big);
    there =
        header->there < OLD_BYTES_MAX ? (uint32_t)header->there : OLD_BYTES_MAX;
    head = FORM_BYTES + CHUNK_BYTES + (uint32_t)(size + size % 2);
    to = in->file + last - head;
    memmove(to + FORM_BYTES, in->file + format, CHUNK_BYTES + size);
    memcpy(to, in->is_big ? "RIFX....WAVE" : "RIFF....WAVE", FORM_BYTES);
    store(to + 4, there + head, in->is_big);
    store(to + head + 4, there, in->is_big);
    header->is_wav = true;
    header->is_last = last != first;
    header->file = to;
    header->bytes = head + CHUNK_BYTES + header->there;
    return 0;
}

/* ---- AU and CAF ---- */

static void mend_au(struct sound_header *header, uint8_t *file, uint64_t bytes,
                    bool is_big)
{
    uint64_t from = load(file + 4, 4, is_big);

    if (from <= bytes) {
        measure(header, load(file + 8, 4, is_big), bytes - from);
        store(file + 8, UINT32_MAX, is_big);
        check_rate(header, file + 16, is_big);
    }
}

/* Gives the chunk of the samples the length that it has in the file; -1 and 0
   mean that it is the last. */
static void mend_caf(struct sound_header *header, const struct chunks *in)
{
    uint64_t at = find_chunk(in, "data", 8);

    if (is_found(in, "data", at, 0)) {
        measure(header, chunk_size(in, at), in->bytes - at - 12);
        store(in->file + at + 4, (uint32_t)(header->there >> 32), true);
        store(in->file + at + 8, (uint32_t)header->there, true);
    }
}

int sound_header_mend(struct sound_header *header, const char *path,
                      uint8_t *file, uint64_t bytes)
{
    *header = (struct sound_header){.file = file, .bytes = bytes};
    if (bytes < FORM_BYTES) {
        return 0;
    }
    if (is_named(file + 8, "WAVE") &&
        (is_named(file, "RIFF") || is_named(file, "RIFX") ||
         is_named(file, "RF64") || is_named(file, "BW64"))) {
        return mend_wav(
            header, &(struct chunks){file, bytes, is_named(file, "RIFX"), 4},
            path);
    }
    if (bytes >= AU_BYTES &&
        (is_named(file, ".snd") || is_named(file, "dns."))) {
        mend_au(header, file, bytes, is_named(file, ".snd"));
    } else if (is_named(file, "caff")) {
        mend_caf(header, &(struct chunks){file, bytes, true, 8});
    }
    return 0;
}

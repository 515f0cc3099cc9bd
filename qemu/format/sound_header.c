/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/sound_header.h"

#include "hal/bytes.h"
#include "qemu/base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FORM_BYTES 12u /* length of what is before the first chunk */
#define CHUNK_BYTES 8u /* length of what is before a chunk's contents */
#define FMT_BYTES 16u  /* least length of a format chunk */
#define FMT_RATE 12u   /* offset of the rate from the begin of the chunk */
#define FMT_BITS 22u
#define RATE_MAX INT32_MAX /* limit of libsndfile */
#define COMM_BYTES 18u
#define AU_BYTES 24u

/* From this length on, a length means "unknown": SoX writes 7ffff000 into a
   pipe, other programs 7fffffff, 80000000 or ffffffff. */
#define OPEN_LENGTH 0x7ffff000u

static uint32_t load_big(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

static bool is_chunk(const uint8_t *at, const char *name)
{
    return memcmp(at, name, 4) == 0;
}

static int refuse_long(const char *path, const char *kind, uint64_t at)
{
    return file_error(path,
                      "%s header: the chunk at byte %" PRIu64
                      " is longer than the file",
                      kind, at);
}

/* ---- WAV ---- */

/* Offsets of the chunks that are needed; 0: not found. */
struct chunks {
    uint64_t format;
    uint64_t samples;
    uint64_t long_bytes; /* length of the samples, if RF64 tells it */
    bool several;        /* true: earlier data chunks are skipped */
};

/* Returns whether the bytes are chunks up to their end, and so no samples. */
static bool are_chunks(const uint8_t *at, uint64_t bytes)
{
    while (bytes >= CHUNK_BYTES) {
        uint64_t size = bytes_load_u32(at + 4);
        uint64_t whole = CHUNK_BYTES + size + size % 2;

        for (int i = 0; i < 4; ++i) {
            if (at[i] < ' ' || at[i] > '~') {
                return false;
            }
        }
        if (size > bytes - CHUNK_BYTES) {
            return false;
        }
        at += whole < bytes ? whole : bytes;
        bytes -= whole < bytes ? whole : bytes;
    }
    return bytes == 0;
}

/* Goes on to the last of several data chunks, as FFmpeg does. */
static void find_last(struct chunks *chunks, const uint8_t *file,
                      uint64_t bytes)
{
    uint64_t at = chunks->samples;
    uint64_t size = bytes_load_u32(file + at + 4);

    while (size + size % 2 <= bytes - at - CHUNK_BYTES) {
        at += CHUNK_BYTES + size + size % 2;
        if (bytes - at < CHUNK_BYTES || !are_chunks(file + at, bytes - at)) {
            return;
        }
        size = bytes_load_u32(file + at + 4);
        if (is_chunk(file + at, "data") && size > 0) {
            chunks->samples = at;
            chunks->several = true;
        }
    }
}

static int find_chunks(struct chunks *chunks, const char *path,
                       const uint8_t *file, uint64_t bytes)
{
    uint64_t at = FORM_BYTES;

    *chunks = (struct chunks){.format = 0};
    while (at < bytes && bytes - at >= CHUNK_BYTES) {
        uint64_t size = bytes_load_u32(file + at + 4);

        if (is_chunk(file + at, "data")) {
            chunks->samples = at;
            break;
        }
        if (size > bytes - at - CHUNK_BYTES) {
            return refuse_long(path, "WAV", at);
        }
        if (is_chunk(file + at, "fmt ") && size >= FMT_BYTES) {
            chunks->format = at;
        }
        if (is_chunk(file + at, "ds64") && size >= 16) {
            chunks->long_bytes = bytes_load_u64(file + at + CHUNK_BYTES + 8);
        }
        at += CHUNK_BYTES + size + size % 2;
    }
    if (chunks->samples == 0 || chunks->format == 0) {
        return file_error(path, "WAV header: there is no %s chunk%s",
                          chunks->format == 0 ? "fmt" : "data",
                          chunks->format == 0 ? " before the samples" : "");
    }
    return 0;
}

/* Sets the length of the samples, as the header has it and as the file has
   it. */
static void measure_wav(struct sound_header *header,
                        const struct chunks *chunks, const uint8_t *file,
                        uint64_t bytes)
{
    const uint8_t *at = file + chunks->samples;
    uint64_t left = bytes - chunks->samples - CHUNK_BYTES;
    uint64_t size = bytes_load_u32(at + 4);

    if (!is_chunk(file, "RIFF") && size == UINT32_MAX) {
        size = chunks->long_bytes;
    }
    header->is_open =
        (size >= OPEN_LENGTH && size <= UINT32_MAX && size > left) ||
        (size == 0 && !are_chunks(at + CHUNK_BYTES, left));
    header->is_counted = true;
    header->stated = header->is_open ? left : size;
    header->there = header->stated < left ? header->stated : left;
}

/* Stores the format as text for messages. Replaces an invalid rate, which
   libsndfile would not accept. */
static void keep_format(struct sound_header *header, uint8_t *format)
{
    uint32_t rate = bytes_load_u32(format + FMT_RATE);

    snprintf(header->format, sizeof header->format,
             "format 0x%04x, %u channels, %u bits: ",
             bytes_load_u16(format + CHUNK_BYTES),
             bytes_load_u16(format + CHUNK_BYTES + 2),
             bytes_load_u16(format + FMT_BITS));
    if (rate == 0 || rate > RATE_MAX) {
        header->rate_is_odd = true;
        header->odd_rate = rate;
        bytes_store_u32(format + FMT_RATE, 1);
    }
}

int sound_header_wav(struct sound_header *header, const char *path,
                     uint8_t *file, uint64_t bytes)
{
    struct chunks chunks;
    uint64_t from;
    uint32_t format_bytes;

    if (!is_chunk(file, "RIFF") && !is_chunk(file, "RF64") &&
        !is_chunk(file, "BW64")) {
        return file_error(path, is_chunk(file, "riff")
                                    ? "WAV header: RIFF is in small letters"
                                    : "WAV header: must be little-endian RIFF");
    }
    if (find_chunks(&chunks, path, file, bytes) != 0) {
        return 1;
    }
    find_last(&chunks, file, bytes);
    header->is_last = chunks.several;
    measure_wav(header, &chunks, file, bytes);
    if (header->there > UINT32_MAX - 4096) {
        return file_error(path, "has more than 4 GiB of samples");
    }
    format_bytes = bytes_load_u32(file + chunks.format + 4);
    format_bytes += CHUNK_BYTES + format_bytes % 2;
    from = chunks.samples - format_bytes - FORM_BYTES;
    memmove(file + from + FORM_BYTES, file + chunks.format, format_bytes);
    memcpy(file + from, "RIFF....WAVE", FORM_BYTES);
    bytes_store_u32(file + from + 4,
                    (uint32_t)header->there + format_bytes + 12);
    bytes_store_u32(file + chunks.samples + 4, (uint32_t)header->there);
    header->file = file + from;
    header->bytes = chunks.samples + CHUNK_BYTES + header->there - from;
    keep_format(header, header->file + FORM_BYTES);
    return 0;
}

/* ---- AIFF and AU ---- */

int sound_header_aiff(struct sound_header *header, const char *path,
                      uint8_t *file, uint64_t bytes)
{
    uint64_t at = FORM_BYTES;

    header->file = file;
    header->bytes = bytes;
    while (at < bytes && bytes - at >= CHUNK_BYTES) {
        uint64_t size = load_big(file + at + 4);
        bool samples = is_chunk(file + at, "SSND");

        if (!samples && size > bytes - at - CHUNK_BYTES) {
            return refuse_long(path, "AIFF", at);
        }
        if (is_chunk(file + at, "COMM") && size >= COMM_BYTES) {
            header->is_counted = true;
            header->counts_frames = true;
            header->stated = load_big(file + at + CHUNK_BYTES + 2);
            if (load_big(file + at + CHUNK_BYTES + 8) == 0) {
                header->rate_is_odd = true;
                memcpy(file + at + CHUNK_BYTES + 8, "\x3f\xff\x80\0", 4);
            }
        }
        if (samples && size == 0) { /* FFmpeg leaves 0 in a pipe */
            memset(file + at + 4, 0xff, 4);
            size = UINT32_MAX;
        }
        if (size > bytes - at - CHUNK_BYTES) {
            break;
        }
        at += CHUNK_BYTES + size + size % 2;
    }
    return header->is_counted
               ? 0
               : file_error(path, "AIFF header: there is no COMM chunk");
}

int sound_header_au(struct sound_header *header, const char *path,
                    uint8_t *file, uint64_t bytes)
{
    uint64_t from = bytes < AU_BYTES ? UINT64_MAX : load_big(file + 4);

    header->file = file;
    header->bytes = bytes;
    if (from > bytes || !is_chunk(file, ".snd")) {
        return file_error(path, "AU header: must be big-endian, and whole");
    }
    if (load_big(file + 16) == 0 || load_big(file + 16) > RATE_MAX) {
        header->rate_is_odd = true;
        header->odd_rate = load_big(file + 16);
        memcpy(file + 16, "\0\0\0\1", 4);
    }
    header->is_counted = true;
    header->stated = load_big(file + 8);
    header->there = bytes - from;
    if (header->stated == UINT32_MAX || header->stated == 0) {
        header->is_open = header->there > 0;
        header->stated = header->there;
        memset(file + 8, 0xff, 4);
    }
    return 0;
}

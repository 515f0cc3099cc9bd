/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/sound.h"

#include "hal/bytes.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"

#include <inttypes.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define BLOCK_SAMPLES 4096u
#define OLD_BYTES_MAX (UINT32_MAX - 65536u) /* of files of 32-bit lengths */

/* Returns the container that the suffix of `path` names; 0: none. */
static int container_of(const char *path)
{
    static const struct {
        const char *suffix;
        int container;
    } kinds[] = {{".wav", SF_FORMAT_WAV},   {".wave", SF_FORMAT_WAV},
                 {".aiff", SF_FORMAT_AIFF}, {".aif", SF_FORMAT_AIFF},
                 {".aifc", SF_FORMAT_AIFF}, {".au", SF_FORMAT_AU},
                 {".snd", SF_FORMAT_AU},    {".flac", SF_FORMAT_FLAC},
                 {".caf", SF_FORMAT_CAF},   {".w64", SF_FORMAT_W64},
                 {".rf64", SF_FORMAT_RF64}};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot != NULL && i < sizeof kinds / sizeof *kinds; ++i) {
        if (strcasecmp(dot, kinds[i].suffix) == 0) {
            return kinds[i].container;
        }
    }
    return 0;
}

bool sound_is_named(const char *path)
{
    return container_of(path) != 0;
}

/* Opens a file for writing; returns NULL if such a file has no such samples. */
static SNDFILE *open_output(int file, const struct sound_shape *shape,
                            int format)
{
    SF_INFO info = {.channels = (int)shape->channels,
                    .samplerate = shape->rate == 0 ? 1 : (int)shape->rate,
                    .format = format};

    return sf_open_fd(file, SFM_WRITE, &info, SF_FALSE);
}

/* Tries it, as sf_format_check() ignores the sample rate. */
static bool is_writable(const struct sound_shape *shape, int format)
{
    int copy = process_memory();
    SNDFILE *file = open_output(copy, shape, format);

    if (file != NULL) {
        sf_close(file);
    }
    process_close(copy);
    return file != NULL;
}

/* Returns the format of an output: the input's if the suffix does not name
   another kind of file and its encoding loses nothing; else the kind's integers
   of as many bits; 0: the kind has none. */
static int output_format(const struct sound_shape *shape, const char *path)
{
    static const uint8_t bytes_of[] = {
        [SF_FORMAT_PCM_S8] = 1, [SF_FORMAT_PCM_16] = 2, [SF_FORMAT_PCM_24] = 3,
        [SF_FORMAT_PCM_32] = 4, [SF_FORMAT_PCM_U8] = 1, [SF_FORMAT_FLOAT] = 4,
        [SF_FORMAT_DOUBLE] = 4};
    int type = shape->format & SF_FORMAT_TYPEMASK;
    int own = type == SF_FORMAT_RAW ? SF_FORMAT_WAV : type;
    int encoding = shape->format & SF_FORMAT_SUBMASK;
    int named = container_of(path);
    int kinds[] = {named != 0 ? named : own,
                   named != 0 ? named : SF_FORMAT_WAV};
    bool is_own = (named == 0 && type != SF_FORMAT_RAW) || named == own ||
                  (named == SF_FORMAT_WAV && own == SF_FORMAT_WAVEX);

    if (encoding <= SF_FORMAT_DOUBLE &&
        bytes_of[encoding] == shape->sample_bytes &&
        (is_own || encoding == SF_FORMAT_FLOAT ||
         encoding == SF_FORMAT_DOUBLE)) {
        int format = is_own ? shape->format : named | encoding;

        if (is_writable(shape, format)) {
            return format;
        }
    }
    for (size_t i = 0; i < 2; ++i) {
        for (encoding = SF_FORMAT_PCM_S8; encoding <= SF_FORMAT_PCM_U8;
             ++encoding) {
            if (bytes_of[encoding] == shape->sample_bytes &&
                is_writable(shape, kinds[i] | encoding)) {
                return kinds[i] | encoding;
            }
        }
    }
    return 0;
}

int sound_check(const struct format_load *load, const struct sound_shape *shape,
                const char *path)
{
    struct format_load own = {.notes = load->notes};
    int format = output_format(shape, path);
    uint64_t bytes = load->units * load->unit_bytes;
    int container = format & SF_FORMAT_TYPEMASK;

    if (format == 0) {
        return file_error(path,
                          "such a file cannot hold %u channels of %u bits at "
                          "%" PRIu32 " Hz; .wav, .aiff and .caf can",
                          shape->channels, 8 * shape->sample_bytes,
                          shape->rate);
    }
    if (bytes > OLD_BYTES_MAX && container != SF_FORMAT_CAF &&
        container != SF_FORMAT_W64 && container != SF_FORMAT_RF64) {
        return file_error(path,
                          "such a file holds less than 4 GiB of samples, not "
                          "%" PRIu64 " bytes; .caf, .w64 and .rf64 can",
                          bytes);
    }
    if (shape->rate == 0) {
        format_note(&own, "The output says a sample rate of 1 Hz, as the "
                          "input's is not valid.");
    }
    if (((format ^ shape->format) & (SF_FORMAT_TYPEMASK | SF_FORMAT_SUBMASK)) !=
        0) {
        format_note(&own, "The output is %s, %s.", sound_format_name(container),
                    sound_format_name(format & SF_FORMAT_SUBMASK));
    }
    return 0;
}

/* Writes all samples. Returns whether it succeeded. */
static bool write_samples(SNDFILE *file, const uint8_t *data, uint64_t bytes,
                          const struct sound_shape *shape)
{
    int block[BLOCK_SAMPLES]; /* whole frames: there are at most 1024 channels
                               */
    uint32_t most = BLOCK_SAMPLES - BLOCK_SAMPLES % shape->channels;
    uint64_t left = bytes / shape->sample_bytes;

    while (left > 0) {
        uint32_t count = left < most ? (uint32_t)left : most;

        for (uint32_t i = 0; i < count; ++i) {
            uint32_t value = 0;

            for (uint32_t byte = 0; byte < shape->sample_bytes; ++byte) {
                value = value >> 8 | (uint32_t)*data++ << 24;
            }
            block[i] = (int)value;
        }
        if (sf_write_int(file, block, count) != count) {
            return false;
        }
        left -= count;
    }
    return true;
}

static uint32_t load_big(const uint8_t *at)
{
    return __builtin_bswap32(bytes_load_u32(at));
}

static void store_big(uint8_t *at, uint64_t value)
{
    bytes_store_u32(at, __builtin_bswap32((uint32_t)value));
}

/* Corrects the lengths in an AIFF file's header, and returns the file's: up to
   libsndfile 1.2 they count the byte behind an odd number of samples, and what
   is left of a longer header that was written first. */
static uint64_t mend_aiff(uint8_t *file, uint64_t bytes, uint64_t frames,
                          uint32_t frame_bytes)
{
    uint64_t samples = frames * frame_bytes; /* bytes of all samples */
    uint64_t at = 12;

    while (at + 18 <= bytes && memcmp(file + at, "SSND", 4) != 0) {
        if (memcmp(file + at, "COMM", 4) == 0) {
            store_big(file + at + 10, frames);
        }
        at += 8 + (load_big(file + at + 4) + (uint64_t)1) / 2 * 2;
    }
    if (at + 16 + samples + samples % 2 <= bytes) {
        bytes = at + 16 + samples;
        store_big(file + at + 4, bytes - at - 8);
        memset(file + bytes, 0, bytes % 2);
        bytes += bytes % 2;
        store_big(file + 4, bytes - 8);
    }
    return bytes;
}

int sound_write(FILE *out, const char *path, const uint8_t *data,
                uint64_t bytes, const struct sound_shape *shape)
{
    int format = output_format(shape, path);
    FILE *copy = fdopen(process_memory(), "w+b");
    SNDFILE *file;
    struct stat is = {.st_size = 0};
    uint64_t length;
    uint8_t *whole = NULL;
    bool written;
    int status;

    if (copy == NULL) {
        return file_error(path, "no memory for a copy");
    }
    file = open_output(fileno(copy), shape, format);
    if (file != NULL) {
        /* The same samples make the same file at any time: no peak chunk. */
        sf_command(file, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE);
        sf_command(file, SFC_SET_SCALE_INT_FLOAT_WRITE, NULL, SF_TRUE);
    }
    written = file != NULL && write_samples(file, data, bytes, shape);
    written &=
        file != NULL && sf_close(file) == 0 && fstat(fileno(copy), &is) == 0;
    status = written ? file_read_open(&whole, copy, (uint64_t)is.st_size, path)
                     : file_error(path, "%s", sf_strerror(NULL));
    if (status == 0) {
        length = (uint64_t)is.st_size;
        if ((format & SF_FORMAT_TYPEMASK) == SF_FORMAT_AIFF) {
            bool is_double = (format & SF_FORMAT_SUBMASK) == SF_FORMAT_DOUBLE;

            length = mend_aiff(
                whole, length, bytes / shape->sample_bytes / shape->channels,
                shape->channels * (is_double ? 8 : shape->sample_bytes));
        }
        fwrite(whole, 1, (size_t)length, out);
    }
    free(whole);
    fclose(copy);
    return status;
}

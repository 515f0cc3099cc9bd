/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/sound.h"

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

static SF_INFO info_of(const struct sound_shape *shape, int format)
{
    return (SF_INFO){.channels = (int)shape->channels,
                     .samplerate = shape->rate == 0 ? 1 : (int)shape->rate,
                     .format = format};
}

static bool is_writable(const struct sound_shape *shape, int format)
{
    SF_INFO info = info_of(shape, format);

    return sf_format_check(&info) != 0;
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
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

static void store_big(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; ++i) {
        at[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

/* Corrects the lengths in an AIFF file's header, and returns the file's: up to
   libsndfile 1.2 they count the byte behind an odd number of samples, and what
   is left of a longer header that was written first. */
static uint64_t mend_aiff(uint8_t *file, uint64_t bytes, uint32_t frames)
{
    uint32_t frame_bytes = 0;

    for (uint64_t at = 12; at + 18 <= bytes;
         at += 8 + (load_big(file + at + 4) + (uint64_t)1) / 2 * 2) {
        if (memcmp(file + at, "COMM", 4) == 0) {
            frame_bytes = ((uint32_t)file[at + 8] << 8 | file[at + 9]) *
                          (((uint32_t)file[at + 14] << 8 | file[at + 15]) / 8);
            store_big(file + at + 10, frames);
        } else if (memcmp(file + at, "SSND", 4) == 0) {
            uint64_t end = at + 16 + (uint64_t)frames * frame_bytes;

            if (end + end % 2 > bytes) {
                return bytes;
            }
            store_big(file + at + 4, (uint32_t)(end - at - 8));
            memset(file + end, 0, end % 2);
            store_big(file + 4, (uint32_t)(end + end % 2 - 8));
            return end + end % 2;
        }
    }
    return bytes;
}

int sound_write(FILE *out, const char *path, const uint8_t *data,
                uint64_t bytes, const struct sound_shape *shape)
{
    SF_INFO info = info_of(shape, output_format(shape, path));
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
    file = sf_open_fd(fileno(copy), SFM_WRITE, &info, SF_FALSE);
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
        if ((info.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_AIFF) {
            length = mend_aiff(
                whole, length,
                (uint32_t)(bytes / shape->sample_bytes / shape->channels));
        }
        fwrite(whole, 1, (size_t)length, out);
    }
    free(whole);
    fclose(copy);
    return status;
}

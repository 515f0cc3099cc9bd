/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads every sound file that libsndfile opens, and writes sound files. Samples
 * become signed integers of 1 to 4 bytes, little-endian (8 bits of WAV: as they
 * are, unsigned), by this rule:
 *
 *   integers of 8 to 32 bits, ALAC, DWVW, DPCM  as they are
 *   float and double                            32 bits, 1.0 is 2^31
 *   Vorbis, Opus, MPEG                          16 bits, 1.0 is 2^15
 *   mu-law, A-law, ADPCM, GSM                   the 16 bits that they stand for
 *
 * Real numbers go to the nearest integer, halves to the even one. Those beyond
 * full scale are clipped and counted, infinite ones and NaN are refused.
 */
#ifndef QEMU_FORMAT_SOUND_H
#define QEMU_FORMAT_SOUND_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SOUND_INPUT                                                            \
    "any sound that libsndfile reads: WAV, AIFF, AU, FLAC, Ogg, MP3, CAF .."
#define SOUND_SUFFIXES "wav wave aiff aif aifc au snd flac caf w64 rf64"

/* Form of the samples, also of an output. */
struct sound_shape {
    uint32_t channels;     /* 1 or more */
    uint32_t rate;         /* samples a second; 0: the file has no valid one */
    uint32_t sample_bytes; /* 1 to 4 */
    int format;            /* libsndfile's number of container and encoding */
};

struct sound {
    uint8_t *data; /* malloc'd: frames * frame_bytes */
    uint64_t frames;
    uint32_t frame_bytes; /* channels * sample_bytes */
    bool is_unsigned;     /* 8-bit samples as in WAV */
    struct sound_shape shape;
};

#define SOUND_NONE (-1)

/* Reads the samples of a file in memory, which it may change; `path` is for
   messages. Returns 0; 1 after a message on stderr; SOUND_NONE, without one, if
   libsndfile does not know the kind of file. */
NODISCARD int sound_decode(struct sound *sound, struct format_load *load,
                           const char *path, uint8_t *file, uint64_t bytes);

/* Returns libsndfile's name of a kind of file or of an encoding. */
const char *sound_format_name(int format);

/* Returns whether the suffix of a file's name is one of SOUND_SUFFIXES. */
bool sound_is_named(const char *path);

/* Reads a file, which load->as_is leaves compressed, by sound_decode(); refuses
   one that is no sound. Returns 0, or 1 after a message. */
NODISCARD int sound_read(struct sound *sound, struct format_load *load,
                         const char *path);

/* Checks whether a file of this name can hold an output of this shape, with a
   note if it becomes another kind of file or of samples than the load was.
   Returns 0, or 1 after a message. */
NODISCARD int sound_check(const struct format_load *load,
                          const struct sound_shape *shape, const char *path);

/* Writes signed samples as a file of the kind that the suffix of `path` names,
   or of the input's kind. Returns 0, or 1 after a message; the caller also
   checks the stream for write errors. */
NODISCARD int sound_write(FILE *out, const char *path, const uint8_t *data,
                          uint64_t bytes, const struct sound_shape *shape);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads sound files of integer samples, WAV, AIFF, AU and FLAC, by libsndfile,
 * and writes WAV. Samples are not converted. A file with fewer samples than its
 * header says is an error, which libsndfile alone would ignore.
 */
#ifndef QEMU_FORMAT_SOUND_H
#define QEMU_FORMAT_SOUND_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SOUND_CHANNELS_MAX 64u

struct sound {
    uint8_t *data; /* malloc'd: frames * frame_bytes, little-endian */
    uint64_t frames;
    uint32_t frame_bytes;  /* channels * sample_bytes */
    uint32_t channels;     /* 1 to SOUND_CHANNELS_MAX */
    uint32_t sample_bytes; /* 1, 2 or 4 */
    bool is_signed; /* samples are signed; always if longer than a byte */
    uint32_t rate;  /* samples a second; 1 or more if SOUND_RATE was wanted */
};

/* Returns the kind of sound file that the bytes begin, for people: "WAV"; NULL:
   unknown. Sets `taken` if sound_decode() can read such files. */
const char *sound_named(bool *taken, const uint8_t *file, uint64_t bytes);

#define SOUND_8_BITS 1u
#define SOUND_16_BITS 2u
#define SOUND_32_BITS 4u
#define SOUND_RATE 8u

/* Reads the samples of a file in memory; `path` is for messages. A length that
   the header leaves open is filled in, with a note. `wanted` is the sum of the
   allowed SOUND_.._BITS, and of SOUND_RATE if a rate is needed. Returns 0; or
   1, after a message on stderr. */
NODISCARD int sound_decode(struct sound *sound, struct format_load *load,
                           const char *path, uint8_t *file, uint64_t bytes,
                           uint32_t wanted);

/* Reads a file, which load->as_is leaves compressed, by sound_decode(). */
NODISCARD int sound_read(struct sound *sound, struct format_load *load,
                         const char *path, uint32_t wanted);

/* Writes a WAV file of 16-bit samples; `path` is for messages. Returns 0, or 1
   after a message; the caller also checks the stream for write errors. */
NODISCARD int sound_write(FILE *out, const char *path, const uint8_t *data,
                          uint64_t bytes, uint32_t channels, uint32_t rate);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sound files of whole numbers, WAV, AIFF, AU and FLAC, read by libsndfile: the
 * samples that lie in the file, all of them. A file with fewer samples than its
 * header says is an error; libsndfile alone would read what is there. WAV is
 * what is written.
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
    bool is_signed;        /* each sample; if longer than a byte, always */
    uint32_t rate; /* samples a second; 1 or more if SOUND_RATE was wanted */
};

/* What sound file begins as these bytes do, for people: "WAV"; NULL: none that
   is known. `taken`: whether sound_decode() can read such files. */
const char *sound_named(bool *taken, const uint8_t *file, uint64_t bytes);

#define SOUND_8_BITS 1u
#define SOUND_16_BITS 2u
#define SOUND_32_BITS 4u
#define SOUND_RATE 8u

/* Takes the samples out of a file that `path` names for people only; what its
   header leaves open is filled in, with a note of the load's. `wanted`: the sum
   of the bits that samples may have, and whether a rate is needed. Result: 0;
   or 1, after a message on stderr that names the file, the place and what is
   wrong. */
NODISCARD int sound_decode(struct sound *sound, struct format_load *load,
                           const char *path, uint8_t *file, uint64_t bytes,
                           uint32_t wanted);

/* Reads a file, as the load says, and does the same. */
NODISCARD int sound_read(struct sound *sound, struct format_load *load,
                         const char *path, uint32_t wanted);

/* Writes a WAV file of 16-bit samples; `path` is for messages. Result: 0 or 1,
   as above; a write that fails only leaves its mark on the stream. */
NODISCARD int sound_write(FILE *out, const char *path, const uint8_t *data,
                          uint64_t bytes, uint32_t channels, uint32_t rate);

#endif

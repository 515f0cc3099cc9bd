/* SPDX-License-Identifier: Apache-2.0 */
/* Reads sound files with integer samples (WAV, AIFF, AU, FLAC) by libsndfile,
   and writes WAV. Samples are not converted. A file with fewer samples than its
   header says is refused; libsndfile alone would accept it. */
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
    bool is_signed;        /* true: samples are signed */
    uint32_t rate; /* samples a second; not 0 if SOUND_RATE was wanted */
};

/* Returns the kind of a sound file that begins with these bytes, for people:
   "WAV". Returns NULL if they begin none. Sets *taken to whether sound_decode()
   reads files of this kind. */
const char *sound_named(bool *taken, const uint8_t *file, uint64_t bytes);

#define SOUND_8_BITS 1u
#define SOUND_16_BITS 2u
#define SOUND_32_BITS 4u
#define SOUND_RATE 8u

/* Reads the samples of a file in memory. Messages name `path`. If the header
   does not tell a length, it is filled in, with a note. `wanted` is the sum of
   the allowed SOUND_.._BITS, and of SOUND_RATE if the caller needs a rate.
   Returns 0; or 1 after a message on stderr. */
NODISCARD int sound_decode(struct sound *sound, struct format_load *load,
                           const char *path, uint8_t *file, uint64_t bytes,
                           uint32_t wanted);

/* Reads a file by sound_decode(). If load->as_is is true, a compressed file is
   not decompressed. */
NODISCARD int sound_read(struct sound *sound, struct format_load *load,
                         const char *path, uint32_t wanted);

/* Writes a WAV file of 16-bit samples. Messages name `path`. Returns 0, or 1
   after a message. The caller checks the stream for errors. */
NODISCARD int sound_write(FILE *out, const char *path, const uint8_t *data,
                          uint64_t bytes, uint32_t channels, uint32_t rate);

#endif

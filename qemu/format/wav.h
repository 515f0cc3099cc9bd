/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WAV files of integer samples, read and written by libsndfile: what its
 * samples are, whole, as they lie in the file. A file with fewer samples than
 * its header says is an error; libsndfile alone would read what is there.
 */
#ifndef QEMU_FORMAT_WAV_H
#define QEMU_FORMAT_WAV_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WAV_CHANNELS_MAX 64u

struct wav {
    uint8_t *data; /* malloc'd: frames * frame_bytes, little-endian */
    uint64_t frames;
    uint32_t frame_bytes;  /* channels * sample_bytes */
    uint32_t channels;     /* 1 to WAV_CHANNELS_MAX */
    uint32_t sample_bytes; /* 1: unsigned; 2, 4: signed */
    uint32_t rate;         /* Hz, 1 or more */
};

/* Whether a file of these bytes begins as a WAV file does. */
bool wav_begins(const uint8_t *file, uint64_t bytes);

#define WAV_8_BITS 1u
#define WAV_16_BITS 2u
#define WAV_32_BITS 4u

/* Takes the samples out of a file that `path` names for people only. `allowed`:
   the sum of what their PCM may have, WAV_16_BITS or all three. Result: 0; or
   1, after a message on stderr that names the file, the place and what is
   wrong. */
NODISCARD int wav_decode(struct wav *wav, const char *path, const uint8_t *file,
                         uint64_t bytes, uint32_t allowed);

/* Reads a file, as the load says, and does the same. */
NODISCARD int wav_read(struct wav *wav, struct format_load *load,
                       const char *path, uint32_t allowed);

/* Writes a file of 16-bit samples; `path` is for messages. Result: 0 or 1, as
   above; a write that fails only leaves its mark on the stream. */
NODISCARD int wav_write(FILE *out, const char *path, const uint8_t *data,
                        uint64_t bytes, uint32_t channels, uint32_t rate);

#endif

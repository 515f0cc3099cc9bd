/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lengths in the headers of sound files. libsndfile would correct
   wrong lengths without saying so, and some headers do not tell the length. */
#ifndef QEMU_FORMAT_SOUND_HEADER_H
#define QEMU_FORMAT_SOUND_HEADER_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stdint.h>

struct sound_header {
    uint8_t *file; /* bytes of the file, as libsndfile will read them */
    uint64_t bytes;
    bool is_counted;    /* true: the header tells a length */
    bool counts_frames; /* true: this length is a number of frames, not bytes */
    uint64_t stated;    /* length that the header tells */
    uint64_t there;     /* length that the file has, as far as known */
    /* true: the header does not tell the length, so samples last to the file's
       end */
    bool is_open;
    bool is_last;      /* true: earlier samples in the file are ignored */
    bool rate_is_odd;  /* true: odd_rate is no rate; libsndfile gets another */
    uint32_t odd_rate; /* Hz */
    char format[48];   /* "format 0x0011, 1 channels, 4 bits: ", or "" */
};

/* Reads the header of a WAV file, and writes it anew, in place, with only RIFF,
   format and samples. libsndfile refuses truncated chunks between these, and
   may spend minutes on their length (its issue 1118). A length of 0, or one
   that means "unknown", becomes that of the rest of the file. Returns 0, or 1
   after a message that names `path`. */
NODISCARD int sound_header_wav(struct sound_header *header, const char *path,
                               uint8_t *file, uint64_t bytes);

/* Read the header of an AIFF or AU file. If it does not tell a length, fill it
   in. Return 0, or 1 after a message that names `path`. */
NODISCARD int sound_header_aiff(struct sound_header *header, const char *path,
                                uint8_t *file, uint64_t bytes);
NODISCARD int sound_header_au(struct sound_header *header, const char *path,
                              uint8_t *file, uint64_t bytes);

#endif

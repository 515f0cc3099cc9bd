/* SPDX-License-Identifier: Apache-2.0 */
/* What the headers of sound files say of their length, which libsndfile
   corrects in silence, or leave open. */
#ifndef QEMU_FORMAT_SOUND_HEADER_H
#define QEMU_FORMAT_SOUND_HEADER_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stdint.h>

struct sound_header {
    uint8_t *file; /* what libsndfile is to see ... */
    uint64_t bytes;
    bool is_counted;    /* the header tells the length ... */
    bool counts_frames; /* ... in frames, not in bytes */
    uint64_t stated;    /* so many, */
    uint64_t there;     /* and so many are there, as far as is known */
    bool is_open;       /* it was left open: all to the file's end are */
    bool is_last;       /* there are samples before these, not taken */
    bool rate_is_odd;   /* odd_rate is no rate: libsndfile sees another */
    uint32_t odd_rate;  /* Hz */
    char format[48];    /* "format 0x0011, 1 channels, 4 bits: ", or "" */
};

/*
 * Reads the header of a WAV file, and makes it a plain one in place: RIFF,
 * format and samples, without chunks between, which libsndfile refuses if they
 * are cut, and at whose length it may go on for minutes (its issue 1118). A
 * length of 0 before samples, or one that programs write which do not know it
 * yet, is the file's rest. Result: 0, or 1 after a message that names `path`.
 */
NODISCARD int sound_header_wav(struct sound_header *header, const char *path,
                               uint8_t *file, uint64_t bytes);

/* Does the same with AIFF and AU, of which only a length that is left open is
   filled in. */
NODISCARD int sound_header_aiff(struct sound_header *header, const char *path,
                                uint8_t *file, uint64_t bytes);
NODISCARD int sound_header_au(struct sound_header *header, const char *path,
                              uint8_t *file, uint64_t bytes);

#endif

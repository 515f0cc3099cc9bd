/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lengths in headers of sound files, which libsndfile corrects
   silently or which are left open. */
#ifndef QEMU_FORMAT_SOUND_HEADER_H
#define QEMU_FORMAT_SOUND_HEADER_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stdint.h>

struct sound_header {
    uint8_t *file; /* the file as libsndfile reads it */
    uint64_t bytes;
    bool is_counted;    /* the header gives a length */
    bool counts_frames; /* the length counts frames, not bytes */
    uint64_t stated;    /* length in the header */
    uint64_t there;     /* length in the file, as far as known */
    bool is_open; /* the header leaves the length open: it lasts to the file's
                     end */
    bool is_last; /* earlier samples in the file are ignored */
    bool rate_is_odd;  /* odd_rate is invalid, libsndfile gets another */
    uint32_t odd_rate; /* Hz */
    char format[48];   /* "format 0x0011, 1 channels, 4 bits: ", or "" */
};

/*
 * Reads a WAV file's header and rewrites it in place as RIFF, format and
 * samples only. libsndfile refuses truncated chunks between these, and may
 * spend minutes on their length (its issue 1118). A length of 0 before samples,
 * or one that means "unknown", becomes the rest of the file. Returns 0, or 1
 * after a message that names `path`.
 */
NODISCARD int sound_header_wav(struct sound_header *header, const char *path,
                               uint8_t *file, uint64_t bytes);

/* Reads the header of an AIFF or AU file; fills in a length that is left open.
   Returns as sound_header_wav() does. */
NODISCARD int sound_header_aiff(struct sound_header *header, const char *path,
                                uint8_t *file, uint64_t bytes);
NODISCARD int sound_header_au(struct sound_header *header, const char *path,
                              uint8_t *file, uint64_t bytes);

#endif

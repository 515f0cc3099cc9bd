/* SPDX-License-Identifier: Apache-2.0 */
/* Mends headers of sound files where libsndfile does not read them as other
   programs do. */
#ifndef QEMU_FORMAT_SOUND_HEADER_H
#define QEMU_FORMAT_SOUND_HEADER_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stdint.h>

/* The file that libsndfile reads. */
struct sound_header {
    const uint8_t *file; /* in the caller's file */
    uint64_t bytes;
    uint64_t stated; /* bytes of samples that the header says; 0: not known */
    uint64_t there;  /* bytes of samples in the file */
    bool is_wav;
    bool is_open;     /* the header leaves the length open: it lasts to the
                         file's end */
    bool is_last;     /* earlier samples in the file are left out */
    bool rate_is_odd; /* the rate is invalid, libsndfile gets 1 Hz */
};

/*
 * Makes the file that libsndfile reads of a file in memory, which it may
 * change. A WAV file (RIFF, RIFX, RF64, BW64) becomes its format and samples
 * only: libsndfile refuses truncated chunks between these, and may spend
 * minutes on their length (its issue 1118). In WAV, AU and CAF files a length
 * of 0 before samples, or one that means "unknown", becomes the rest of the
 * file; rates of 0 are hidden. Other files stay as they are. Returns 0, or 1
 * after a message that names `path`.
 */
NODISCARD int sound_header_mend(struct sound_header *header, const char *path,
                                uint8_t *file, uint64_t bytes);

#endif

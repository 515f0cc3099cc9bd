/* SPDX-License-Identifier: Apache-2.0 */
/* An image of 8-bit grey or RGB samples, in memory and as PGM or PPM. */
#ifndef QEMU_FORMAT_IMAGE_H
#define QEMU_FORMAT_IMAGE_H

#include "hal/nodiscard.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct image {
    uint32_t width; /* pixels, at least 1 */
    uint32_t height;
    uint32_t channels; /* 1: grey; 3: red, green, blue */
    uint8_t *samples;  /* malloc'd: pixel by pixel, rows from the top */
};

/* Sets the shape and allocates the samples, 2^30 - 1 at most. Result: NULL, or
   what is wrong. */
const char *image_allocate(struct image *image, uint32_t width, uint32_t height,
                           uint32_t channels);

/* Reads a file's bytes, "P2", "P3", "P5" or "P6" and what follows: one image,
   binary or plain, of maximum 255. Result: 0; or 1 after a message that names
   `path`, and the caller frees what samples there are. */
NODISCARD int image_read_pnm(struct image *image, const char *path,
                             const uint8_t *data, size_t bytes);

/* Writes a binary file; `path` is not needed. A write that fails leaves its
   mark on the stream. Result: 0. */
NODISCARD int image_write_pnm(FILE *out, const struct image *image,
                              const char *path);

#endif

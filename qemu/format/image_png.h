/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes PNG by libpng. Palettes and grey of fewer bits become 8-bit
 * RGB and grey without loss. Alpha, transparent colours and 16 bits are
 * refused. Samples are taken unchanged, whatever the file says of gamma or
 * colour. Functions that return 1 have printed why on stderr.
 */
#ifndef QEMU_FORMAT_IMAGE_PNG_H
#define QEMU_FORMAT_IMAGE_PNG_H

#include "hal/nodiscard.h"
#include "qemu/format/image.h"

#include <stdio.h>

/* Reads the bytes of a file, which begin as PNG does. `path` is for messages.
   Returns 0 or 1. */
NODISCARD int image_png_read(struct image *image, const char *path,
                             const uint8_t *data, size_t bytes);

/* Writes a PNG file; `path` is for messages. Returns 0 or 1; the caller also
   checks the stream for write errors. */
NODISCARD int image_png_write(FILE *out, const struct image *image,
                              const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG by libpng: a palette and grey of fewer bits become 8-bit RGB and grey
 * without loss; what has alpha, a transparent colour or 16 bits is refused.
 * Samples are taken as they are, whatever the file says of gamma or colour.
 * Functions that return 1 have printed why on stderr.
 */
#ifndef QEMU_FORMAT_IMAGE_PNG_H
#define QEMU_FORMAT_IMAGE_PNG_H

#include "hal/nodiscard.h"
#include "qemu/format/image.h"

#include <stdio.h>

/* Reads the file's bytes, which begin as PNG does. `path` is for messages.
   Result: 0 or 1. */
NODISCARD int image_png_read(struct image *image, const char *path,
                             const uint8_t *data, size_t bytes);

/* Writes a file; `path` is for messages. Result: 0 or 1; a write that fails may
   only leave its mark on the stream. */
NODISCARD int image_png_write(FILE *out, const struct image *image,
                              const char *path);

#endif

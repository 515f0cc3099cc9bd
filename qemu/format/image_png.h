/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes PNG by libpng. Palettes, and grey of fewer bits, become
   8-bit RGB and grey without loss. Alpha, transparent colours and 16 bits are
   refused. Samples are taken as they are, whatever the file says of gamma or
   colour. Functions return 0, or 1 after a message on stderr that names
   `path`. */
#ifndef QEMU_FORMAT_IMAGE_PNG_H
#define QEMU_FORMAT_IMAGE_PNG_H

#include "hal/nodiscard.h"
#include "qemu/format/image.h"

#include <stdio.h>

/* Reads a file's bytes, which begin as those of a PNG file do. */
NODISCARD int image_png_read(struct image *image, const char *path,
                             const uint8_t *data, size_t bytes);

/* Writes a PNG file. The caller checks the stream for errors. */
NODISCARD int image_png_write(FILE *out, const struct image *image,
                              const char *path);

#endif

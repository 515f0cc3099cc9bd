/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes PGM and PPM by libnetpbm. Files have one image with the
   maximum 255, as bytes or as text; they are written as bytes. Functions return
   0, or 1 after a message on stderr that names `path`. */
#ifndef QEMU_FORMAT_IMAGE_PNM_H
#define QEMU_FORMAT_IMAGE_PNM_H

#include "hal/nodiscard.h"
#include "qemu/format/image.h"

#include <stdio.h>

/* Reads a file's bytes, which must begin with the mark of a PNM file. The bytes
   stay as they are. */
NODISCARD int image_pnm_read(struct image *image, const char *path,
                             uint8_t *data, size_t bytes);

/* Writes a PNM file. The caller checks the stream for errors. */
NODISCARD int image_pnm_write(FILE *out, const struct image *image,
                              const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PGM and PPM by libnetpbm, binary or plain, of one image and maximum 255;
 * binary is written.
 * Functions that return 1 have printed why on stderr.
 */
#ifndef QEMU_FORMAT_IMAGE_PNM_H
#define QEMU_FORMAT_IMAGE_PNM_H

#include "hal/nodiscard.h"
#include "qemu/format/image.h"

#include <stdio.h>

/* Reads the file's bytes, which have their magic number; the bytes are not
   changed. `path` is for messages. Result: 0 or 1. */
NODISCARD int image_pnm_read(struct image *image, const char *path,
                             uint8_t *data, size_t bytes);

/* Writes a file; `path` is for messages. Result: 0 or 1; a write that fails may
   only leave its mark on the stream. */
NODISCARD int image_pnm_write(FILE *out, const struct image *image,
                              const char *path);

#endif

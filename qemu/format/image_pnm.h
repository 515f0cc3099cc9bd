/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes PGM and PPM by libnetpbm. Files are binary or plain, with
 * one image and maximum 255; written files are binary. Functions that return 1
 * have printed why on stderr.
 */
#ifndef QEMU_FORMAT_IMAGE_PNM_H
#define QEMU_FORMAT_IMAGE_PNM_H

#include "hal/nodiscard.h"
#include "qemu/format/image.h"

#include <stdio.h>

/* Reads a file's bytes, which begin with a PNM magic number, and does not
   change them. `path` is for messages. Returns 0 or 1. */
NODISCARD int image_pnm_read(struct image *image, const char *path,
                             uint8_t *data, size_t bytes);

/* Writes a PNM file; `path` is for messages. Returns 0 or 1; the caller also
   checks the stream for write errors. */
NODISCARD int image_pnm_write(FILE *out, const struct image *image,
                              const char *path);

#endif

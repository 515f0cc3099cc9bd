/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images in files. The contents tell what a file is when it is read, the end of
 * its name when it is written. Functions that return 1 have printed why on
 * stderr.
 */
#ifndef QEMU_FORMAT_IMAGE_FILE_H
#define QEMU_FORMAT_IMAGE_FILE_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"
#include "qemu/format/image.h"

#include <stdio.h>

/* Reads a file as the load says; the caller frees the samples. Result: 0 or 1.
 */
NODISCARD int image_read(struct image *image, struct format_load *load,
                         const char *path);

/* Whether a file of this name can hold such an image. Result: 0 or 1. */
NODISCARD int image_check_name(const struct image *image, const char *path);

/* Writes the file of a name that has been checked; standard output is a PNG.
   Result: 0 or 1. */
NODISCARD int image_write(FILE *out, const struct image *image,
                          const char *path);

#endif

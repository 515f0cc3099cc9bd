/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes image files. When a file is read, its contents tell its
   kind; when it is written, its suffix does. Functions return 0, or 1 after a
   message on stderr. */
#ifndef QEMU_FORMAT_IMAGE_FILE_H
#define QEMU_FORMAT_IMAGE_FILE_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"
#include "qemu/format/image.h"

#include <stdio.h>

/* Reads a file, which load->as_is leaves compressed. The caller has set the
   first fields, and frees the samples. Returns 0 or 1. */
NODISCARD int image_read(struct image *image, struct format_load *load,
                         const char *path);

/* Checks whether a file of this name can hold the image. */
NODISCARD int image_check_name(const struct image *image, const char *path);

/* Writes a file whose name image_check_name() accepted: of the kind that its
   suffix says, or without one of the kind that was read, with PNG for JPEG.
   Returns 0 or 1. */
NODISCARD int image_write(FILE *out, const struct image *image,
                          const char *path);

#endif

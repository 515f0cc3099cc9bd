/* SPDX-License-Identifier: Apache-2.0 */
/* Images that have come from rank 0: files without a name, which boards can
   open while this process lives. */
#ifndef QEMU_RANKS_IMAGES_H
#define QEMU_RANKS_IMAGES_H

#include "hal/nodiscard.h"

#include <stddef.h>
#include <stdint.h>

#define IMAGES_PATH_BYTES 64u

struct image {
    int fd; /* -1: there is none */
    char path[IMAGES_PATH_BYTES];
};

/* Result: 0, and the image is to be closed; -1 after a message on stderr. */
NODISCARD int image_keep(struct image *image, const uint8_t *data,
                         size_t bytes);
void image_close(struct image *image);

#endif

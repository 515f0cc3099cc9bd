/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/images.h"

#include "qemu/support/limits.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

int image_keep(struct image *image, const uint8_t *data, size_t bytes)
{
    image->fd = memfd_create("quincunx-image", MFD_CLOEXEC);
    for (size_t at = 0; image->fd >= 0 && at < bytes;) {
        ssize_t done = write(image->fd, data + at, bytes - at);

        if (done <= 0) {
            image_close(image);
        } else {
            at += (size_t)done;
        }
    }
    if (image->fd < 0) {
        fprintf(stderr, "quincunx: memory for an image: %s\n",
                limits_file_error(errno));
        return -1;
    }
    snprintf(image->path, sizeof image->path, "/proc/%d/fd/%d", (int)getpid(),
             image->fd);
    return 0;
}

void image_close(struct image *image)
{
    if (image->fd >= 0) {
        close(image->fd);
    }
    image->fd = -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Images of 8-bit grey or RGB samples, in memory. */
#ifndef QEMU_FORMAT_IMAGE_H
#define QEMU_FORMAT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* Most samples of an image. */
#define IMAGE_SAMPLES_MAX 0x3fffffffu

struct image {
    uint32_t width; /* in pixels, at least 1 */
    uint32_t height;
    uint32_t channels; /* 1: grey; 3: red, green, blue */
    uint8_t *samples;  /* malloc'd: pixel by pixel, row by row from the top */
};

/* Sets the shape and allocates the samples. Returns NULL, or what is wrong. */
const char *image_allocate(struct image *image, uint32_t width, uint32_t height,
                           uint32_t channels);

#endif

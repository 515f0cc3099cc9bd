/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The identity of an image, at a fixed address after the vectors. A node takes
 * its coordinates from here. Numbers are little-endian.
 *
 * Coordinates and sizes that are not set are 0xffff. A tool can set them later
 * without erasing, as programming turns 1 bits of flash to 0 (RM0090, 3.6.4).
 */
#ifndef HAL_IMAGE_H
#define HAL_IMAGE_H

#include <assert.h>
#include <stdint.h>

#define IMAGE_IDENTITY_OFFSET 0x188u /* bytes from the start of the flash */
#define IMAGE_MAGIC 0x58434e51u      /* "QNCX" */
#define IMAGE_VERSION 2u             /* version of this layout */
#define IMAGE_VERSION_PINS 2u        /* first version with the field `pins` */
#define IMAGE_PINS_BYTES 16u         /* size of `pins`: longest name and NUL */
#define IMAGE_NOT_SET 0xffffu

enum image_board {
    IMAGE_STM32F405 = 405
};

struct image_identity {
    uint32_t magic;
    uint16_t version;
    uint16_t board; /* enum image_board */
    uint16_t x;     /* 0 to width - 1 */
    uint16_t y;     /* 0 to height - 1 */
    uint16_t width; /* nodes */
    uint16_t height;
    char pins[IMAGE_PINS_BYTES]; /* NAME of `make PINS=NAME`, then zeros */
};

static_assert(sizeof(struct image_identity) == 32, "no holes in the layout");

#endif

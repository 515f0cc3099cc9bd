/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The identity of an image, after the vectors. The linker script of a board
 * fixes its address, and the board's row of qemu/board/table.c repeats the
 * address. A node takes its coordinates from here. Numbers are little-endian.
 *
 * Coordinates and sizes that are not set are 0xffff. A tool can set them later
 * without erasing, as programming turns 1 bits of flash to 0 (RM0090, 3.6.4).
 */
#ifndef HAL_IMAGE_H
#define HAL_IMAGE_H

#include <assert.h>
#include <stdint.h>

#define IMAGE_MAGIC 0x58434e51u /* "QNCX" */
#define IMAGE_VERSION 2u        /* version of this layout */
#define IMAGE_VERSION_PINS 2u   /* first version with the field `pins` */
#define IMAGE_PINS_BYTES 16u    /* size of `pins`: longest name and NUL */
#define IMAGE_NOT_SET 0xffffu

struct image_identity {
    uint32_t magic;
    uint16_t version;
    uint16_t board; /* number of the board in qemu/board/table.c */
    uint16_t x;     /* 0 to width - 1 */
    uint16_t y;     /* 0 to height - 1 */
    uint16_t width; /* nodes */
    uint16_t height;
    char pins[IMAGE_PINS_BYTES]; /* NAME of `make PINS=NAME`, then zeros */
};

static_assert(sizeof(struct image_identity) == 32, "no holes in the layout");

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of an image (hal/image.h), found in the bytes of its flash. */
#ifndef QEMU_BENCH_FLASH_IDENTITY_H
#define QEMU_BENCH_FLASH_IDENTITY_H

#include "hal/image.h"
#include "hal/nodiscard.h"
#include "torus/torus.h"

#include <stddef.h>

#define FLASH_IDENTITY_BYTES sizeof(struct image_identity)
/* Where the coordinates begin in it. */
#define FLASH_IDENTITY_PLACE offsetof(struct image_identity, x)
#define FLASH_IDENTITY_PLACE_BYTES                                             \
    (offsetof(struct image_identity, pins) - FLASH_IDENTITY_PLACE)

/*
 * Looks at FLASH_IDENTITY_BYTES. Result: 1 if it is the identity of an image
 * for `board`, 0 if it is none, -1 if it is that of another board or version.
 */
NODISCARD int flash_identity_check(const uint8_t *identity, uint16_t board);

/*
 * The name of the pins that an image with this identity is for; empty: it has
 * no identity, or one of version 1. Bytes that no name has become '?'.
 */
void flash_identity_pins(char pins[IMAGE_PINS_BYTES], const uint8_t *identity);

/* Stores the place in a mesh. */
void flash_identity_place(uint8_t place[FLASH_IDENTITY_PLACE_BYTES],
                          struct torus_coord at, struct torus_size size);

#endif

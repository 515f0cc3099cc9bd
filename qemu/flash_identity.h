/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an image says about itself at a fixed place of its flash, where the
 * firmware looks for its coordinates too. Little-endian:
 *
 *   offset  bytes  what
 *        0      4  "QNCX"
 *        4      2  version of this layout: 1
 *        6      2  kind of board: 405
 *        8      8  x, y, width and height, 2 bytes each; 0xffff: not set
 */
#ifndef QEMU_FLASH_IDENTITY_H
#define QEMU_FLASH_IDENTITY_H

#include "torus/torus.h"

#include <stdint.h>

#define FLASH_IDENTITY_OFFSET 0x188u /* from the start of the flash */
#define FLASH_IDENTITY_BYTES 16u
#define FLASH_IDENTITY_PLACE 8u /* where the coordinates begin in it */
#define FLASH_IDENTITY_PLACE_BYTES 8u

/*
 * Looks at FLASH_IDENTITY_BYTES. Result: 1 if it is the identity of an image
 * for `board`, 0 if it is none, -1 if it is that of another board or version.
 */
int flash_identity_check(const uint8_t *identity, uint16_t board);

/* Stores the place in a mesh. */
void flash_identity_place(uint8_t place[FLASH_IDENTITY_PLACE_BYTES],
                          struct torus_coord at, struct torus_size size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/flash_identity.h"

#include "hal/bytes.h"

#define MAGIC 0x58434e51u
#define VERSION 1u

int flash_identity_check(const uint8_t *identity, uint16_t board)
{
    if (bytes_load_u32(identity) != MAGIC) {
        return 0;
    }
    return bytes_load_u16(identity + 4) == VERSION &&
                   bytes_load_u16(identity + 6) == board
               ? 1
               : -1;
}

void flash_identity_place(uint8_t place[FLASH_IDENTITY_PLACE_BYTES],
                          struct torus_coord at, struct torus_size size)
{
    bytes_store_u16(place, at.x);
    bytes_store_u16(place + 2, at.y);
    bytes_store_u16(place + 4, size.width);
    bytes_store_u16(place + 6, size.height);
}

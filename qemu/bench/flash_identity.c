/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/flash_identity.h"

#include "hal/bytes.h"

#include <string.h>

int flash_identity_check(const uint8_t *identity, uint16_t board)
{
    uint32_t magic =
        bytes_load_u32(identity + offsetof(struct image_identity, magic));
    uint16_t version =
        bytes_load_u16(identity + offsetof(struct image_identity, version));
    uint16_t found =
        bytes_load_u16(identity + offsetof(struct image_identity, board));

    if (magic != IMAGE_MAGIC) {
        return 0;
    }
    return version == IMAGE_VERSION && found == board ? 1 : -1;
}

void flash_identity_pins(char pins[IMAGE_PINS_BYTES], const uint8_t *identity)
{
    const uint8_t *from = identity + offsetof(struct image_identity, pins);
    uint16_t version =
        bytes_load_u16(identity + offsetof(struct image_identity, version));

    memset(pins, 0, IMAGE_PINS_BYTES);
    if (bytes_load_u32(identity + offsetof(struct image_identity, magic)) !=
            IMAGE_MAGIC ||
        version < IMAGE_VERSION_PINS) {
        return;
    }
    for (unsigned i = 0; i + 1 < IMAGE_PINS_BYTES && from[i] != 0; ++i) {
        pins[i] = from[i] > ' ' && from[i] <= '~' ? (char)from[i] : '?';
    }
}

void flash_identity_place(uint8_t place[FLASH_IDENTITY_PLACE_BYTES],
                          struct torus_coord at, struct torus_size size)
{
    bytes_store_u16(place, at.x);
    bytes_store_u16(place + 2, at.y);
    bytes_store_u16(place + 4, size.width);
    bytes_store_u16(place + 6, size.height);
}

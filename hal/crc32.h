/* SPDX-License-Identifier: Apache-2.0 */
/* Returns the CRC-32 of IEEE 802.3, 3.2.9: of "123456789" it is 0xCBF43926.
   `crc`: CRC of the bytes in front of `data`; 0: there are none. */
#ifndef HAL_CRC32_H
#define HAL_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_update(uint32_t crc, const uint8_t *data, size_t bytes);

#endif

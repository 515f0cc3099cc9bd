/* SPDX-License-Identifier: Apache-2.0 */
/* Returns the CRC-32 of IEEE 802.3, clause 3.2.9 (reflected polynomial
   0xEDB88320, initial value and final inversion all ones). `crc`: CRC of the
   bytes in front of `data`, or 0 if there are none. The CRC of "123456789" is
   0xCBF43926. Cost: about 8 instructions a byte. */
#ifndef HAL_CRC32_H
#define HAL_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_update(uint32_t crc, const uint8_t *data, size_t bytes);

#endif

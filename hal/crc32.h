/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32 as in IEEE 802.3, clause 3.2.9 (reflected polynomial 0xEDB88320,
 * initial value and final inversion all ones); crc32("123456789") is
 * 0xCBF43926. Chains: crc32_update(crc32_update(0, a), b) covers a then b.
 * Cost: about 8 instructions a byte. Pure.
 */
#ifndef HAL_CRC32_H
#define HAL_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_update(uint32_t crc, const uint8_t *data, size_t bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian loads and stores for wire formats, at any alignment. */
#ifndef HAL_BYTES_H
#define HAL_BYTES_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "these loads and stores are for little-endian machines");

static inline uint16_t bytes_load_u16(const uint8_t *at)
{
    uint16_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint32_t bytes_load_u32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t bytes_load_u64(const uint8_t *at)
{
    return bytes_load_u32(at) | (uint64_t)bytes_load_u32(at + 4) << 32;
}

static inline void bytes_store_u16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void bytes_store_u32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void bytes_store_u64(uint8_t *at, uint64_t value)
{
    bytes_store_u32(at, (uint32_t)value);
    bytes_store_u32(at + 4, (uint32_t)(value >> 32));
}

#endif

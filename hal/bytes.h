/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Little-endian loads and stores for wire formats, at any alignment. The
 * compilers in use turn each into one instruction on a Cortex-M3.
 */
#ifndef HAL_BYTES_H
#define HAL_BYTES_H

#include <stdint.h>

static inline uint16_t bytes_load_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t bytes_load_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
           (uint32_t)at[3] << 24;
}

static inline uint64_t bytes_load_u64(const uint8_t *at)
{
    return bytes_load_u32(at) | (uint64_t)bytes_load_u32(at + 4) << 32;
}

static inline void bytes_store_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void bytes_store_u32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)(value >> 16);
    at[3] = (uint8_t)(value >> 24);
}

static inline void bytes_store_u64(uint8_t *at, uint64_t value)
{
    bytes_store_u32(at, (uint32_t)value);
    bytes_store_u32(at + 4, (uint32_t)(value >> 32));
}

#endif

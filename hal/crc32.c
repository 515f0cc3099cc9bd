/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/crc32.h"

#include "hal/hot.h"

/* remainder_of[b]: the CRC register after byte b, starting from 0. CRCs are
   linear: this entry is the exclusive or of the entries for b's single bits. */
#define BIT(b, n, remainder) (((b) >> (n)&1u) * (remainder))
#define OF(b)                                                                  \
    (BIT(b, 0, 0x77073096u) ^ BIT(b, 1, 0xee0e612cu) ^                         \
     BIT(b, 2, 0x076dc419u) ^ BIT(b, 3, 0x0edb8832u) ^                         \
     BIT(b, 4, 0x1db71064u) ^ BIT(b, 5, 0x3b6e20c8u) ^                         \
     BIT(b, 6, 0x76dc4190u) ^ BIT(b, 7, 0xedb88320u))
#define OF_4(b) OF(b), OF((b) + 1u), OF((b) + 2u), OF((b) + 3u)
#define OF_16(b) OF_4(b), OF_4((b) + 4u), OF_4((b) + 8u), OF_4((b) + 12u)
#define OF_64(b) OF_16(b), OF_16((b) + 16u), OF_16((b) + 32u), OF_16((b) + 48u)
HAL_HOT static const uint32_t remainder_of[256] = {OF_64(0u), OF_64(64u),
                                                   OF_64(128u), OF_64(192u)};

static inline uint32_t shifted(uint32_t crc, uint8_t byte)
{
    return remainder_of[(crc ^ byte) & 0xffu] ^ crc >> 8;
}

uint32_t crc32_update(uint32_t crc, const uint8_t *data, size_t bytes)
{
    crc = ~crc;
    for (size_t i = 0; i < bytes; ++i) {
        crc = shifted(crc, data[i]);
    }
    return ~crc;
}

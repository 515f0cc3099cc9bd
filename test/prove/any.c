/* SPDX-License-Identifier: Apache-2.0 */
#include "test/prove/any.h"

#include <__fc_builtin.h>

uint8_t any_u8(uint8_t least, uint8_t most)
{
    return Frama_C_unsigned_char_interval(least, most);
}

uint16_t any_u16(uint16_t least, uint16_t most)
{
    return Frama_C_unsigned_short_interval(least, most);
}

uint32_t any_u32(uint32_t least, uint32_t most)
{
    return Frama_C_unsigned_int_interval(least, most);
}

uint64_t any_u64(uint64_t least, uint64_t most)
{
    return Frama_C_unsigned_long_long_interval(least, most);
}

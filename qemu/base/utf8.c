/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/utf8.h"

unsigned utf8_length(uint8_t first)
{
    return first < 0x80                    ? 1
           : first >= 0xc2 && first < 0xe0 ? 2
           : first >= 0xe0 && first < 0xf0 ? 3
           : first >= 0xf0 && first < 0xf5 ? 4
                                           : 0;
}

uint32_t utf8_character(const uint8_t *text, unsigned length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = length == 1 ? text[0] : text[0] & (0x7fu >> length);

    for (unsigned i = 1; i < length; ++i) {
        if (text[i] >> 6 != 2) {
            return UTF8_NONE;
        }
        value = value << 6 | (text[i] & 0x3fu);
    }
    return value < least[length] || value > 0x10ffff || value >> 11 == 0x1b
               ? UTF8_NONE
               : value;
}

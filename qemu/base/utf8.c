/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/utf8.h"

unsigned utf8_first(uint32_t *character, const uint8_t *text, size_t bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned length = text[0] < 0xc2 || text[0] >= 0xf5 ? 1
                      : text[0] < 0xe0                  ? 2
                      : text[0] < 0xf0                  ? 3
                                                        : 4;
    uint32_t value = length == 1 ? text[0] : text[0] & (0x7fu >> length);

    if (length > bytes) {
        return 0;
    }
    *character = UTF8_NONE;
    if (length == 1 && value >= 0x80) {
        return 1;
    }
    for (unsigned i = 1; i < length; ++i) {
        if (text[i] >> 6 != 2) {
            return 1;
        }
        value = value << 6 | (text[i] & 0x3fu);
    }
    if (value < least[length] || value > 0x10ffff || value >> 11 == 0x1b) {
        return 1;
    }
    *character = value;
    return length;
}

bool utf8_is_valid(const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        uint32_t character = UTF8_NONE;
        unsigned length =
            utf8_first(&character, (const uint8_t *)text + at, bytes - at);

        if (character == UTF8_NONE) {
            return false;
        }
        at += length;
    }
    return true;
}

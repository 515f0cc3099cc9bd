/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/context.h"

#include "qemu/format/format.h"

#include <string.h>

/* Bytes of the UTF-8 character that begins here; 0: none does. */
static unsigned length_of(const uint8_t *text)
{
    return text[0] < 0x80                      ? 1
           : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
           : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
           : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                               : 0;
}

static bool continues(uint8_t byte)
{
    return byte >> 6 == 2;
}

/* The character of `length` bytes; 0xfffd if it is none. */
static uint32_t character_of(const uint8_t *text, unsigned length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = length == 1 ? text[0] : text[0] & (0x7fu >> length);

    for (unsigned i = 1; i < length; ++i) {
        if (!continues(text[i])) {
            return 0xfffd;
        }
        value = value << 6 | (text[i] & 0x3fu);
    }
    return value < least[length] || value > 0x10ffff || value >> 11 == 0x1b
               ? 0xfffd
               : value;
}

/* Whether it may be shown as it is. */
static bool is_plain(uint32_t character)
{
    return character >= 0x20 && character != 0x7f && character != 0xfffd &&
           (character < 0x80 || character >= 0xa0) && character != 0x061c &&
           (character < 0x200e || character > 0x200f) &&
           (character < 0x2028 || character > 0x202e) &&
           (character < 0x2066 || character > 0x2069);
}

/* Writes the bytes as text that ends in 0; the number of its characters. */
static unsigned clean(char *to, const uint8_t *text, unsigned bytes)
{
    unsigned characters = 0;
    unsigned i = 0;

    while (i < bytes && i < 3 && continues(text[i])) {
        i += 1; /* the rest of one that was cut off */
    }
    while (i < bytes) {
        unsigned length = length_of(&text[i]);
        uint32_t character;

        if (length > bytes - i) {
            break;
        }
        character = length > 0 ? character_of(&text[i], length) : 0xfffd;
        if (is_plain(character)) {
            memcpy(to, &text[i], length);
            to += length;
        } else {
            *to++ = character < 0x20 ? ' ' : '?';
        }
        i += character != 0xfffd ? length : 1;
        characters += 1;
    }
    *to = '\0';
    return characters;
}

bool context_read(struct context *context, const struct format_load *load,
                  uint64_t at, uint64_t from, uint64_t end)
{
    uint64_t first = at - from > CONTEXT_BEFORE ? at - CONTEXT_BEFORE : from;
    uint64_t last = end - at > CONTEXT_AFTER ? at + CONTEXT_AFTER : end;
    struct file_piece piece = format_piece(load, first);
    uint8_t text[CONTEXT_BEFORE + CONTEXT_AFTER];

    if (file_piece_copy(text, &piece, last - first) != 0) {
        return false;
    }
    context->columns = clean(context->before, text, (unsigned)(at - first));
    (void)clean(context->after, text + (at - first), (unsigned)(last - at));
    return true;
}

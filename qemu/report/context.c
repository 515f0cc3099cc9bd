/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/context.h"

#include "qemu/format/format.h"
#include "qemu/support/utf8.h"

#include <string.h>

/* Whether it may be shown as it is. */
static bool is_plain(uint32_t character)
{
    return character >= 0x20 && character != 0x7f && character != UTF8_NONE &&
           character != 0xfffd && (character < 0x80 || character >= 0xa0) &&
           character != 0x061c && (character < 0x200e || character > 0x200f) &&
           (character < 0x2028 || character > 0x202e) &&
           (character < 0x2066 || character > 0x2069);
}

/* Writes the bytes as text that ends in 0; the number of its characters. */
static unsigned clean(char *to, const uint8_t *text, unsigned bytes)
{
    unsigned characters = 0;
    unsigned i = 0;

    while (i < bytes && i < 3 && text[i] >> 6 == 2) {
        i += 1; /* the rest of one that was cut off */
    }
    while (i < bytes) {
        unsigned length = utf8_length(text[i]);
        uint32_t character;

        if (length > bytes - i) {
            break;
        }
        character = length > 0 ? utf8_character(&text[i], length) : UTF8_NONE;
        if (is_plain(character)) {
            memcpy(to, &text[i], length);
            to += length;
        } else {
            *to++ = character < 0x20 ? ' ' : '?';
        }
        i += character != UTF8_NONE ? length : 1;
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

    if (at < from || at > end ||
        file_piece_copy(text, &piece, last - first) != 0) {
        return false;
    }
    context->columns = clean(context->before, text, (unsigned)(at - first));
    (void)clean(context->after, text + (at - first), (unsigned)(last - at));
    return true;
}

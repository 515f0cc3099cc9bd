/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_BASE_UTF8_H
#define QEMU_BASE_UTF8_H

#include <stdint.h>

#define UTF8_NONE UINT32_MAX

/* Bytes of the character that such a byte begins, 1 to 4; 0: it begins none. */
unsigned utf8_length(uint8_t first);

/* The character of so many bytes, as utf8_length() says, or UTF8_NONE: one of
   them continues none, or it is too long, a surrogate, or beyond Unicode. Reads
   no byte behind the first that is wrong. */
uint32_t utf8_character(const uint8_t *text, unsigned length);

#endif

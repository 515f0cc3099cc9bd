/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_BASE_UTF8_H
#define QEMU_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_NONE UINT32_MAX

/* Finds the first character of a text of 1 byte or more. Result: its bytes, 1
   to 4; 1 and UTF8_NONE if the first byte begins none, or what follows is
   wrong, too long, a surrogate, or beyond Unicode; 0 if its end lies behind the
   text. Reads no byte behind the first that is wrong. */
unsigned utf8_first(uint32_t *character, const uint8_t *text, size_t bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_BASE_UTF8_H
#define QEMU_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_NONE UINT32_MAX

/* Decodes the first character of a text of 1 byte or more. Returns its length
   of 1 to 4 bytes. Returns 1 and UTF8_NONE if the bytes are invalid, overlong,
   a surrogate, or beyond Unicode. Returns 0 if the character is incomplete.
   Reads no byte beyond the first invalid one. */
unsigned utf8_first(uint32_t *character, const uint8_t *text, size_t bytes);

/* Returns whether all of a text is UTF-8. */
bool utf8_is_valid(const char *text, size_t bytes);

#endif

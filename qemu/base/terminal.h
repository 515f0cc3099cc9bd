/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a terminal's width, and breaks text into lines. */
#ifndef QEMU_BASE_TERMINAL_H
#define QEMU_BASE_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* Returns the terminal's columns; 80 if the descriptor is no terminal. */
size_t terminal_columns(int descriptor);

/* Returns the length of the leading words that fit in `room` columns, but at
   least the length of the first word. */
size_t terminal_fitting(const char *text, size_t length, size_t room);

/* Prints text[0] to text[length - 1] without a final newline. The text begins
   at `column`. A word that would pass `columns` goes to the next line, which
   begins at `indent`. */
void terminal_print(FILE *out, const char *text, size_t length, size_t column,
                    size_t indent, size_t columns);

#endif

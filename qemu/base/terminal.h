/* SPDX-License-Identifier: Apache-2.0 */
/* Tells a terminal's width, and breaks text into lines. */
#ifndef QEMU_BASE_TERMINAL_H
#define QEMU_BASE_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* Returns the terminal's columns; 80 if the descriptor is no terminal. */
size_t terminal_columns(int descriptor);

/* Returns how many bytes of the text are its first words that fit in `room`
   columns together, at least the first word. */
size_t terminal_fitting(const char *text, size_t length, size_t room);

/* Prints text[0 .. length) without a final newline. The line has `column`
   characters already. A word that would pass `columns` goes to a new line,
   which begins at column `indent`. */
void terminal_print(FILE *out, const char *text, size_t length, size_t column,
                    size_t indent, size_t columns);

#endif

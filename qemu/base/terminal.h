/* SPDX-License-Identifier: Apache-2.0 */
/* The width of a terminal, and text that fits it. */
#ifndef QEMU_BASE_TERMINAL_H
#define QEMU_BASE_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* Result: columns of the terminal behind a descriptor; 80 without one. */
size_t terminal_columns(int descriptor);

/* Result: length of the words of a text that fit in `room`; of the first word,
   if that is longer. */
size_t terminal_fitting(const char *text, size_t length, size_t room);

/*
 * Prints text[0] to text[length - 1], without a newline at its end. The text
 * begins at `column`; a line ends before the word that would pass `columns`,
 * and the next line begins at `indent`.
 */
void terminal_print(FILE *out, const char *text, size_t length, size_t column,
                    size_t indent, size_t columns);

#endif

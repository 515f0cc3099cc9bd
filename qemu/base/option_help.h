/* SPDX-License-Identifier: Apache-2.0 */
/* What --help and -h print of a command's rows. */
#ifndef QEMU_BASE_OPTION_HELP_H
#define QEMU_BASE_OPTION_HELP_H

#include "qemu/base/option_row.h"

/*
 * Prints the rows on stdout, sorted: all their text (`how` is ""), a line for
 * each ("short"), or, for programs, lines of fields with tabs between them
 * ("rows"): name, letter, value, "required", "optional" (the value) or nothing,
 * choices, help. Lines for people have at most 79 characters.
 */
void option_help_print(const struct option_command *command,
                       const struct option_row *row[], size_t rows,
                       const char *how);

/* Copies choice number `index` of a row. Result: false behind the last. */
#define OPTION_CHOICE_BYTES 64u
bool option_choice(char choice[OPTION_CHOICE_BYTES],
                   const struct option_row *row, size_t index);

#endif

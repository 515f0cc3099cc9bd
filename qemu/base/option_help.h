/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the options of a command for --help and -h. */
#ifndef QEMU_BASE_OPTION_HELP_H
#define QEMU_BASE_OPTION_HELP_H

#include "qemu/base/option_row.h"

/* Prints the options on stdout, sorted by group and name. `how` is "" for the
   full help, "short" for one line an option, or "rows" for programs. A line of
   "rows" has six fields between tabs: name, letter, value, need, choices, help.
   The field need is "required"; or "optional", if the value may be left out; or
   empty. */
void option_help_print(const struct option_command *command,
                       const struct option_row *row[], size_t rows,
                       const char *how);

/* Copies the allowed word `index` of a row. Returns false beyond the last
   word. */
#define OPTION_CHOICE_BYTES 64u
bool option_choice(char choice[OPTION_CHOICE_BYTES],
                   const struct option_row *row, size_t index);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and what these call: for boot/shell/shell*.c only. */
#ifndef BOOT_SHELL_COMMANDS_H
#define BOOT_SHELL_COMMANDS_H

#include "boot/shell/state.h"

enum shell_row {
    SHELL_ROW_END, /* with shell->ending */
    SHELL_ROW,     /* one is in shell->out */
    SHELL_ROW_LATER
};

/*
 * run() (NULL: nothing to do) adds words behind `ok` or returns what is wrong.
 * Then, with row() and unless run() has cleared shell->rows, row() is called
 * until it says SHELL_ROW_END.
 */
struct shell_command {
    const char *help; /* the name, and words for people */
    enum shell_code (*run)(struct shell *shell);
    enum shell_row (*row)(struct shell *shell);
    uint8_t name_bytes;
    uint8_t words_min; /* behind the name */
    uint8_t words_max;
};

extern const struct shell_command shell_commands[];
extern const unsigned shell_commands_count;

/* Reads digits only; false: there are other characters, or none, or the number
   is above `most`. */
bool shell_number(const char *text, uint32_t *number, uint32_t most);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and what these call: for boot/shell/ only. */
#ifndef BOOT_SHELL_COMMANDS_H
#define BOOT_SHELL_COMMANDS_H

#include "boot/shell/state.h"

/*
 * run() (NULL: nothing to do) adds words behind `ok` or returns what is wrong.
 * Then, with row() and unless run() has cleared shell->rows, row() is called
 * for each row, with the results of shell_node_row(). At ERR_EMPTY the rows end
 * with shell->ending.
 */
struct shell_command {
    const char *help; /* the name, and words for people */
    enum shell_code (*run)(struct shell *shell);
    int (*row)(struct shell *shell);
    uint8_t name_bytes;
    uint8_t words_min; /* behind the name */
    uint8_t words_max;
    uint8_t list; /* enum shell_list of the rows that are a node's */
};

extern const struct shell_command shell_commands[];
extern const unsigned shell_commands_count;

/* The code of an enum err, which shell->detail then tells. */
enum shell_code shell_code_of(struct shell *shell, int error);

/* Reads digits only; false: there are other characters, or none, or the number
   is above `most`. */
bool shell_number(const char *text, uint32_t *number, uint32_t most);

#endif

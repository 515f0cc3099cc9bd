/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and their shared functions; for boot/shell/ only. */
#ifndef BOOT_SHELL_COMMANDS_H
#define BOOT_SHELL_COMMANDS_H

#include "boot/shell/state.h"

/*
 * A command. run(), if not NULL, carries out a request: it appends words to the
 * reply `ok`, or returns an error. Then row(), if not NULL, is called for each
 * row, unless run() has cleared shell->rows; it returns what shell_node_row()
 * returns. After ERR_EMPTY the line `end` tells shell->ending.
 */
struct shell_command {
    const char *help; /* the name, then its arguments for people */
    enum shell_code (*run)(struct shell *shell);
    int (*row)(struct shell *shell);
    uint8_t name_bytes;
    uint8_t words_min; /* least number of words behind the name */
    uint8_t words_max;
    uint8_t list; /* enum shell_list of the rows, if the node makes them */
};

extern const struct shell_command shell_commands[];
extern const unsigned shell_commands_count;

/* Returns the code for `error`, an enum err, and stores it in shell->detail. */
enum shell_code shell_code_of(struct shell *shell, int error);

/* Reads a number of decimal digits. Result: false if the text has other
   characters or none, or if the number is above `most`. */
bool shell_number(const char *text, uint32_t *number, uint32_t most);

#endif

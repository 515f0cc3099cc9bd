/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of commands that talk to a mesh of boards through one console:
 * `ps`, `nodes`, `links`, `mesh`, `identify` and `reset` share this table
 * of rows.
 */
#ifndef QEMU_COMMAND_CONSOLE_OPTIONS_H
#define QEMU_COMMAND_CONSOLE_OPTIONS_H

#include "hal/nodiscard.h"
#include "qemu/serial/client.h"
#include "qemu/base/option.h"
#include "torus/torus.h"

struct board_options {
    const char *command; /* for messages: "nodes" */
    const char *port;
    struct torus_size size;      /* 0 x 0: as the board says */
    const char *originator_text; /* NULL: not given */
    struct torus_coord originator;
};

extern const struct option_table board_option_table;

/*
 * Opens the console, with the time limits of surveys, and completes size and
 * originator from the board's reply to `ident`. Result: the console, to be
 * closed; NULL after a message, and *status is the exit status.
 */
struct console *board_options_open(int *status, struct board_options *options);

/* Does that for a struct that begins with a struct board_options, calls work(),
   whose result is the exit status, and closes the console. */
NODISCARD int board_options_work(void *options,
                                 int (*work)(void *options,
                                             struct console *console));

/* Prints why the console's last call failed. Result: an exit status. */
int board_options_fail(const struct console *console);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the commands that reach a mesh of boards through one console:
   `ps`, `nodes`, `links`, `mesh`, `identify`, `reset`. */
#ifndef QEMU_COMMAND_CONSOLE_OPTIONS_H
#define QEMU_COMMAND_CONSOLE_OPTIONS_H

#include "hal/nodiscard.h"
#include "qemu/serial/client.h"
#include "qemu/base/option.h"
#include "torus/torus.h"

struct board_options {
    const char *command; /* name of the command, for messages: "nodes" */
    /* Does the work of board_options_run(). `options` is the command's struct.
       Returns the exit status. */
    int (*work)(void *options, struct console *console);
    const char *port;
    struct torus_size size;      /* 0 x 0: the board tells its size */
    const char *originator_text; /* NULL: not given */
    struct torus_coord originator;
};

extern const struct option_table board_option_table;

/* Opens the console. Takes the mesh size and the originator from the board's
   reply to `ident` if no option gave them. Returns the console, which the
   caller closes; or NULL after a message, with an exit status in *status. */
struct console *board_options_open(int *status, struct board_options *options);

/* The .run of a command whose struct begins with a struct board_options: opens
   the console, calls .work, closes the console. Returns work()'s result. */
NODISCARD int board_options_run(void *options);

/* Prints why the last call of the console failed. Returns an exit status. */
int board_options_fail(const struct console *console);

#endif

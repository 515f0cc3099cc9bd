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
    /* What board_options_run() does with the console. `options` is the
       command's struct. Returns the exit status. */
    int (*work)(void *options, struct console *console);
    const char *port;
    struct torus_size size;      /* 0 x 0: the board tells the size */
    const char *originator_text; /* NULL: not given */
    struct torus_coord originator;
};

extern const struct option_table board_option_table;

/* Opens the console. If no option gave mesh size and originator, asks the
   board. Returns the console, which the caller closes; or NULL after a message,
   with an exit status in *status. */
struct console *board_options_open(int *status, struct board_options *options);

/* Opens the console, calls .work, and closes the console. A command whose
   struct begins with a struct board_options has this function as .run. Returns
   what work() returned. */
NODISCARD int board_options_run(void *options);

/* Prints why the last call for the console failed. Returns an exit status. */
int board_options_fail(const struct console *console);

#endif

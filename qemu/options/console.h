/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of commands that talk to a mesh of boards through one console:
 * `ps`, `nodes`, `links`, `mesh`, `identify` and `reset` parse theirs with this
 * parser as a child.
 */
#ifndef QEMU_OPTIONS_CONSOLE_H
#define QEMU_OPTIONS_CONSOLE_H

#include "hal/nodiscard.h"
#include "qemu/console/client.h"
#include "torus/torus.h"

#include <argp.h>

struct board_options {
    const char *command; /* for messages: "nodes" */
    const char *port;
    struct torus_size size; /* 0 x 0: as the board says */
    bool originator_given;
    struct torus_coord originator;
};

/* The child parser; its input is a struct board_options. Keys of a command's
   own: from 0x300. */
#define BOARD_OPTIONS_KEYS 0x200
extern const struct argp board_options_argp;

/* Whether --port is there and the originator lies in the mesh, if that is
   given. Result: 0 or an exit status, after a message. */
NODISCARD int board_options_check(const struct board_options *options);

/*
 * Opens the console, asks the board who it is, and completes size and
 * originator by what it says. Result: NULL after a message: then *status is an
 * exit status.
 */
struct console *board_options_open(int *status, struct board_options *options);

/* Only the console, as it is best to wait for it; NULL after a message. */
struct console *board_options_console(const struct board_options *options);

/* Says why the console's last call failed. Result: an exit status. */
int board_options_fail(const struct console *console);

#endif

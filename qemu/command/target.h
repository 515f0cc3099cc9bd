/* SPDX-License-Identifier: Apache-2.0 */
/* The target of `identify` and `reset`: one node of a mesh of serial boards, or
   all nodes. Commands go only to nodes that have answered a peek (a message
   that a node answers from its interrupts), over the path of this peek
   (qemu/serial/sweep.h). */
#ifndef QEMU_COMMAND_TARGET_H
#define QEMU_COMMAND_TARGET_H

#include "hal/nodiscard.h"
#include "qemu/command/console_options.h"
#include "qemu/serial/nodes.h"

struct board_target {
    struct board_options options;
    const char *text; /* "X,Y" or "all"; NULL: not given */
    bool all;
    struct torus_coord at;
    struct nodes nodes;
    /* number of nodes that did not answer, or whose command failed */
    unsigned failed;
};

/* The .word and .run of a command whose struct begins with a struct
   board_target. board_target_run() returns EXIT_FAILED if nodes failed, else
   board_options_run()'s result. */
extern const struct option_row board_target_word;
NODISCARD int board_target_run(void *options);

/* Asks the target's nodes for their identities. A node that does not answer, or
   has other coordinates, is printed and counts as failed. Returns 0, or an exit
   status after a message. */
NODISCARD int board_target_find(struct board_target *target,
                                struct console *console);

/* Returns whether a node belongs to the target and has answered. */
bool board_target_has(const struct board_target *target, uint32_t index);

/* Sends `command`, the path to a node, and `argument` ("" or " 10") to the
   originator's console. Returns whether the node has answered. If not, prints
   that and counts the node as failed. */
bool board_target_command(struct board_target *target, uint32_t index,
                          const char *command, const char *argument);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The target of `identify` and `reset`: one node of a mesh of boards, or all
   nodes. Commands go only to nodes that have answered a peek, on the path that
   the peek took (qemu/serial/sweep.h). */
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
    /* number of nodes without an answer or with a failed command */
    unsigned failed;
};

/* The .word and .run of a command whose struct begins with a struct
   board_target. board_target_run() returns EXIT_FAILED if nodes failed, else
   board_options_run()'s result. */
extern const struct option_row board_target_word;
NODISCARD int board_target_run(void *options);

/* Reads the identities of the target's nodes. Prints and counts as failed the
   nodes that do not answer or report other coordinates. Returns 0, or an exit
   status after a message. */
NODISCARD int board_target_find(struct board_target *target,
                                struct console *console);

/* Whether the node belongs to the target and answered. */
bool board_target_has(const struct board_target *target, uint32_t index);

/* Sends `command`, the path to the node, and `argument` ("" or " 10") to the
   originator's console. Returns whether the node answered. A node without an
   answer is printed and counted as failed. */
bool board_target_command(struct board_target *target, uint32_t index,
                          const char *command, const char *argument);

#endif

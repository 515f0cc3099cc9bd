/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target of `identify` and `reset`: one node of a mesh of boards, or all.
 * Before a command is sent to a node, a peek must have found it; other paths
 * are tried if the shortest does not lead to it.
 */
#ifndef QEMU_COMMAND_TARGET_H
#define QEMU_COMMAND_TARGET_H

#include "hal/nodiscard.h"
#include "qemu/command/console_options.h"
#include "qemu/serial/nodes.h"

struct board_target {
    struct board_options options;
    const char *text; /* "X,Y" or "all"; NULL: none was given */
    bool all;
    struct torus_coord at;
    struct nodes nodes;
    unsigned failed; /* nodes that did not answer or failed a command */
};

/* Parses a word of the command line, X,Y or all, into a struct board_target: an
   option row's set(). Result: 0, or EXIT_USAGE after a message. */
NODISCARD int board_target_parse(void *options, const char *option,
                                 const char *text);

/* As board_options_work(), of a struct that begins with a struct board_target.
   Result: also EXIT_FAILED if nodes failed. */
NODISCARD int board_target_work(void *options,
                                int (*work)(void *options,
                                            struct console *console));

/*
 * Reads the identities of the target's nodes. Nodes that do not answer, or
 * report another place, are printed and counted as failed. Result: 0, or an
 * exit status after a message.
 */
NODISCARD int board_target_find(struct board_target *target,
                                struct console *console);

/* Whether the node belongs to the target, and answered. */
bool board_target_has(const struct board_target *target, uint32_t index);

/*
 * Sends `command`, the path to the node and `argument` ("" or " 10") to the
 * originator's console. Result: whether the node answered; else it is printed
 * and counted as failed.
 */
bool board_target_command(struct board_target *target, uint32_t index,
                          const char *command, const char *argument);

#endif

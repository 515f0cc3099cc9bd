/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `identify` and `reset` are for: one node of a mesh of boards, or all. It
 * is looked for by a peek, over as many paths as it takes, before anything is
 * done to it.
 */
#ifndef QEMU_OPTIONS_TARGET_H
#define QEMU_OPTIONS_TARGET_H

#include "hal/nodiscard.h"
#include "qemu/options/console.h"
#include "qemu/survey/identity.h"

struct board_target {
    const char *text; /* "X,Y" or "all"; NULL: none was given */
    bool all;
    struct torus_coord at;
    struct board_options options;
    struct sweep sweep;
    struct identity *identity; /* row-major */
    unsigned failed;           /* nodes of which something went wrong */
};

/* One word of the command line. Result: 0, or EINVAL after a message. */
NODISCARD int board_target_parse(struct board_target *target, const char *text);

/* Whether a node was given, and lies in the mesh, if that is given. Result: 0
   or an exit status, after a message. */
NODISCARD int board_target_check(const struct board_target *target);

/*
 * Opens the console and finds out who the nodes are that are meant. Those that
 * do not answer, or take themselves to be elsewhere, are told and failed.
 * Result: 0, or an exit status after a message; board_target_close() in any
 * case.
 */
NODISCARD int board_target_open(struct board_target *target);
void board_target_close(struct board_target *target);

/* Whether the node is one that is meant, and answered. */
bool board_target_has(const struct board_target *target, uint32_t index);

/*
 * `command`, the path to the node and `argument` ("" or " 10") for the
 * originator's console. Result: whether the node answered; else it is told and
 * failed.
 */
bool board_target_command(struct board_target *target, uint32_t index,
                          const char *command, const char *argument);

#endif

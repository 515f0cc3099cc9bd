/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts the QEMUs of boards: as forks of a zygote, where this QEMU takes one
 * (qemu/board/zygote.h), else each by itself. A board is the same either way.
 */
#ifndef QEMU_FABRIC_STARTER_H
#define QEMU_FABRIC_STARTER_H

#include "hal/nodiscard.h"
#include "qemu/fabric/backend.h"

#include <sys/types.h>

struct starter;

/* The descriptors of a board, from PROCESS_FD on; -1: none. */
enum starter_fd {
    STARTER_DOORBELL,
    STARTER_WINDOW,
    STARTER_GDB,
    STARTER_FDS
};

/* `log` is what the boards write to. It and what the configuration points to
   stay the caller's, and outlive the starter. */
struct starter *starter_new(const struct boards_config *config, int log);

/*
 * Starts one board, whose instructions take 32 ns << slow_shift; the
 * descriptors stay the caller's. `image` is the path of an image of its own,
 * with which it is no fork; NULL: the configuration's. A board that halts does
 * so before its first instruction, until its debugger lets it go on. Result:
 * its pid, to be waited for; or -1 with errno.
 */
NODISCARD pid_t starter_board(struct starter *starter, unsigned slow_shift,
                              const char *image, const int fd[STARTER_FDS],
                              bool halts);

/* No more boards are to be started, or none for a while: ends the zygotes. */
void starter_rest(struct starter *starter);

/* Boards stay. NULL is allowed. */
void starter_free(struct starter *starter);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A QEMU that boards are forked from: they share its types, tables and
 * relocations, and where it can be its machine, and are up sooner.
 * qemu/board/DESIGN.md has the figures, qemu/board/preload/forker.h what is
 * said between the two.
 */
#ifndef QEMU_BOARD_ZYGOTE_H
#define QEMU_BOARD_ZYGOTE_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <sys/types.h>

struct zygote;

/*
 * Starts a zygote, and waits until it is ready (about 0.1 s). `path` is that of
 * the object to be preloaded, zygote.so; argv[0], a board's QEMU, is looked for
 * on the PATH, and the last option must be -readconfig, its value FORKER_FILE,
 * before a NULL; `log` takes standard output and error of the zygote and its
 * boards. Result: NULL, with *why, if it is not ready: then the log is empty,
 * and boards must be started one by one.
 */
struct zygote *zygote_start(const char **why, const char *path,
                            char *const *argv, int log);

/*
 * Forks a board with these descriptors, its PROCESS_FD and those that follow;
 * at most FORKER_FDS_MAX. They stay the caller's. The board is a child of the
 * calling process, as process_start() leaves one. Result: its pid; 0 if it
 * could not be forked, and does not exist; -1 with errno if that is not known.
 */
NODISCARD pid_t zygote_fork(struct zygote *zygote, const int *fd, unsigned fds);

/* Whether boards come with the zygote's machine, and take a third of the memory
   that those take which make their own. */
bool zygote_has_machine(const struct zygote *zygote);

/* Ends the zygote, not its boards. NULL is allowed. */
void zygote_stop(struct zygote *zygote);

#endif

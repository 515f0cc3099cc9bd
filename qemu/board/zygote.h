/* SPDX-License-Identifier: Apache-2.0 */
/* A zygote: a QEMU process from which boards are forked. Boards share its
   types, tables and relocations, and if possible its machine, and so start
   sooner. qemu/board/DESIGN.md has figures, qemu/board/preload/forker.h the
   protocol. */
#ifndef QEMU_BOARD_ZYGOTE_H
#define QEMU_BOARD_ZYGOTE_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <sys/types.h>

struct zygote;

/* Starts a zygote, and waits until it is ready (about 0.1 s). `path` names
   zygote.so, the object to preload. argv[0], a board's QEMU, is searched on the
   PATH; the last option before the NULL must be -readconfig FORKER_FILE. `log`
   takes standard output and error of the zygote and its boards. Returns NULL,
   with the reason in *why, if it is not ready; then the log is empty, and
   boards must start one by one. */
struct zygote *zygote_start(const char **why, const char *path,
                            char *const *argv, int log);

/* Forks a board with copies of these descriptors, at most FORKER_FDS_MAX,
   numbered from PROCESS_FD. The board is a child of the calling process, as
   after process_start(). Returns its pid; 0 if the fork failed and no board
   exists; -1 with errno if that is unknown. */
NODISCARD pid_t zygote_fork(struct zygote *zygote, const int *fd, unsigned fds);

/* Returns whether boards share the zygote's machine, which saves two thirds of
   their memory. */
bool zygote_has_machine(const struct zygote *zygote);

/* Ends the zygote but not its boards. NULL is allowed. */
void zygote_stop(struct zygote *zygote);

#endif

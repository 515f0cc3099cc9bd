/* SPDX-License-Identifier: Apache-2.0 */
/* A zygote: a QEMU process from which boards are forked. Boards share its
   types, tables and relocations, if possible also its machine, and so start
   sooner. Figures: qemu/board/DESIGN.md. Protocol:
   qemu/board/preload/forker.h. */
#ifndef QEMU_BOARD_ZYGOTE_H
#define QEMU_BOARD_ZYGOTE_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <sys/types.h>

struct zygote;

/* Starts a zygote and waits until it is ready, about 0.1 s. `path` is that of
   zygote.so, the object to preload. argv[0], the boards' QEMU, is searched on
   the PATH; the last option before the NULL must be -readconfig FORKER_FILE.
   `log` takes all output of the zygote and its boards. If the zygote is not
   ready, returns NULL with the reason in *why; then the log is empty, and
   boards must start one by one. */
struct zygote *zygote_start(const char **why, const char *path,
                            char *const *argv, int log);

/* Forks a board with copies of `fds` descriptors, at most FORKER_FDS_MAX,
   numbered from PROCESS_FD. The board becomes a child of the calling process,
   as after process_start(). Returns its pid; 0 if the fork failed and there is
   no board; -1 with errno if it is unknown whether there is one. */
NODISCARD pid_t zygote_fork(struct zygote *zygote, const int *fd, unsigned fds);

/* Returns whether boards are forked with the zygote's machine, which saves two
   thirds of their memory. */
bool zygote_has_machine(const struct zygote *zygote);

/* Ends the zygote, but not its boards. Accepts NULL. */
void zygote_stop(struct zygote *zygote);

#endif

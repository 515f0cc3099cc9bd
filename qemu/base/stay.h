/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command that stays until it is told to end: by Ctrl-C, SIGTERM, SIGHUP, or
 * the end of its input.
 */
#ifndef QEMU_BASE_STAY_H
#define QEMU_BASE_STAY_H

#include "hal/nodiscard.h"

#include <signal.h>

struct stay {
    int signals; /* a descriptor */
    int input;   /* a descriptor; -1: none, or it is of no use any more */
    sigset_t before;
};

/* Keeps those signals for stay_wait() from now on. `input` is read to its end,
   and what comes is thrown away; -1: there is none. Result: 0, or -1 after a
   message. */
NODISCARD int stay_begin(struct stay *stay, int input);

/* Waits. Result: why to end, in words; or NULL: `other` can be read (-1: there
   is no such descriptor). */
const char *stay_wait(struct stay *stay, int other);

/* Signals do again what they did before. */
void stay_end(struct stay *stay);

/* Standard input, if somebody may end it: a terminal or a pipe; else -1. */
NODISCARD int stay_input(void);

#endif

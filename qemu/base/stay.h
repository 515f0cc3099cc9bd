/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a command running until Ctrl-C, SIGTERM, SIGHUP, or end of input. */
#ifndef QEMU_BASE_STAY_H
#define QEMU_BASE_STAY_H

#include "hal/nodiscard.h"

#include <signal.h>

struct stay {
    int signals; /* a descriptor */
    int input;   /* a descriptor; -1: no input, or no longer read */
    sigset_t before;
};

/* Catches Ctrl-C, SIGTERM and SIGHUP for stay_wait(), which also reads `input`
   and discards its bytes; -1: no input. Returns 0, or -1 after a message. */
NODISCARD int stay_begin(struct stay *stay, int input);

/* Waits for a reason to end. Returns the reason as text, or NULL if descriptor
   `other` is readable (-1: no such descriptor). */
const char *stay_wait(struct stay *stay, int other);

/* Restores the signals' former effect. */
void stay_end(struct stay *stay);

/* Returns STDIN_FILENO if standard input is a terminal or a pipe; else -1. */
NODISCARD int stay_input(void);

#endif

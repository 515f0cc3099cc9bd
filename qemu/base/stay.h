/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a command running until Ctrl-C, SIGTERM, SIGHUP, or end of input. */
#ifndef QEMU_BASE_STAY_H
#define QEMU_BASE_STAY_H

#include "hal/nodiscard.h"

#include <signal.h>

struct stay {
    int signals; /* a descriptor */
    int input;   /* descriptor of the input; -1: it is not read */
    sigset_t before;
};

/* Catches Ctrl-C, SIGTERM and SIGHUP for stay_wait(). That also reads the
   descriptor `input` (-1: none) and discards its bytes. Returns 0, or -1 after
   a message. */
NODISCARD int stay_begin(struct stay *stay, int input);

/* Waits until the command shall end, and returns why as text. Returns NULL if
   the descriptor `other` (-1: none) is readable before. */
const char *stay_wait(struct stay *stay, int other);

/* Gives the signals their former effect again. */
void stay_end(struct stay *stay);

/* Returns the descriptor of standard input if that is a terminal or a pipe;
   else -1. */
NODISCARD int stay_input(void);

#endif

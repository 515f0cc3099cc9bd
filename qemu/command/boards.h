/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_BOARDS_H
#define QEMU_COMMAND_BOARDS_H

#include "hal/nodiscard.h"

/*
 * `quincunx boards`: starts a mesh of emulated boards with serial ports, prints where
 * their consoles are, and runs until Ctrl-C, SIGTERM, or the end of standard
 * input. Result: the exit status, 0 after one of these; 1 when a board died or
 * could not be started; 2 for wrong usage.
 */
NODISCARD int boards_command(int argc, char **argv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_BOARDS_H
#define QEMU_COMMAND_BOARDS_H

#include "hal/nodiscard.h"

/*
 * `quincunx boards`: starts a mesh of emulated boards and stays. argv[0] is
 * for messages. Exit status: 0 when it was told to end; 1 when a board died or
 * none could be started; 2 for wrong usage.
 */
NODISCARD int boards_command(int argc, char **argv);

#endif

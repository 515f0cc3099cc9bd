/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_LINKS_H
#define QEMU_COMMAND_LINKS_H

#include "hal/nodiscard.h"

/* `quincunx links`: prints bytes and errors that every port of every node has
   counted. Result: the exit status, 0 if all nodes answered. */
NODISCARD int links_command(int argc, char **argv);

#endif

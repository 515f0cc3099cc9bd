/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_LINKS_H
#define QEMU_COMMAND_LINKS_H

#include "hal/nodiscard.h"

/* `quincunx links`: what every port of every node counted. Result: the exit
   status. */
NODISCARD int links_command(int argc, char **argv);

#endif

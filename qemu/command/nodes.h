/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_NODES_H
#define QEMU_COMMAND_NODES_H

#include "hal/nodiscard.h"

/* `quincunx nodes`: prints image, clock, reset cause, uptime and the like of
   every node. Result: the exit status, 0 if all answered and none differs. */
NODISCARD int nodes_command(int argc, char **argv);

#endif

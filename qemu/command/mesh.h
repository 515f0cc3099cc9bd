/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_MESH_H
#define QEMU_COMMAND_MESH_H

#include "hal/nodiscard.h"

/* `quincunx mesh`: has the boards find each other, and prints and draws the
   faults of the wiring. Result: the exit status, 0 if there are none. */
NODISCARD int mesh_command(int argc, char **argv);

#endif

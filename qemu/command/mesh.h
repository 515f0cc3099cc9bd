/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_MESH_H
#define QEMU_COMMAND_MESH_H

#include "hal/nodiscard.h"

/* `quincunx mesh`: boards find each other, and what is wrong is told and drawn.
   Result: the exit status: 0 if the mesh is right. */
NODISCARD int mesh_command(int argc, char **argv);

#endif

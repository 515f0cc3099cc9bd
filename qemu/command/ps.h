/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_PS_H
#define QEMU_COMMAND_PS_H

#include "hal/nodiscard.h"

/* `quincunx ps`: prints the state, last step and fault of every node of a mesh
   of boards. Result: the exit status, 0 if all are well. */
NODISCARD int ps_command(int argc, char **argv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_CALIBRATE_H
#define QEMU_COMMAND_CALIBRATE_H

#include "hal/nodiscard.h"

/* `quincunx calibrate`: sends probes through a mesh and prints what circuits
   cost and how the nodes' clocks go. Result: the exit status. */
NODISCARD int calibrate_command(int argc, char **argv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_CALIBRATE_H
#define QEMU_COMMAND_CALIBRATE_H

#include "hal/nodiscard.h"

/* `quincunx calibrate`. Result: the exit status. */
NODISCARD int calibrate_command(int argc, char **argv);

#endif

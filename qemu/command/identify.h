/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_IDENTIFY_H
#define QEMU_COMMAND_IDENTIFY_H

#include "hal/nodiscard.h"

/* `quincunx identify`: a board's LED blinks. Result: the exit status. */
NODISCARD int identify_command(int argc, char **argv);

#endif

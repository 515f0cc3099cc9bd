/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_IDENTIFY_H
#define QEMU_COMMAND_IDENTIFY_H

#include "hal/nodiscard.h"

/* `quincunx identify`: lets the LED of one board or all blink. Result: the exit
   status, 0 if all that are meant answered. */
NODISCARD int identify_command(int argc, char **argv);

#endif

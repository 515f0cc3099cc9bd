/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_RESET_H
#define QEMU_COMMAND_RESET_H

#include "hal/nodiscard.h"

/* `quincunx reset`: resets one board or all, and waits until they answer again.
   Result: the exit status, 0 if all that are meant do. */
NODISCARD int reset_command(int argc, char **argv);

#endif

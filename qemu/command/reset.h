/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_RESET_H
#define QEMU_COMMAND_RESET_H

#include "hal/nodiscard.h"

/* `quincunx reset`: boards start again. Result: the exit status. */
NODISCARD int reset_command(int argc, char **argv);

#endif

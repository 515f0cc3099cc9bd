/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_COMPARE_H
#define QEMU_COMMAND_COMPARE_H

#include "hal/nodiscard.h"

/* `quincunx compare`: runs one job with every schedule and compares them.
   Result: the exit status, 0, 1 (failed), 2 (usage) or 130 (Ctrl-C). */
NODISCARD int compare_command(int argc, char **argv);

#endif

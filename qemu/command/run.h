/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_RUN_H
#define QEMU_COMMAND_RUN_H

#include "hal/nodiscard.h"

/* `quincunx run`: runs one job and writes its report, pictures and output.
   Result: the exit status, 0, 1 (failed), 2 (usage) or 130 (Ctrl-C). */
NODISCARD int run_command(int argc, char **argv);

/* `quincunx kernels`: lists the kernels and their arguments. */
NODISCARD int run_kernels_command(int argc, char **argv);

#endif

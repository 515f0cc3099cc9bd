/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_NODES_H
#define QEMU_COMMAND_NODES_H

#include "hal/nodiscard.h"

/* `quincunx nodes`: argv[0] is the subcommand's full name. Exit status. */
NODISCARD int nodes_command(int argc, char **argv);

#endif

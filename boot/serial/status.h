/* SPDX-License-Identifier: Apache-2.0 */
/* The functions behind the console's commands, on a node with serial lines. */
#ifndef BOOT_SERIAL_STATUS_H
#define BOOT_SERIAL_STATUS_H

#include "boot/serial/state.h"

/* Fills in the functions that the shell calls. */
void serial_shell_init(struct shell_config *config, struct serial_node *node);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the console's commands find and do on a node on serial lines. */
#ifndef BOOT_SERIAL_STATUS_H
#define BOOT_SERIAL_STATUS_H

#include "boot/serial/state.h"

/* Fills in the functions that the shell calls. */
void serial_shell_init(struct shell_config *config, struct serial_node *node);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_RESET_COMMAND_H
#define QEMU_RESET_COMMAND_H

/* `quincunx reset`: boards start again. Result: the exit status. */
int reset_command(int argc, char **argv);

#endif

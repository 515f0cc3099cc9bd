/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `quincunx console`: sends one command to the board on a serial port, and
 * prints the reply. Options: `quincunx console --help`; the commands:
 * boot/shell/shell.h.
 */
#ifndef QEMU_COMMAND_CONSOLE_H
#define QEMU_COMMAND_CONSOLE_H

#include "hal/nodiscard.h"

/*
 * argv[0] is "quincunx console"; options and the command's words follow. Prints
 * the reply on stdout and what is wrong on stderr. Result: the exit status, 0
 * (`ok`), 1 (`err`, or no reply) or 2 (bad usage); does not return from --help
 * and from options that getopt refuses.
 */
NODISCARD int console_command(int argc, char **argv);

#endif

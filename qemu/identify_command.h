/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_IDENTIFY_COMMAND_H
#define QEMU_IDENTIFY_COMMAND_H

/* `quincunx identify`: a board's LED blinks. Result: the exit status. */
int identify_command(int argc, char **argv);

#endif

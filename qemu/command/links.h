/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_LINKS_H
#define QEMU_COMMAND_LINKS_H

/* `quincunx links`: what every port of every node counted. Result: the exit
   status. */
int links_command(int argc, char **argv);

#endif

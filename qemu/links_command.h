/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_LINKS_COMMAND_H
#define QEMU_LINKS_COMMAND_H

/* `quincunx links`: what every port of every node counted. Result: the exit
   status. */
int links_command(int argc, char **argv);

#endif

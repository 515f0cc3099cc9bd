/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_NODES_H
#define QEMU_COMMAND_NODES_H

/* `quincunx nodes`: argv[0] is the subcommand's full name. Exit status. */
int nodes_command(int argc, char **argv);

#endif

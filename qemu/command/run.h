/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_RUN_H
#define QEMU_COMMAND_RUN_H

/* `quincunx run`: exit status 0, 1 (failed), 2 (usage) or 130. */
int run_command(int argc, char **argv);

/* `quincunx kernels`: lists the kernels and their arguments. */
int run_kernels_command(int argc, char **argv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_CALIBRATE_H
#define QEMU_COMMAND_CALIBRATE_H

/* `quincunx calibrate`. Result: the exit status. */
int calibrate_command(int argc, char **argv);

#endif

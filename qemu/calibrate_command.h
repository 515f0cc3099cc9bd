/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_CALIBRATE_COMMAND_H
#define QEMU_CALIBRATE_COMMAND_H

/* `quincunx calibrate`. Result: the exit status. */
int calibrate_command(int argc, char **argv);

#endif

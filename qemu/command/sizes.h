/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `quincunx sizes`: compares the makespan on tori of any size with a lower
 * bound. Options: `quincunx sizes --help`; trees: qemu/schedule/DESIGN.md.
 */
#ifndef QEMU_COMMAND_SIZES_H
#define QEMU_COMMAND_SIZES_H

#include "hal/nodiscard.h"

/*
 * argv[0] is "quincunx sizes"; options follow. Prints a table on stdout and
 * what is wrong on stderr. Result: the exit status, 0, 1 (failure) or 2 (bad
 * usage); does not return from --help and from options that getopt refuses.
 */
NODISCARD int sizes_command(int argc, char **argv);

#endif

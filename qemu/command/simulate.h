/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `quincunx simulate`: simulates the scatter node by node, with whole units,
 * and checks it against the model. Options: `quincunx simulate --help`.
 */
#ifndef QEMU_COMMAND_SIMULATE_H
#define QEMU_COMMAND_SIMULATE_H

#include "hal/nodiscard.h"

/*
 * argv[0] is "quincunx simulate"; options follow. Prints the outcome and the
 * checks on stdout, and errors on stderr. Result: the exit status, 0, 1 (a
 * check failed, or no memory) or 2 (bad usage); does not return from --help and
 * from options that getopt refuses.
 */
NODISCARD int simulate_command(int argc, char **argv);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* `quincunx figures`: writes the paper's figures, computed by the model, as CSV
   and SVG. */
#ifndef QEMU_COMMAND_FIGURES_H
#define QEMU_COMMAND_FIGURES_H

#include "hal/nodiscard.h"

/*
 * argv[0] is "quincunx figures"; options follow. Writes two files for each
 * figure. Result: the exit status, 0, 1 (failure) or 2 (bad usage), after a
 * message on stderr; does not return from --help and from options that getopt
 * refuses.
 */
NODISCARD int figures_command(int argc, char **argv);

#endif

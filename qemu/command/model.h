/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `quincunx model`: plans a load on the platforms of the literature, exactly.
 * Options: `quincunx model --help`; models: qemu/papers/DESIGN.md.
 */
#ifndef QEMU_COMMAND_MODEL_H
#define QEMU_COMMAND_MODEL_H

#include "hal/nodiscard.h"

/*
 * argv[0] is "quincunx model"; platform, file and options follow. Prints the
 * plan on stdout and what is wrong on stderr. Result: the exit status, 0 or 2
 * (bad usage, or a bad file); does not return from --help and from options that
 * getopt refuses.
 */
NODISCARD int model_command(int argc, char **argv);

#endif

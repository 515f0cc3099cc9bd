/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `quincunx plan`: prints shares and makespan that the model computes for a
 * load on a torus; runs no job. Options: `quincunx plan --help`; models:
 * qemu/model/DESIGN.md.
 */
#ifndef QEMU_COMMAND_PLAN_H
#define QEMU_COMMAND_PLAN_H

#include "hal/nodiscard.h"

/*
 * argv[0] is "quincunx plan"; options follow. Prints the plan on stdout and
 * what is wrong on stderr. Result: the exit status, 0, 1
 * (failure) or 2 (bad usage); does not return from --help and from options
 * that getopt refuses.
 */
NODISCARD int plan_command(int argc, char **argv);

#endif

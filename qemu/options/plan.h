/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `quincunx plan`: which there are, and which exclude each
 * other. */
#ifndef QEMU_OPTIONS_PLAN_H
#define QEMU_OPTIONS_PLAN_H

#include "hal/nodiscard.h"
#include "qemu/options/plan_values.h"

/*
 * Parses the command line of plan_command(). Result: 0, or EXIT_USAGE after a
 * message on stderr; does not return from --help and from options that getopt
 * refuses. argv outlives the options, which point into it.
 */
NODISCARD int plan_options_parse(struct plan_options *options, int argc,
                                 char **argv);

/* Makes the model's input. Result: 0, or EXIT_USAGE after a message on stderr.
 */
NODISCARD int plan_options_input(struct model_input *input,
                                 const struct plan_options *options);

/*
 * The compute time of each node, row by row: from the file of --node-compute,
 * or
 * --compute for nodes that it does not list. To be freed. NULL after a message;
 * *status is then the exit status.
 */
uint64_t *plan_options_nodes(int *status, const struct plan_options *options);

#endif

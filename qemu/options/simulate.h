/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `quincunx simulate`: some of plan's, in narrower limits. */
#ifndef QEMU_OPTIONS_SIMULATE_H
#define QEMU_OPTIONS_SIMULATE_H

#include "hal/nodiscard.h"
#include "qemu/options/plan.h"
#include "scatter/plan/one_round.h"

/* Parses the command line of simulate_command(), as plan_options_parse(). */
NODISCARD int simulate_options_parse(struct plan_options *options, int argc,
                                     char **argv);

/*
 * Makes the same input for the firmware's planner and for the exact model;
 * phases are not fixed. Result: 0, or EXIT_USAGE after a message on stderr.
 */
NODISCARD int simulate_options_inputs(struct planner_input *planner,
                                      struct model_input *model,
                                      const struct plan_options *options);

#endif

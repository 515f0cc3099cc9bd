/* SPDX-License-Identifier: Apache-2.0 */
/* Shares and volumes that the plan gives to each layer, for reports. */
#ifndef QEMU_JOB_LAYERS_H
#define QEMU_JOB_LAYERS_H

#include "qemu/job/outcome.h"

/* Fills in outcome->layer, which the caller frees. For one round on the
   pattern, shares and volumes come from exact arithmetic. With several rounds
   or with outputs, they are rounded down. A tree's layers have the mean of
   their nodes' units. */
void layers_fill(struct outcome *outcome);

/* Returns the makespan, ps, that the first batch would have in a single round
   on the pattern. Outputs are included if they return during the job's rounds.
   Returns 0 if the job had one round or a tree, or if no plan of one round
   exists. */
uint64_t layers_one_round_ps(const struct outcome *outcome);

#endif

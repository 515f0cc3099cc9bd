/* SPDX-License-Identifier: Apache-2.0 */
/* The shares and volumes that the plan gives to each layer, for reports. */
#ifndef QEMU_JOB_LAYERS_H
#define QEMU_JOB_LAYERS_H

#include "qemu/job/outcome.h"

/*
 * Fills in outcome->layer, to be freed by the caller, from the originator's
 * report and the nodes: of one round on the pattern in exact arithmetic (the
 * target's fixed point gives its floors), of several and of outputs the
 * floors; of a tree the means of what the nodes got.
 */
void layers_fill(struct outcome *outcome);

/* The makespan of the first batch in one round, as a plan of at most as many
   phases on the pattern has it; with outputs, if these return while rounds are
   computed. 0: the job had one round or a tree, or there is no such plan. */
uint64_t layers_one_round_ps(const struct outcome *outcome);

#endif

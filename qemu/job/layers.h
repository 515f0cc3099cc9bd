/* SPDX-License-Identifier: Apache-2.0 */
/* Shares and volumes that the plan gives to each layer, for reports. */
#ifndef QEMU_JOB_LAYERS_H
#define QEMU_JOB_LAYERS_H

#include "qemu/job/outcome.h"

/* Fills in outcome->layer, which the caller frees. A plan of one round on the
   pattern is computed in exact arithmetic. With several rounds or with outputs,
   the units are rounded down. A tree has the mean of the nodes' units. */
void layers_fill(struct outcome *outcome);

/* Returns the planned makespan of the first batch in one round on the pattern.
   If outputs return during the rounds, they are included. Returns 0 if the job
   had one round or a tree, or if no such plan exists. */
uint64_t layers_one_round_ps(const struct outcome *outcome);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The advance on the pattern: the originator sends equal shares of a part of
 * the load before it measures the kernel and plans (scatter/plan/advance.h):
 *
 *   originator  | announces | queues | measures, plans | queues rounds | ..
 *   its ports               | advance ......| idle ....| round 1 | round 2
 *   a node                       part | computes the advance | round 1 | ..
 *                           ^ time zero
 *
 * The advance is round 0 of the job. The parts of round 1 bring the job's
 * message (struct wire_job), which is not known before planning.
 */
#ifndef SCATTER_ENGINE_ADVANCE_H
#define SCATTER_ENGINE_ADVANCE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Queues an advance, and sets report.advance, if the order leaves phases and
   rounds to the originator and an advance pays. Result: 0 or the error. */
NODISCARD int advance_try(struct scatter *scatter,
                          struct originator *originator);

/* Sets input.wait_ps: time, ps, that the first planned parts wait after
   planning, so that they arrive when nodes have computed the advance. */
void advance_wait(const struct scatter *scatter, struct originator *originator);

/* Returns the gap from an advance to the first of several rounds, ps; 0 if only
   one round follows the advance. */
uint32_t advance_hold_ps(const struct scatter *scatter,
                         const struct originator *originator);

/* Inserts the advance as round 0 into the plan's tables, for the report. */
void advance_report(struct originator *originator);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The advance on the pattern: the originator sends each node an equal number of
 * units before it measures the kernel and plans the rest of the load
 * (scatter/plan/advance.h):
 *
 *   originator  | announces | queues | measures, plans | queues rounds | ..
 *   its ports               | advance ......| idle ....| round 1 | round 2
 *   a node                   receives | computes the advance | round 1 | ..
 *                           ^ time zero
 *
 * The advance is round 0 of the job. Messages of round 1 carry the fields of
 * the job (struct wire_job), which are not known before planning.
 */
#ifndef SCATTER_ENGINE_ADVANCE_H
#define SCATTER_ENGINE_ADVANCE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Queues an advance and sets report.advance to true, if the originator may
   choose the numbers of phases and rounds and an advance saves time. Result: 0
   or the error. */
NODISCARD int advance_try(struct scatter *scatter,
                          struct originator *originator);

/* Sets input.wait_ps: time, ps, for which the first planned parts wait after
   planning, so that they arrive when nodes have computed the advance. */
void advance_wait(const struct scatter *scatter, struct originator *originator);

/* Returns the least time, ps, from the end of a port's sends of the advance to
   its first send of the next round; 0 if only one round follows. */
uint32_t advance_hold_ps(const struct scatter *scatter,
                         const struct originator *originator);

/* Inserts the advance as round 0 into the plan's tables, for the report. */
void advance_report(struct originator *originator);

#endif

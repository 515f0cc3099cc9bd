/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The originator's advance (scatter/plan/advance.h) on the pattern:
 *
 *   originator  | announces | queues it | measures, plans | queues rounds | ..
 *   its ports               | the advance ...| waits .....| round 1 | round 2
 * .. a node                      part | computes it .........| round 1 | ..
 *                           time zero
 *
 * The advance is the job's first round: the parts of the next one bring the job
 * itself.
 */
#ifndef SCATTER_ENGINE_ADVANCE_H
#define SCATTER_ENGINE_ADVANCE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Queues an advance if phases and rounds are the originator's to choose, and it
   pays. Result: 0 or the error. */
NODISCARD int advance_try(struct scatter *scatter,
                          struct originator *originator);

/* Sets the input's wait_ps: from when the first planned parts can leave until
   they should, as nodes compute the advance till they arrive. */
void advance_wait(const struct scatter *scatter, struct originator *originator);

/* The gap between an advance and the first of several rounds. */
uint32_t advance_hold_ps(const struct scatter *scatter,
                         const struct originator *originator);

/* Makes the advance the first round of the plan, for the report. */
void advance_report(struct originator *originator);

#endif

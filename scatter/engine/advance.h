/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The advance on the pattern: the originator sends each node an equal number of
 * units before it measures the kernel and plans the rest of the load
 * (scatter/plan/advance.h):
 *
 *   originator  | announces | queues | measures, plans | queues rounds | ..
 *   its ports               | advance ......| idle ....| round 1 | round 2
 *   a node                   receives | computes the advance | round 1 | ..
 *                           ^ the scatter's start
 *
 * The advance is round 0 of the job. Messages of round 1 carry the job (struct
 * wire_job): before planning, the job is not known.
 */
#ifndef SCATTER_ENGINE_ADVANCE_H
#define SCATTER_ENGINE_ADVANCE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Queues an advance and sets report.advance if this saves time. Result: 0 or
   the error. */
NODISCARD int advance_try(struct scatter *scatter,
                          struct originator *originator);

/* Sets input.wait_ps: wait, ps, of the first planned parts after planning. */
void advance_wait(const struct scatter *scatter, struct originator *originator);

/* Returns the least time, ps, between a port's last send of the advance and its
   next send. 0 if only one round follows. */
uint32_t advance_hold_ps(const struct scatter *scatter,
                         const struct originator *originator);

/* Inserts the advance as round 0 into originator->plan, for the report. */
void advance_report(struct originator *originator);

#endif

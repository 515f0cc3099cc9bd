/* SPDX-License-Identifier: Apache-2.0 */
/* The originator's advance (scatter/plan/advance.h) on the pattern. */
#ifndef SCATTER_ENGINE_ADVANCE_H
#define SCATTER_ENGINE_ADVANCE_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Sends an advance if phases and rounds are the originator's to choose, and it
   pays. Result: 0 or the error. */
NODISCARD int advance_try(struct scatter *scatter,
                          struct originator *originator);

/* Sets how long the first planned parts had better wait for the nodes to have
   computed the advance. */
void advance_wait(const struct scatter *scatter, struct originator *originator);

/* The gap between an advance and the first of several rounds. */
uint32_t advance_hold_ps(const struct scatter *scatter,
                         const struct originator *originator);

/* Puts the advance into the plan, for the report, as its first round. */
void advance_report(struct originator *originator);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCATTER_ENGINE_ORIGINATOR_PATTERN_H
#define SCATTER_ENGINE_ORIGINATOR_PATTERN_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator_state.h"

/* Sends an advance (scatter/plan/advance.h) if phases and rounds are the
   originator's to choose, and it pays. Result: 0 or the error. */
NODISCARD int originator_advance(struct scatter *scatter,
                                 struct originator *originator);

/* Chooses phases and rounds, plans every layer's units, and writes the job of
   each round. Result: 0 or the error. */
NODISCARD int originator_plan_pattern(struct scatter *scatter,
                                      struct originator *originator);

/* Queues the sends of all rounds; the originator's own share of all of them is
   computed at once, after this. Result: 0 or the error. */
NODISCARD int originator_send_rounds(struct scatter *scatter,
                                     struct originator *originator,
                                     uint64_t start_ps);

#endif

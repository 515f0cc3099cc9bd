/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCATTER_ENGINE_PATTERN_PLAN_H
#define SCATTER_ENGINE_PATTERN_PLAN_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

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

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCATTER_ENGINE_ORIGINATOR_PATTERN_H
#define SCATTER_ENGINE_ORIGINATOR_PATTERN_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator_state.h"

/* Plans on the pattern, how many phases and rounds and who gets what, and
   writes the jobs. Result: 0 or the error. */
NODISCARD int originator_plan_pattern(struct scatter *scatter,
                                      struct originator *originator);

/* Queues all rounds; the originator's own share is part of the first. Result: 0
   or the error. */
NODISCARD int originator_send_rounds(struct scatter *scatter,
                                     struct originator *originator,
                                     uint64_t start_ps);

#endif

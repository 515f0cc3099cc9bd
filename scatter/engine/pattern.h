/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scatter on the pattern of a 5^k x 5^k torus (torus/pattern.h): a node
 * receives its volume from its parent, splits it by the job's tables, and
 * its switch passes on what its descendants get, phase by phase.
 */
#ifndef SCATTER_ENGINE_PATTERN_H
#define SCATTER_ENGINE_PATTERN_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/*
 * Of the originator: splits its volume by the round's tables and queues the
 * sends of all phases; each part takes `passed_on` with it, which begins with
 * the tables. The node's own range comes first, then those of phase N,
 * N - 1, ...: the order in which results come back, so that merging appends.
 * Result: 0 or the error.
 */
NODISCARD int pattern_distribute(struct scatter *scatter,
                                 struct circuit_segment passed_on);

/* Waits for this round's WIRE_PART and reads it, and posts the next one's.
   Result: 0 or the error. */
NODISCARD int pattern_receive(struct scatter *scatter);

#endif

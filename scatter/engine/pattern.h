/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scatter on the pattern of a 5^k x 5^k torus (torus/pattern.h): a node
 * receives its volume from its parent, splits it by the job's tables, and
 * passes on what its descendants get, phase by phase.
 */
#ifndef SCATTER_ENGINE_PATTERN_H
#define SCATTER_ENGINE_PATTERN_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Sets what the rows of all rounds have in common and only the job says. */
void pattern_set_cut(struct scatter *scatter);

/*
 * Splits this node's volume by the round's tables and queues the sends of all
 * remaining phases; each part takes `passed_on` with it, the job or, in later
 * rounds, the tables. The node's own range comes first, then those of phase N,
 * N - 1, ...: the order in which results come back, so that merging appends.
 * Result: 0 or the error.
 */
NODISCARD int pattern_distribute(struct scatter *scatter, const uint8_t *tables,
                                 const uint8_t *passed_on,
                                 uint32_t passed_on_bytes);

/* Waits for this round's WIRE_PART, reads it and distributes the volume.
   Result: 0 or the error. */
NODISCARD int pattern_receive(struct scatter *scatter);

#endif

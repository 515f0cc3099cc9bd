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
#include "scatter/engine/originator.h"

/* Hooks of the policy (scatter/engine/core.h). */

NODISCARD int pattern_prepare(struct scatter *scatter);

NODISCARD int pattern_announce(struct scatter *scatter,
                               struct originator *originator,
                               struct circuit_segment shared,
                               struct circuit_segment arg);

NODISCARD int pattern_place(struct scatter *scatter,
                            const uint8_t *announcement, uint32_t bytes,
                            uint32_t *head_bytes);

NODISCARD int pattern_gather(struct scatter *scatter);

/* Sets what the rows of all rounds have in common, when the kernel's terms are
   known, and posts the first part of the job: its switch sends on what of it
   goes on. */
void pattern_expect(struct scatter *scatter);

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

/* Software of a hop that counts as startup of a phase, in several rounds. */
uint64_t startups_hop_ps(const struct scatter *scatter, unsigned phase,
                         unsigned phases);

/* Sets the startup of each phase as a plan of several rounds counts it. */
void startups_set(const struct scatter *scatter, struct originator *originator,
                  unsigned phases);

/* Sets how long the first parts, which are sent at `begin_ps`, will wait for
   the announcement's circuits. */
void startups_wait(const struct scatter *scatter, struct originator *originator,
                   uint64_t begin_ps);

/* Sets when layers receive their volumes in the first of several rounds. */
void startups_receipts(const struct scatter *scatter,
                       struct originator *originator,
                       const uint32_t volume_units[]);

/* Sets what of the planners' input the order has; and that the originator has
   received the load at time zero. Result: 0, or ERR_RANGE if planners can't
   count with the order's costs. */
NODISCARD int startups_input(const struct scatter *scatter,
                             struct originator *originator);

#endif

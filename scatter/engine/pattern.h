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
   known. Posts the first part of the job: the switch sends on what this node
   does not keep of it. */
void pattern_expect(struct scatter *scatter);

/*
 * Splits the originator's volume by the round's tables and queues the sends of
 * all phases; each part takes `passed_on` with it, which begins with the
 * tables. The own share comes first in the range, then the volumes of phase N,
 * N - 1, ...: results come back in this order, so that merging appends.
 * Result: 0 or the error.
 */
NODISCARD int pattern_distribute(struct scatter *scatter,
                                 struct circuit_segment passed_on);

/* Waits for this round's WIRE_PART and reads it, and posts the next one's.
   Result: 0 or the error. */
NODISCARD int pattern_receive(struct scatter *scatter);

/* Software of a node that counts in the startup of `phase` in several rounds:
   from its receipt until its sends are queued. */
uint64_t startups_hop_ps(const struct scatter *scatter, unsigned phase,
                         unsigned phases);

/* Sets the input's phases, and the startup of each as several rounds count it.
 */
void startups_set(const struct scatter *scatter, struct originator *originator,
                  unsigned phases);

/* Sets the input's wait_ps: from `begin_ps`, when the first parts are queued,
   until the announcement's circuits have ended. */
void startups_wait(const struct scatter *scatter, struct originator *originator,
                   uint64_t begin_ps);

/* Sets the report's times at which layers receive their volumes in the first of
   several rounds. */
void startups_receipts(const struct scatter *scatter,
                       struct originator *originator,
                       const uint32_t volume_units[]);

/* Sets what the order says of the planners' input, and that the originator
   receives the load at time zero. Result: 0, or ERR_RANGE if planners can't
   count with the order's costs. */
NODISCARD int startups_input(const struct scatter *scatter,
                             struct originator *originator);

#endif

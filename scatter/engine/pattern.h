/* SPDX-License-Identifier: Apache-2.0 */
/* The policy for a 5^k x 5^k torus (torus/pattern.h). A node's part has the
   units for itself and its descendants. The node splits its part by tables; its
   switch sends on the units for descendants, phase by phase. */
#ifndef SCATTER_ENGINE_PATTERN_H
#define SCATTER_ENGINE_PATTERN_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/originator.h"

/* Hooks of the policy: struct policy in scatter/engine/core.h. */

NODISCARD int pattern_prepare(struct scatter *scatter);

NODISCARD int pattern_announce(struct scatter *scatter,
                               struct originator *originator,
                               struct circuit_segment shared,
                               struct circuit_segment arg);

NODISCARD int pattern_place(struct scatter *scatter,
                            const uint8_t *announcement, uint32_t bytes,
                            uint32_t *head_bytes);

NODISCARD int pattern_gather(struct scatter *scatter);

/* Leads a job as the originator: sends an advance if that saves time, measures,
   plans, sends, computes and gathers. Result: 0 or the error. */
NODISCARD int pattern_lead(struct scatter *scatter,
                           struct originator *originator);

/* Sets how the switch cuts the parts of all rounds (hal/rows.h). The switch may
   then send on the other nodes' units of the first part. Precondition: the
   kernel's begin() has set scatter->terms. */
void pattern_expect(struct scatter *scatter);

/* Splits the originator's range by the round's tables, and queues the sends of
   all phases. `passed_on`: what every part carries, the tables and, in the
   first round, the job. The range begins with the originator's share; the
   volumes of phase N, N - 1, .. 1 follow. Results return in this order, so each
   result is appended when it is merged. Result: 0 or the error. */
NODISCARD int pattern_distribute(struct scatter *scatter,
                                 struct circuit_segment passed_on);

/* Lets the switch receive the part of `round`, and send on units from there. */
static inline void pattern_post(const struct scatter *scatter, unsigned round)
{
    circuit_post(scatter->circuit,
                 scatter->pattern.place | wire_part_place(0, 0, round));
}

/* Waits for this round's WIRE_PART, reads it, and lets the switch receive the
   next round's part. Result: 0 or the error. */
NODISCARD int pattern_receive(struct scatter *scatter);

/* Returns the software time, ps, in the startup of `phase`, for several rounds:
   from a receipt in layer `phase` until sends, if any, are queued. */
uint64_t startups_hop_ps(const struct scatter *scatter, unsigned phase,
                         unsigned phases);

/* Sets originator->input.phases to `phases`, and input.startup_ps[0 .. phases -
   1] to the startups, ps, for several rounds. */
void startups_set(const struct scatter *scatter, struct originator *originator,
                  unsigned phases);

/* Sets originator->input.wait_ps: time, ps, from begin_ps, the mesh time when
   the first parts are queued, until the announcement's circuits have ended, or
   0. */
void startups_wait(const struct scatter *scatter, struct originator *originator,
                   uint64_t begin_ps);

/* Sets report.received_ps[layer], layer from 1: time, ps from the scatter's
   start, at which a node has volume_units[layer] units, its volume in the first
   of several rounds. startup_ps[]: as set by startups_set(). */
void startups_receipts(const struct scatter *scatter,
                       struct originator *originator,
                       const uint64_t startup_ps[],
                       const uint32_t volume_units[]);

/* Sets originator->input from the order and the measured compute time of a
   unit. Sets report.received_ps[0] to 0. Result: 0, or ERR_RANGE if a number of
   the order exceeds the limits of planners. */
NODISCARD int startups_input(const struct scatter *scatter,
                             struct originator *originator);

#endif

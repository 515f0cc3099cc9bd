/* SPDX-License-Identifier: Apache-2.0 */
/* The policy for a 5^k x 5^k torus (torus/pattern.h). A node's part has the
   units of the node and its descendants. The switch sends on the descendants'
   units. */
#ifndef SCATTER_ENGINE_PATTERN_H
#define SCATTER_ENGINE_PATTERN_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"
#include "scatter/engine/lost.h"
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

NODISCARD int pattern_lost(struct scatter *scatter,
                           struct originator *originator, uint32_t number);

/* As pattern_lost(), but adds the descendant's own shares only. */
NODISCARD int pattern_lost_share(struct scatter *scatter,
                                 struct originator *originator,
                                 uint32_t number);

/* Returns this node's children of `phase`. */
struct gather_from pattern_children(const struct scatter *scatter,
                                    unsigned phase);

/* Carries out a job as the originator. Result: 0 or the error. */
NODISCARD int pattern_lead(struct scatter *scatter,
                           struct originator *originator);

/* Tells the switch how to cut the parts of all rounds (hal/rows.h).
   Precondition: scatter->terms is set. */
void pattern_expect(struct scatter *scatter);

/* Splits the originator's range by the round's tables, and queues all sends.
   The originator's share is first in the range; phases N, N - 1, .. 1 follow.
   `passed_on`: the tables and, in the first round, the job. Result: 0 or the
   error. */
NODISCARD int pattern_distribute(struct scatter *scatter,
                                 struct circuit_segment passed_on);

/* Lets the switch receive the part of `round`. */
static inline void pattern_post(const struct scatter *scatter, unsigned round)
{
    circuit_post(scatter->circuit,
                 scatter->pattern.place | wire_part_place(0, 0, round));
}

/* Waits for this round's WIRE_PART and reads it. The switch may then receive
   the next round's part. Result: 0 or the error. */
NODISCARD int pattern_receive(struct scatter *scatter);

/* Returns the software time of `phase`, ps, if there are several rounds. */
uint64_t startups_hop_ps(const struct scatter *scatter, unsigned phase,
                         unsigned phases);

/* Sets input.phases and input.startup_ps[], ps, for several rounds. */
void startups_set(const struct scatter *scatter, struct originator *originator,
                  unsigned phases);

/* Sets input.wait_ps: time, ps, from begin_ps to the announcement's end, or 0.
   begin_ps: mesh time, ps. */
void startups_wait(const struct scatter *scatter, struct originator *originator,
                   uint64_t begin_ps);

/* Sets report.received_ps[layer] from layer 1 on: time, ps from the scatter's
   start, at which a node has its volume_units[layer] units. */
void startups_receipts(const struct scatter *scatter,
                       struct originator *originator,
                       const uint64_t startup_ps[],
                       const uint32_t volume_units[]);

/* Sets originator->input from the order and the measured time of a unit.
   Result: 0, or ERR_RANGE if a number exceeds the planners' limits. */
NODISCARD int startups_input(const struct scatter *scatter,
                             struct originator *originator);

#endif

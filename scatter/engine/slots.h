/* SPDX-License-Identifier: Apache-2.0 */
/* When results come back: the originator sets the job's slots
   (scatter/plan/slots.h), or, with outputs, the time at which each phase's
   leave. */
#ifndef SCATTER_ENGINE_SLOTS_H
#define SCATTER_ENGINE_SLOTS_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/* Time in ps of a circuit over so many hops that returns the output of a
   subtree of `nodes`, which have `units` together; and in which the parent
   merges four such results. */
uint64_t slots_output_ps(const struct scatter *scatter,
                         const struct originator *originator, uint32_t units,
                         uint32_t nodes, uint32_t hops);

/* That time on the pattern: of a node of layer `phase` with its descendants. */
uint64_t slots_return_ps(const struct scatter *scatter,
                         const struct originator *originator, unsigned phase,
                         uint32_t units);

/*
 * Sets the job's slots to long ones only, each for a circuit over so many hops
 * and for merging four results. The circuit is that of the longest result; or,
 * if a short one is expected from what was measured, of the longest short one:
 * the link of a node with more is then taken when others' slots begin.
 * Result: 0, or ERR_RANGE if a slot is over an hour.
 */
NODISCARD int slots_set_long(struct scatter *scatter,
                             const struct originator *originator,
                             uint32_t hops);

/*
 * Sets the job's slots to short ones, with long ones between them unless all
 * results fit a short one; to long ones only if all results have one length
 * that does not. Short ones begin early, in the last `quiet_ps` of the
 * makespan: no circuit of the scatter is on its way then.
 * Result: as slots_set_long().
 */
NODISCARD int slots_set_short(struct scatter *scatter,
                              const struct originator *originator,
                              uint32_t hops, uint64_t quiet_ps);

/*
 * Turns the time that each phase's outputs take (takes_ps[1..N], of a circuit
 * and its merges) into the time at which they leave, counted from the start of
 * the scatter, and takes_ps[0] into that at which all are there:
 *
 *   plan counts outputs       | .. | phase N | .. | phase 1 |
 *                                                           ^ makespan
 *   plan does not                  | phase N | .. | phase 1 |
 *                                  ^ makespan and a 128th
 */
void slots_time_returns(const struct originator *originator,
                        uint64_t takes_ps[], unsigned phases);

/* Time from which slots count, or, with outputs, that from which the times at
   which they leave do: the job's gather_ps. The scatter starts at start_ps. */
uint64_t slots_gather_ps(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t start_ps);

#endif

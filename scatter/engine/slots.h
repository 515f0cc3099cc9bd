/* SPDX-License-Identifier: Apache-2.0 */
/* When results come back: the originator sets the job's slots, or with outputs
   the time at which each phase's leave. */
#ifndef SCATTER_ENGINE_SLOTS_H
#define SCATTER_ENGINE_SLOTS_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator.h"

/*
 * Time in ps of a circuit that returns the output of a node of layer `phase`
 * with its descendants', `units` together, and of the parent's software for
 * four of them.
 */
uint64_t slots_return_ps(const struct scatter *scatter,
                         const struct originator *originator, unsigned phase,
                         uint32_t units);

/* The same for a subtree of `nodes` over a circuit of `hops`. */
uint64_t slots_output_ps(const struct scatter *scatter,
                         const struct originator *originator, uint32_t units,
                         uint32_t nodes, uint32_t hops);

/*
 * Sets the job's result slots: long ones only, for a result over so many hops
 * and for its merging. They are as long as the longest result takes, or where
 * what was measured has a short result, as a short one: a longer one then has
 * others wait for its links. Result: 0, or ERR_RANGE if that is over an hour.
 */
NODISCARD int slots_set_long(struct scatter *scatter,
                             const struct originator *originator,
                             uint32_t hops);

/*
 * The same with short slots, and long ones between them unless all results fit
 * a short one; long ones only where no result fits one. No circuit of the
 * scatter is on its way in the last `quiet_ps` of the makespan.
 */
NODISCARD int slots_set_short(struct scatter *scatter,
                              const struct originator *originator,
                              uint32_t hops, uint64_t quiet_ps);

/*
 * Turns the time that each phase's outputs take (takes_ps[1..N]) into the time
 * at which they leave, from the start of the scatter on, phase N first. If the
 * plan counts them, phase 1's are there at the end of the makespan; else phase
 * N's leave then.
 */
void slots_time_returns(const struct originator *originator,
                        uint64_t takes_ps[], unsigned phases);

/* The job's gather_ps, from which slots and times of outputs count, if the
   scatter starts at `start_ps`. */
uint64_t slots_gather_ps(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t start_ps);

#endif

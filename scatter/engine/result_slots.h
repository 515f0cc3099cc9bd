/* SPDX-License-Identifier: Apache-2.0 */
/* When results come back: the slots of the job, and the times of outputs. */
#ifndef SCATTER_ENGINE_RESULT_SLOTS_H
#define SCATTER_ENGINE_RESULT_SLOTS_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator_state.h"

/*
 * What one circuit takes that returns the output of `units` of a node's load,
 * its descendants' too, over phase `phase` of the pattern, and the parent to
 * take four of them in.
 */
uint64_t slots_return_ps(const struct scatter *scatter,
                         const struct originator *originator, unsigned phase,
                         uint32_t units);

/* The same with the nodes of the subtree and the hops given. */
uint64_t slots_output_ps(const struct scatter *scatter,
                         const struct originator *originator, uint32_t units,
                         uint32_t nodes, uint32_t hops);

/*
 * Sets the job's result slots: each holds the longest result over so many
 * hops. Result: 0, or ERR_RANGE if that takes over an hour.
 */
NODISCARD int slots_set(struct scatter *scatter,
                        const struct originator *originator, uint32_t hops);

/*
 * Turns what each phase's outputs take (takes_ps[1..N]) into when they leave,
 * from the start of the scatter: phase N first, the last there at the end of
 * the makespan if the plan counts them, else the first leave then.
 */
void slots_time_returns(const struct originator *originator,
                        uint64_t takes_ps[], unsigned phases);

/* The jobs' time that results count from, if the scatter starts at
   `start_ps`. */
uint64_t slots_gather_ps(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t start_ps);

#endif

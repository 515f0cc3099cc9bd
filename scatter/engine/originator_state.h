/* SPDX-License-Identifier: Apache-2.0 */
/* What the originator's files share: the order at hand, and what was planned.
 */
#ifndef SCATTER_ENGINE_ORIGINATOR_STATE_H
#define SCATTER_ENGINE_ORIGINATOR_STATE_H

#include "scatter/engine/core.h"

/* One order being carried out: what the planner is given and said. */
struct originator {
    struct wire_order order;
    struct wire_report report;
    struct planner_input input; /* results not counted */
    uint16_t results_numerator; /* P/Q as one round counts it; Q = 0: not */
    uint16_t results_denominator;
    struct rounds_plan plan;
    uint64_t kernel_call_ps; /* of a run() of no units */
    uint8_t *job;            /* of each round, one after the other */
};

static inline uint64_t originator_now_ps(const struct scatter *scatter)
{
    return clock_now_ps(scatter->circuit->clock);
}

/* Hops of a circuit of this phase of the pattern. */
static inline uint32_t originator_phase_hops(const struct scatter *scatter,
                                             unsigned phase)
{
    return torus_path_hops(torus_phase_path(scatter->size, phase, TORUS_EAST));
}

/* Makes the whole load of the order the originator's range. */
void originator_hold_load(struct scatter *scatter,
                          const struct wire_order *order);

/* Memory from `low` on, 8-byte aligned, or NULL. */
uint8_t *originator_allocate(struct scatter *scatter, uint32_t bytes);

#endif

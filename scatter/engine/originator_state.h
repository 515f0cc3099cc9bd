/* SPDX-License-Identifier: Apache-2.0 */
/* State that the originator's files share: the order at hand and its plan. */
#ifndef SCATTER_ENGINE_ORIGINATOR_STATE_H
#define SCATTER_ENGINE_ORIGINATOR_STATE_H

#include "scatter/engine/core.h"

/* One order that is carried out. */
struct originator {
    struct wire_order order;
    struct wire_report report;
    struct planner_input input; /* return of outputs not counted */
    uint16_t results_numerator; /* P/Q: bytes of output per byte of the load */
    uint16_t results_denominator; /* 0: the plan does not count outputs */
    bool alone;                   /* it has the answer first without others */
    uint64_t announced_ps;        /* when it began to queue the announcement */
    uint64_t ports_wait_ps; /* the first sends wait so long for the ports, which
                               the announcement still takes */
    uint8_t *job; /* as stored; the tables of later rounds lie behind it */
    uint64_t hop_ps[TORUS_PHASES_MAX + 1]; /* in one round: from the receipt of
                    the layer before to a layer's, but for its units */
    struct rounds_plan plan; /* the last: of its tables only those of its
                                rounds are ever set */
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
void originator_set_range(struct scatter *scatter,
                          const struct wire_order *order);

/* Takes memory at free_from, rounded up to 8 bytes; NULL if there is not as
   much. */
uint8_t *originator_allocate(struct scatter *scatter, uint32_t bytes);

#endif

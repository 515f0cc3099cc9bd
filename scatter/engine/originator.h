/* SPDX-License-Identifier: Apache-2.0 */
/* What the originator's files share: lead.c (the order, its calibration, the
   sends), lead_plan.c and lead_tree.c (who gets what), lead_return.c (when
   results come back). */
#ifndef SCATTER_ENGINE_ORIGINATOR_H
#define SCATTER_ENGINE_ORIGINATOR_H

#include "scatter/engine/tree.h"
#include "scatter/engine/core.h"

/* One order being carried out: what the planner is given and said. */
struct lead {
    struct wire_order order;
    struct wire_report report;
    struct planner_input input; /* results not counted */
    uint16_t results_numerator; /* P/Q as one round counts it; Q = 0: not */
    uint16_t results_denominator;
    struct rounds_plan plan;
    uint64_t call_ps; /* of the kernel, whatever the units */
    uint8_t *job;     /* of each round, one after the other */
};

static inline uint64_t lead_now_ps(const struct scatter *scatter)
{
    return clock_now_ps(scatter->circuit->clock);
}

/* Hops of a circuit of this phase of the pattern. */
static inline uint32_t lead_phase_hops(const struct scatter *scatter,
                                       unsigned phase)
{
    return torus_path_hops(torus_phase_path(scatter->size, phase, TORUS_EAST));
}

/* Memory from `low` on, 8-byte aligned, or NULL. */
uint8_t *lead_allocate(struct scatter *scatter, uint32_t bytes);

/* Plans on the pattern, or along the order's tree, and writes the jobs.
   Result: 0 or the error. */
int lead_plan_pattern(struct scatter *scatter, struct lead *lead);
int lead_plan_tree(struct scatter *scatter, struct lead *lead);

/*
 * What one circuit takes that returns the output of `units` of a node's load,
 * its descendants' too, over phase `phase` of the pattern, and the parent to
 * take four of them in.
 */
uint64_t lead_return_ps(const struct scatter *scatter, const struct lead *lead,
                        unsigned phase, uint32_t units);

/* The same with the nodes of the subtree and the hops given. */
uint64_t lead_output_ps(const struct scatter *scatter, const struct lead *lead,
                        uint32_t units, uint32_t nodes, uint32_t hops);

/*
 * Sets the job's result slots: each holds the longest result over so many
 * hops. Result: 0, or ERR_RANGE if that takes over an hour.
 */
int lead_set_slots(struct scatter *scatter, const struct lead *lead,
                   uint32_t hops);

/*
 * Turns what each phase's outputs take (takes_ps[1..N]) into when they leave,
 * from the start of the scatter: phase N first, the last there at the end of
 * the makespan if the plan counts them, else the first leave then.
 */
void lead_time_returns(const struct lead *lead, uint64_t takes_ps[],
                       unsigned phases);

/* The jobs' time that results count from, if the scatter starts at
   `start_ps`. */
uint64_t lead_gather_ps(const struct scatter *scatter, const struct lead *lead,
                        uint64_t start_ps);

/* Queues the sends of the originator's branch. Result: 0 or the error. */
int lead_send_tree(struct scatter *scatter, struct lead *lead,
                   uint64_t start_ps);

#endif

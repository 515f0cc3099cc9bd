/* SPDX-License-Identifier: Apache-2.0 */
/* What the two ways to lead a job share: the pattern's and a tree's. */
#ifndef SCATTER_LEAD_H
#define SCATTER_LEAD_H

#include "scatter/relay.h"
#include "scatter/scatter.h"

/* One order being carried out: what the planner is given and said. */
struct lead {
    struct wire_order order;
    struct wire_report report;
    struct planner_input input;
    struct rounds_plan plan;
    uint64_t call_ps; /* of the kernel, whatever the units */
};

static inline uint64_t lead_now_ps(const struct scatter *scatter)
{
    return clock_now_ps(scatter->circuit->clock);
}

/*
 * Sets the job's argument and its result slots: each holds the longest result
 * over so many hops. Result: 0, or ERR_RANGE if that takes over an hour.
 */
int lead_set_slots(struct scatter *scatter, const struct lead *lead,
                   uint32_t hops);

/* When the first slot begins, if the scatter starts at `start_ps`. */
uint64_t lead_gather_ps(const struct scatter *scatter, const struct lead *lead,
                        uint64_t start_ps);

/* Plans along the order's tree and writes the job. Result: 0 or the error. */
int lead_plan_tree(struct scatter *scatter, struct lead *lead);

/* Queues the sends of the originator's branch. Result: 0 or the error. */
int lead_send_tree(struct scatter *scatter, const struct lead *lead,
                   uint64_t start_ps);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans by the thousand, each carried out: every node of the mesh splits what
 * it received as the firmware does. All nodes of a layer that received as much
 * do alike, and a layer knows two volumes only, so 5^20 nodes are 42 classes.
 */
#ifndef TEST_SCATTER_PLANNER_WALK_H
#define TEST_SCATTER_PLANNER_WALK_H

#include "scatter/plan/one_round.h"

struct walk {
    struct planner_plan plan;
    int32_t error;       /* of planner_plan() */
    uint32_t broken;     /* parts that are not floor or floor + 1, or that
                            do not add up to what their node received */
    uint64_t kept_units; /* by all nodes together */
    /* When the last node has computed, in 1/Q ps (Q = 1 without results), as
       a number of 128 bits. */
    uint64_t last_high;
    uint64_t last_low;
};

/* walks[i] of inputs[i]; where planner_plan() fails, only error and plan. */
void walk_all(struct walk walks[], const struct planner_input inputs[],
              uint32_t count);

#endif

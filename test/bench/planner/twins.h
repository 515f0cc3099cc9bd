/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What scatter/plan/one_round.c is measured against: the same plan in floating
 * point, which a Cortex-M3 does in software. Equal startups or not, circuits,
 * no results; ranges are not checked. The plan is the largest feasible one of
 * at most phases_max phases, with floors and makespan as the planner's.
 */
#ifndef TEST_BENCH_PLANNER_TWINS_H
#define TEST_BENCH_PLANNER_TWINS_H

#include "scatter/plan/one_round.h"

/* The planner's recurrence as it is printed, v_i = (v_{i-1} - g_i) / (5 +
   rho), in double precision. Result: 0. */
int twin_double(struct planner_plan *plan, const struct planner_input *input);

/* The same with the two divisions replaced by products with reciprocals. */
int twin_double_products(struct planner_plan *plan,
                         const struct planner_input *input);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paper's linear system given to a solver of linear programmes (GLPK's
 * simplex), as a host would solve it without the planner, and both timed.
 */
#ifndef TEST_BENCH_PLANNER_SOLVER_H
#define TEST_BENCH_PLANNER_SOLVER_H

#include "scatter/plan/one_round.h"

#include <stdbool.h>

/*
 * The shares for exactly `phases` phases of circuits without results: volumes
 * and shares of all layers are the unknowns, equations (1) to (5) the rows,
 * the makespan is the goal. Result: 0, or -1 where GLPK finds no solution.
 */
int solver_plan(double share_units[], const struct planner_input *input,
                unsigned phases);

/* Wall time of one plan in nanoseconds, the least of several batches: the
   solver's, or the planner's. */
double time_ns(const struct planner_input *input, unsigned runs, bool solver);

#endif

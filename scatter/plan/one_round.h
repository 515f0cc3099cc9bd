/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the load every layer of the mesh gets so that all nodes finish
 * together: the equations (1) to (5) of Blazewicz, Drozdowski, Guinand,
 * Trystram 1999 in their forward form, with results that return (section 5),
 *
 *   v_0 = V            v_i = (v_{i-1} - g_i) / (5 + rho (1 + P/Q))
 *   a_i = v_i - 4 sum v_j (j > i)
 *
 * with rho = transfer / compute and g_i = startup_i / compute: v_i units reach
 * a node of layer i, which keeps a_i. v_i does not depend on the number of
 * phases N; N is feasible if v_N >= 0, and the largest feasible N is optimal.
 * Integers only, O(N), a fixed number of divisions.
 */
#ifndef SCATTER_PLAN_ONE_ROUND_H
#define SCATTER_PLAN_ONE_ROUND_H

#include "hal/nodiscard.h"
#include "scatter/plan/job.h"

struct planner_plan {
    uint8_t phases;                                /* N */
    uint64_t makespan_ps;                          /* a_0 * compute */
    uint32_t volume_units[PLANNER_PHASES_MAX + 1]; /* floor v_i, i = 0..N */
    uint32_t share_units[PLANNER_PHASES_MAX + 1];  /* floor a_i, i = 0..N */
};

/*
 * Plans the largest feasible number of phases, up to the job's; "exactly N" is
 * feasible if a job of N phases gets a plan of N. Result: 0; ERR_EMPTY; or
 * ERR_RANGE, if a number of the job is outside its range. Startups of phases
 * behind the job's are not read.
 *
 * N also counts as feasible where v_N is negative by less than 2^-30 unit; v_N
 * then counts as 0. A volume or share less than 2^-28 unit below an integer
 * counts as that integer. v_i is within 2^-27 unit of the exact one. a_i, from
 * which four volumes of each later phase are taken, is within (1 + 4 N) times
 * that, below 2^-20 unit. The makespan is within a_0's error times the compute
 * time of a unit, and rounded down.
 *
 * Cost on a Cortex-M3: about 420 instructions and 118 a phase.
 * Reentrant; for any context.
 */
NODISCARD int planner_plan(struct planner_plan *plan,
                           const struct plan_job *job);

#endif

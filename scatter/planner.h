/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the load every layer of the mesh gets so that all nodes finish
 * together: the equations (1) to (5) of Blazewicz, Drozdowski, Guinand,
 * Trystram 1999 in their forward form,
 *
 *   v_0 = V      v_i = (v_{i-1} - g_i) / (5 + rho)      a_i = v_i - 4 sum v_j
 *                                                               (j > i)
 * with rho = transfer / compute and g_i = startup_i / compute. v_i does not
 * depend on the number of phases N; N is feasible if v_N >= 0, and the largest
 * feasible N is optimal. Integers only, O(N): a few 64-bit divisions a phase.
 */
#ifndef SCATTER_PLANNER_H
#define SCATTER_PLANNER_H

#include "hal/err.h"

#include <stdint.h>

#define PLANNER_PHASES_MAX 20u
#define PLANNER_UNITS_MAX UINT32_MAX
#define PLANNER_TIME_MAX_PS ((uint64_t)1 << 40)    /* per unit: 1.1 s */
#define PLANNER_STARTUP_MAX_PS ((uint64_t)1 << 50) /* 18 minutes */
#define PLANNER_LOAD_MAX_PS ((uint64_t)1 << 63)    /* V * compute: 106 days */

struct planner_input {
    uint32_t load_units;  /* 1 .. PLANNER_UNITS_MAX */
    uint64_t compute_ps;  /* per unit, 1 .. PLANNER_TIME_MAX_PS */
    uint64_t transfer_ps; /* per unit, 0 .. PLANNER_TIME_MAX_PS */
    /* startup_ps[i], 0 .. PLANNER_STARTUP_MAX_PS: all that phase i + 1 costs
       besides its units: circuit, hops, headers, software. */
    uint64_t startup_ps[PLANNER_PHASES_MAX];
    uint8_t phases_max;  /* of the torus: 0 .. PLANNER_PHASES_MAX */
    uint8_t phases_want; /* exactly so many, if `phases_fixed` */
    uint8_t phases_fixed;
};

struct planner_plan {
    uint8_t phases;          /* N */
    uint8_t phases_feasible; /* the largest feasible N */
    uint64_t makespan_ps;    /* a_0 * compute, rounded down */
    uint32_t volume_units[PLANNER_PHASES_MAX + 1]; /* floor v_i, i = 0..N */
    uint32_t share_units[PLANNER_PHASES_MAX + 1];  /* floor a_i, i = 0..N */
};

/*
 * Result: 0; ERR_EMPTY (no units); ERR_RANGE (a number outside its range);
 * ERR_PHASES (phases_want > phases_feasible, which is then set).
 * A volume within 2^-26 unit of an integer counts as that integer, so v_i is
 * within 1.25 * 2^-26 unit of the exact one, and a_i, which four volumes of
 * each later phase are taken from, within (1 + 4 N) times that: below 2^-19.
 * Reentrant; for any context.
 */
int planner_plan(struct planner_plan *plan, const struct planner_input *input);

#endif

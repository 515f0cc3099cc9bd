/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the load every layer of the mesh gets so that all nodes finish
 * together: the equations (1) to (5) of Blazewicz, Drozdowski, Guinand,
 * Trystram 1999 in their forward form, with their section 5's extensions,
 *
 *   v_0 = V            v_i = (v_{i-1} - g_i) / (5 + rho s_i (1 + P/Q))
 *   a_i = v_i - 4 sum v_j (j > i)
 *
 * with rho = transfer / compute and g_i = startup_i / compute. v_i does not
 * depend on the number of phases N; N is feasible if v_N >= 0, and the largest
 * feasible N is optimal. Integers only, O(N), a fixed number of divisions.
 */
#ifndef SCATTER_PLAN_ONE_ROUND_H
#define SCATTER_PLAN_ONE_ROUND_H

#include "hal/err.h"
#include "hal/nodiscard.h"

#include <stdint.h>

#define PLANNER_PHASES_MAX 20u
#define PLANNER_UNITS_MAX UINT32_MAX
#define PLANNER_TIME_MAX_PS ((uint64_t)1 << 40)    /* per unit: 1.1 s */
#define PLANNER_STARTUP_MAX_PS ((uint64_t)1 << 50) /* 18 minutes */
#define PLANNER_LOAD_MAX_PS ((uint64_t)1 << 63)    /* V * compute: 106 days */
#define PLANNER_STAGES_MAX 2048u /* a torus of side 3125 needs 1875 */
#define PLANNER_RESULTS_MAX 1000u

struct planner_input {
    uint32_t load_units;  /* V: 1 .. PLANNER_UNITS_MAX */
    uint64_t compute_ps;  /* per unit, 1 .. PLANNER_TIME_MAX_PS */
    uint64_t transfer_ps; /* per unit and stage, 0 .. PLANNER_TIME_MAX_PS */
    /* startup_ps[i], 0 .. PLANNER_STARTUP_MAX_PS: all costs of phase i + 1 that
       do not depend on its units: circuits, hops, headers and software, of all
       its stages and of the results' return. */
    uint64_t startup_ps[PLANNER_PHASES_MAX];
    /* s_i = stages[i - 1]: how many times phase i sends its volume in sequence:
       once over a circuit (given as 0 or 1), once for each hop if nodes store
       and forward; up to PLANNER_STAGES_MAX. */
    uint16_t stages[PLANNER_PHASES_MAX];
    /* Results of P/Q units for each of the input return as it came, in reverse
       order; each 0 .. PLANNER_RESULTS_MAX. Q = 0: none, whatever P is. */
    uint16_t results_numerator;
    uint16_t results_denominator;
    uint8_t phases_max;  /* of the torus: 0 .. PLANNER_PHASES_MAX */
    uint8_t phases_want; /* exactly so many, if `phases_fixed` */
    uint8_t phases_fixed;
};

struct planner_plan {
    uint8_t phases;                                /* N */
    uint8_t phases_feasible;                       /* the largest feasible N */
    uint64_t makespan_ps;                          /* a_0 * compute */
    uint32_t volume_units[PLANNER_PHASES_MAX + 1]; /* floor v_i, i = 0..N */
    uint32_t share_units[PLANNER_PHASES_MAX + 1];  /* floor a_i, i = 0..N */
};

/*
 * Result: 0; ERR_EMPTY (no units); ERR_RANGE (a number outside its range: of
 * the first phases_max phases, the others are not looked at); ERR_PHASES
 * (phases_want > phases_feasible, which is then set).
 *
 * N counts as feasible whenever it is, and also where v_N is negative by less
 * than 2^-30 unit, which then counts as 0. A volume or share less than 2^-28
 * unit below an integer counts as that integer. v_i is within 2^-27 unit of
 * the exact one and a_i, which four volumes of each later phase are taken from,
 * within (1 + 4 N) times that, below 2^-20; and so is the makespan, of the
 * compute time of one unit, and rounded down.
 *
 * Cost on a Cortex-M3: about 450 instructions and 91 a phase, 30 more for each
 * phase that has another startup than the one before and 110 for one with other
 * stages, whatever the times are.
 * Reentrant; for any context.
 */
NODISCARD int planner_plan(struct planner_plan *plan,
                           const struct planner_input *input);

#endif

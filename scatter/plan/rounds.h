/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load in several rounds: phases 1 to N, R times over. Every node receives
 * R times, is never idle after its first receipt, and all finish together. In
 * units, with v_{r,j} the volume of a circuit of phase j in round r, rho =
 * transfer / compute and g_j = startup_j / compute:
 *
 *   last round   v_{R,N} = x     v_{R,j-1} = (5 + rho) v_{R,j} + g_j
 *   before it    v_{r,N} = sum_j (g_j + q) - p + rho sum_j v_{r+1,j}
 *                v_{r,j-1} = 5 v_{r,j} + rho (v_{r,j} - v_{r+1,j}) - q
 *   originator   a_0 = x + R sum_j g_j - (R - 1) l + rho sum v
 *                V = a_0 + 4 sum v
 *
 * Software costs a node, between its receipt and the next one's wait,
 * q = phase_queue / compute for each phase that it sends and
 * p = between_rounds / compute for all else (scatter/engine/core.h draws both);
 * in the first round begin / compute besides, the kernel's begin(). Each round
 * after the first costs the originator l = round_overhead / compute besides.
 * With q = p = l = 0, a_0 * compute is the makespan, and this is the extension
 * of Blazewicz, Drozdowski, Guinand, Trystram 1999 to installments, which the
 * paper names as future work. A plan is feasible if every circuit of every
 * round carries one unit or more and no node keeps less than nothing.
 *
 * Everything is affine in x, and the k-th round before the last does not
 * depend on R: one sweep over R_max rounds serves every R. Fixed point, Q63.64
 * (scatter/plan/wide.h): a cell is cut off by less than 2^-61 unit, and what is
 * cut off grows no faster than the volumes do, by less than 2^44 from x to V.
 */
#ifndef SCATTER_PLAN_ROUNDS_H
#define SCATTER_PLAN_ROUNDS_H

#include "hal/nodiscard.h"
#include "scatter/plan/one_round.h"

#define ROUNDS_MAX 16u
#define ROUNDS_PHASES_MAX 10u
#define ROUNDS_RHO_MAX 65536u /* transfer / compute; beyond, one round */

struct rounds_input {
    /* phases_want of its phases are used; stages and results are not. */
    const struct planner_input *base;
    uint64_t phase_queue_ps; /* 0 .. PLANNER_STARTUP_MAX_PS, as the others */
    uint64_t between_rounds_ps;
    uint64_t begin_ps;
    uint64_t round_overhead_ps; /* of the originator alone, in each round */
    uint8_t rounds_min;         /* 1 <= min <= max <= ROUNDS_MAX */
    uint8_t rounds_max;
};

struct rounds_plan {
    uint8_t phases; /* N */
    uint8_t rounds; /* R */
    uint64_t makespan_ps;
    uint32_t round_units[ROUNDS_MAX]; /* that the originator sends or keeps in
                                         a round; the sum is V */
    /* Floors, index: round from 0, layer. The originator's whole share is
       that of the first round. */
    uint32_t volume_units[ROUNDS_MAX][ROUNDS_PHASES_MAX + 1];
    uint32_t share_units[ROUNDS_MAX][ROUNDS_PHASES_MAX + 1];
};

/*
 * The best number of rounds from rounds_min to rounds_max for phases_want
 * phases, where a round costs the originator round_overhead_ps + phases *
 * phase_queue_ps more. Several rounds only: one is planner_plan()'s. Result: 0,
 * and *rounds and the makespan in ps; ERR_PHASES if none is feasible; ERR_EMPTY
 * or ERR_RANGE as planner_plan() says, or if a field here is out of its range.
 *
 * Cost on a Cortex-M3: for each N from 1 to 10, one round included, less than a
 * million instructions together, whatever the numbers (test/bench/planner.py),
 * and 3 KiB of stack.
 */
NODISCARD int rounds_best(unsigned *rounds, uint64_t *makespan_ps,
                          const struct rounds_input *input);

/*
 * The tables for exactly `rounds` rounds, which rounds_best() found feasible.
 * Result: as there. ERR_PHASES also if a round's volumes exceed the load, as
 * begin_ps can make them where rounds_best() has not said so before.
 */
NODISCARD int rounds_plan(struct rounds_plan *plan,
                          const struct rounds_input *input, unsigned rounds);

/* A plan of one round in the form of this one. */
void rounds_of_one(struct rounds_plan *plan, const struct planner_plan *one,
                   uint32_t load_units);

#endif

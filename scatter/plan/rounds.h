/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load in several rounds: phases 1 to N, R times over. Every node receives
 * R times, is never idle after its first receipt, and all finish together. In
 * units, with v_{r,j} the volume of a circuit of phase j in round r, rho =
 * transfer / compute and g_j = startup_j / compute:
 *
 *   last round   v_{R,N} = x     v_{R,j-1} = (5 + rho) v_{R,j} + g_j
 *   before it    v_{r,N} = sum_j g_j + q - p + rho sum_j v_{r+1,j}
 *                v_{r,N-1} = 5 v_{r,N} + rho (v_{r,N} - v_{r+1,N}) - q
 *                v_{r,j-1} = 5 v_{r,j} + rho (v_{r,j} - v_{r+1,j}), j < N
 *   originator   a_0 = x + R sum_j g_j - (R - 1) l + rho sum v
 *                V = a_0 + 4 sum v
 *
 * Software costs a node, between its receipt and the next one's wait,
 * q = queue / compute if it sends, which layer N does not, and p =
 * between_rounds / compute for all else (scatter/engine/core.h draws both);
 * in the first round begin / compute besides, the kernel's begin(). Each round
 * after the first costs the originator l = round_overhead / compute besides.
 * With q = p = l = 0, a_0 * compute is the makespan, and this is the extension
 * of Blazewicz, Drozdowski, Guinand, Trystram 1999 to installments, which the
 * paper names as future work. A plan is feasible if every circuit of every
 * round carries one unit or more and no node keeps less than nothing.
 *
 * Everything is affine in x, and the k-th round before the last does not
 * depend on R: one sweep over the rounds, last one first, serves every R. Fixed
 * point in 64 bits: the load has 2^37 to 2^38 steps, x and all that is scaled
 * by it 30 bits or more.
 */
#ifndef SCATTER_PLAN_ROUNDS_H
#define SCATTER_PLAN_ROUNDS_H

#include "hal/nodiscard.h"
#include "scatter/plan/one_round.h"

#define ROUNDS_MAX 16u
#define ROUNDS_PHASES_MAX 10u
#define ROUNDS_RHO_MAX 128u /* transfer / compute < this, else one round */

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
 * The plan with the best number of rounds from rounds_min to rounds_max for
 * phases_want phases, if it takes less than *time_ps, which it is then. That
 * counts the makespan, and for each round round_overhead_ps, queue_ps and the
 * compute time of one unit, by which shares are rounded up. The search ends
 * after a number of rounds that gains gain_ps or less, or if that is 0 after
 * two in a row that gain nothing; several rounds only: one is planner_plan()'s.
 *
 * Volumes and shares are within 2^-26 of the load of the exact ones, or V / x
 * times 2^-35 of it if that is more, and 2^-7 unit; the sum is the load.
 *
 * Result: 0; ERR_PHASES if none is feasible or none takes less, also if the
 * last phase's volumes are less than 2^-30 of the load, or a cost more than all
 * of it: *plan may then be spoilt, and says 0 rounds; ERR_EMPTY or ERR_RANGE as
 * planner_plan() says, or if a field here is out of its range. Cost:
 * test/bench/whole.py.
 */
NODISCARD int rounds_plan(struct rounds_plan *plan, uint64_t *time_ps,
                          const struct plan_job *job, unsigned least,
                          unsigned most);

/*
 * A time that no plan with phases_want phases ends before, however many rounds
 * it has: what one round took if transfer took no time, or what the load takes
 * through the originator's ports. UINT64_MAX if these are more phases than pay.
 * The input is one that planner_plan() takes.
 */
uint64_t rounds_bound_ps(const struct plan_job *job);

/* A plan of one round in the form of this one. */
void rounds_of_one(struct rounds_plan *plan, const struct planner_plan *one,
                   uint32_t load_units);

#endif

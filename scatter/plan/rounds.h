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
 * A node's software between two receipts takes q = queue / compute, if the node
 * sends anything, which layer N does not, and p = (round + merge) / compute. In
 * the first round begin / compute comes on top. Each round after the first
 * costs the originator l = overhead / compute:
 *
 *   originator | sends round 1  | sends round 2  | .. | own share        |
 *   layer 1         | q | p + units   | q | p + units | .. | units       |
 *   layer 2              | p + units       | p + units     | ..    units |
 *                        ^ receipt         ^ receipt                     ^ end
 *
 * With q = p = l = 0, a_0 * compute is the makespan, and this is the extension
 * of Blazewicz, Drozdowski, Guinand, Trystram 1999 to installments, which the
 * paper names as future work. A plan is feasible if every circuit of every
 * round carries one unit or more and no node keeps less than nothing.
 *
 * Everything is affine in x, and the k-th round before the last does not depend
 * on R: one sweep over the rounds, last one first, serves every R. Fixed point
 * in 64 bits: the load has 2^37 to 2^38 steps, x and all numbers scaled by x
 * have 30 bits or more.
 */
#ifndef SCATTER_PLAN_ROUNDS_H
#define SCATTER_PLAN_ROUNDS_H

#include "hal/nodiscard.h"
#include "scatter/plan/one_round.h"

#define ROUNDS_MAX 16u
#define ROUNDS_PHASES_MAX 10u
#define ROUNDS_RHO_MAX 128u /* transfer / compute is less, or no plan */

struct rounds_plan {
    uint8_t phases; /* N */
    uint8_t rounds; /* R */
    uint64_t makespan_ps;
    uint32_t round_units[ROUNDS_MAX]; /* the originator sends or keeps them in
                                         this round; the sum is V */
    /* Floors, index: round from 0, layer. The first round has the originator's
       whole share. */
    uint32_t volume_units[ROUNDS_MAX][ROUNDS_PHASES_MAX + 1];
    uint32_t share_units[ROUNDS_MAX][ROUNDS_PHASES_MAX + 1];
};

/*
 * Plans the best number of rounds from `least` to `most` for all of the job's
 * phases, if their time is less than *time_ps; *time_ps becomes that time. It
 * counts wait_ps, the makespan, and for each round overhead_ps, queue_ps and
 * the compute time of one unit, by which shares are rounded up. In wait_ps the
 * originator computes units of its share; the others are planned from then on.
 * The search ends after a number of rounds that gains gain_ps or less; with
 * gain_ps = 0 after two in a row that gain nothing. 2 <= least <= most <=
 * ROUNDS_MAX; planner_plan() plans one round.
 *
 * Volumes and shares are within 2^-7 unit and 2^-26 of the load of the exact
 * ones, or V / x times 2^-35 of the load if that is more; the sum is the load.
 *
 * Result: 0; ERR_PHASES if no number of rounds is feasible or faster, if the
 * last phase's volumes are less than 2^-30 of the load, or if one cost exceeds
 * all of it; *plan may then be spoilt, and says 0 rounds. ERR_EMPTY or
 * ERR_RANGE: a number is outside its range. Cost: test/bench/whole.py.
 */
NODISCARD int rounds_plan(struct rounds_plan *plan, uint64_t *time_ps,
                          const struct plan_job *job, unsigned least,
                          unsigned most);

/*
 * Lower bound of the makespan with all of the job's phases and any number of
 * rounds: the time of one round without transfers, or the time that the load
 * takes through the originator's ports. UINT64_MAX if one phase less is faster
 * in any case. planner_plan() accepts the job.
 */
uint64_t rounds_bound_ps(const struct plan_job *job);

/* A plan of one round in the form of this one. */
void rounds_of_one(struct rounds_plan *plan, const struct planner_plan *one,
                   uint32_t load_units);

/* Copies a plan: of its tables only what its rounds and phases use. */
void rounds_copy(struct rounds_plan *to, const struct rounds_plan *from);

#endif

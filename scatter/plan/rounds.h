/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pattern in several rounds: phases 1 to N (one_round.h), R times over.
 * Every node receives units in every round, is never idle between its first
 * receipt and the end, and all nodes finish together. Symbols except N, R and
 * rho are numbers of units; a time stands for the units that a node computes in
 * the time:
 *
 *   v_{r,j}  volume of a circuit of phase j = 1 .. N in round r = 1 .. R
 *   S_r      sum of v_{r,j} over all j; S: sum of S_r over all r
 *   x        the unknown, v_{R,N}
 *   a_0, V   units that the originator computes; units of the load
 *   rho      transfer_ps / compute_ps: transfer time of a unit per compute time
 *   g_j, G   startup_ps[j - 1], of a circuit of phase j; sum of g_j over all j
 *   q        queue_ps: a node queues its sends of a round; layer N has none
 *   p        round_ps + merge_ps: a node's other software in a round
 *   l        overhead_ps: originator's software in each round after the first
 *
 *   last round      v_{R,N} = x     v_{R,j-1} = (5 + rho) v_{R,j} + g_j
 *   earlier rounds  v_{r,N} = G + q - p + rho S_{r+1}
 *                   v_{r,N-1} = 5 v_{r,N} + rho (v_{r,N} - v_{r+1,N}) - q
 *                   v_{r,j-1} = 5 v_{r,j} + rho (v_{r,j} - v_{r+1,j}), j < N
 *   originator      a_0 = x + R G - (R - 1) l + rho S      V = a_0 + 4 S
 *
 *   originator | sends round 1  | sends round 2  | .. | own share        |
 *   layer 1         | q | p + units   | q | p + units | .. | units       |
 *   layer 2              | p + units       | p + units     | ..    units |
 *                        ^ receipt         ^ receipt                     ^ end
 *
 * In the first round every node needs begin_ps more. In a feasible plan every
 * circuit carries 1 unit or more. With q = p = l = 0 the equations extend
 * Blazewicz, Drozdowski, Guinand, Trystram 1999 to installments, the paper's
 * future work. One sweep from the last round back gives the volumes for all R.
 */
#ifndef SCATTER_PLAN_ROUNDS_H
#define SCATTER_PLAN_ROUNDS_H

#include "hal/nodiscard.h"
#include "scatter/plan/one_round.h"

#define ROUNDS_MAX 16u
#define ROUNDS_PHASES_MAX 10u
#define ROUNDS_RHO_MAX 128u /* transfer_ps / compute_ps must be less */

struct rounds_plan {
    uint8_t phases;       /* number of phases, N */
    uint8_t rounds;       /* number of rounds, R */
    uint64_t makespan_ps; /* planned makespan */
    /* Units that the originator sends or keeps in a round. */
    uint32_t round_units[ROUNDS_MAX];
    /* Units for a node and its subtree. Index: round from 0, then layer. */
    uint32_t volume_units[ROUNDS_MAX][ROUNDS_PHASES_MAX + 1];
    /* Units for a node itself. Round 0 has the originator's whole share. */
    uint32_t share_units[ROUNDS_MAX][ROUNDS_PHASES_MAX + 1];
};

/*
 * Plans the best number of rounds from `least` to `most`, 2 <= least <= most <=
 * ROUNDS_MAX, with N = job->phases. The time of a plan is makespan_ps + R *
 * (overhead_ps + queue_ps + compute_ps). If the best time is less than
 * *time_ps, sets *plan and *time_ps.
 *
 * Only the originator computes during wait_ps. The search ends after a number
 * of rounds that gains gain_ps or less; if gain_ps is 0, after two such in
 * turn.
 *
 * The sum of shares is V. The error of a volume or share is at most 2^-7 +
 * max(2^-26 V, 2^-35 V * V / x) units.
 *
 * Returns ERR_OK; ERR_EMPTY or ERR_RANGE if a number is out of range;
 * ERR_PHASES, with 0 rounds in *plan or *plan unchanged, if no plan is feasible
 * and faster, if a volume of phase N is below 2^-30 V, or if a cost exceeds the
 * compute time of the load.
 */
NODISCARD int rounds_plan(struct rounds_plan *plan, uint64_t *time_ps,
                          const struct plan_job *job, unsigned least,
                          unsigned most);

/* Returns a lower bound of the makespan, ps, for job->phases phases and any
   number of rounds. Returns UINT64_MAX if a startup is so long that
   fewer phases are faster. planner_plan() must accept the job. */
uint64_t rounds_bound_ps(const struct plan_job *job);

/* Sets *plan to `one`, a plan of a single round of load_units. */
void rounds_of_one(struct rounds_plan *plan, const struct planner_plan *one,
                   uint32_t load_units);

/* Copies a plan, except table entries beyond the plan's rounds and phases. */
void rounds_copy(struct rounds_plan *to, const struct rounds_plan *from);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several rounds of the pattern (one_round.h) whose outputs return meanwhile:
 * outputs of round r - 1 travel while nodes compute round r. Rounds
 * r = 0 .. R-1 are similar: round r has the part w_r of each node's volume. The
 * rule is this project's. Until the middle round each part is q times the part
 * before, then 1 / q times,
 *
 *   w_r = q^min(r, R-1-r) / sum of all      q one of 5/4, 3/2, 2, 3, 4
 *
 * so that nodes begin early and few outputs remain after the last round. Only
 * the transfers of round 0 delay nodes. All rounds together have the volumes of
 * a plan of one round whose transfer time is multiplied by w_0.
 *
 * The time with results is computed for one port of the originator and the
 * nodes that get their units through the port:
 *
 *   N          number of phases
 *   W          compute time of a node in all rounds
 *   U, O       transfer time of the port: U of all units, O of all outputs
 *   startups   time of the circuits that send a round, without transfer
 *   back       time of the circuits that return a round, without transfer
 *   f_d        part of the nodes that get units over d + 1 circuits; outputs of
 *              these nodes reach the port d rounds later than those of f_0
 *   b_t        f_0 w_t + f_1 w_{t-1} + ..: part of all outputs that the port
 *              receives after nodes have computed round t
 *   S_r        startups + w_r U: time in which the port sends round r
 *   B_t        back + b_t O: time in which the port receives b_t
 *   rest       (N - 1) back + (1 - sum of all b_t) O: time in which the port
 *              receives the outputs that remain after B_{R-1}
 *
 *   port  | S_0 | S_1 | S_2 | B_0 | S_3 | B_1 | .. | B_{R-1} | rest |
 *   nodes       | w_0 W    | w_1 W    | w_2 W   | ..
 *                          ^ round 0 is computed: B_0 goes before S_3
 *
 * If `rest` ends later than the originator's share, this share is made larger.
 */
#ifndef SCATTER_PLAN_MEANWHILE_H
#define SCATTER_PLAN_MEANWHILE_H

#include "hal/nodiscard.h"
#include "scatter/plan/rounds.h"

/* Limit of a port's or node's time in all rounds. */
#define MEANWHILE_ALL_MAX_PS ((uint64_t)1 << 54)

/*
 * Plans a good number of rounds from `least` to `most`, 2 <= least <= most <=
 * ROUNDS_MAX. job->phases is 1 or more. If all results arrive before *time_ps,
 * sets *plan, and *time_ps and plan->makespan_ps to the last arrival.
 *
 * The sum of shares is the load. The error of a volume is at most 1 +
 * load_units / 2^18 units. Costs a call of planner_plan(), and some 1,000
 * instructions for each number of rounds tried.
 *
 * Returns ERR_OK; ERR_EMPTY or ERR_RANGE if a number is out of range;
 * ERR_PHASES, with 0 rounds in *plan or *plan unchanged, if the plan is
 * infeasible or results arrive at *time_ps or later.
 */
NODISCARD int meanwhile_plan(struct rounds_plan *plan, uint64_t *time_ps,
                             const struct plan_job *job, unsigned least,
                             unsigned most);

#endif

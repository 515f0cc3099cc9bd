/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several rounds of the pattern whose outputs return meanwhile: those of round
 * r - 1 while round r is computed. Rounds are similar: in round r every node
 * gets the part w_r of all that it gets. These parts grow by a factor q to the
 * middle and then fall by it,
 *
 *   w_r = q^min(r, R-1-r) / sum      q one of 5/4, 3/2, 2, 3, 4
 *
 * so that nodes begin early, and little is left to return behind the last
 * round. All nodes' shares are those of one round with w_0 of the transfer
 * time, as nobody is idle after its first receipt.
 *
 * The time with results is what a port of the originator and the nodes behind
 * it take. With S_r = startups + w_r in, B_t = back + b_t out, in and out what
 * the port transfers in all, W a node's work, and f_d the part of the nodes
 * behind a port that are d nodes behind the first,
 *
 *   b_t = sum_d f_d w_{t-d}            outputs pass one node in each round
 *   the port sends round 0, 1, ..      S_r each, unless ..
 *   .. it takes in turn t              B_t, if the nodes have computed round t
 *   they have computed round r at      max(round r - 1 computed, r sent) +
 *                                      w_r W + software
 *
 * and behind the last turn N - 1 circuits more take what is left. Where that
 * ends later than the originator's share, it takes more of the load, which is
 * taken off all others' evenly.
 */
#ifndef SCATTER_PLAN_MEANWHILE_H
#define SCATTER_PLAN_MEANWHILE_H

#include "hal/nodiscard.h"
#include "scatter/plan/rounds.h"

/* What a port or a node does in all takes less, so that sums stay below 2^63.
 */
#define MEANWHILE_ALL_MAX_PS ((uint64_t)1 << 54)

/*
 * The plan with the best of the factors and of some numbers of rounds from
 * `most` down to `least`, if it has results earlier than at *time_ps,
 * which is that time then, as is plan->makespan_ps. For each factor the search
 * takes a quarter off the number of rounds until that gains nothing.
 *
 * Volumes are within a unit and 2^-18 of the load of the exact ones; the sum is
 * the load. Result: as rounds_plan(). Cost: some 1,000 instructions for each
 * number that is looked at, and a plan of one round.
 */
NODISCARD int meanwhile_plan(struct rounds_plan *plan, uint64_t *time_ps,
                             const struct plan_job *job, unsigned least,
                             unsigned most);

#endif

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
 * The time with results is that of a port of the originator and of the nodes
 * behind the port. With S_r = startups + w_r in, B_t = back + b_t out, `in` and
 * `out` the port's transfers of the whole job, W a node's work, and f_d the
 * part of the nodes behind a port that lie d nodes behind the first,
 *
 *   b_t = sum_d f_d w_{t-d}            outputs pass one node in each round
 *   computed_r = max(computed_{r-1}, sent_r) + w_r W + software
 *
 *   port  | S_0 | S_1 | S_2 | B_0 | S_3 | B_1 | .. | B_{R-1} | N - 1 circuits |
 *   nodes       | w_0 W    | w_1 W    | w_2 W   | ..              of the rest
 *                          ^ round 0 is computed: B_0 goes before S_3
 *
 * Where that ends later than the originator's share, the originator takes more
 * of the load, evenly off all others.
 */
#ifndef SCATTER_PLAN_MEANWHILE_H
#define SCATTER_PLAN_MEANWHILE_H

#include "hal/nodiscard.h"
#include "scatter/plan/rounds.h"

/* A port's or a node's time for the whole job is less, so that sums stay below
   2^63. */
#define MEANWHILE_ALL_MAX_PS ((uint64_t)1 << 54)

/*
 * Plans rounds with the best of the factors and of some numbers of rounds from
 * `most` down to `least`, if all results are there before *time_ps; *time_ps
 * and plan->makespan_ps become that time. For each factor the search takes a
 * quarter off the number of rounds until that gains nothing. The job has one
 * phase or more; 2 <= least <= most <= ROUNDS_MAX.
 *
 * Volumes are within a unit and 2^-18 of the load of the exact ones; the sum is
 * the load. Result: as rounds_plan(). Cost: some 1,000 instructions for each
 * number of rounds that is tried, and a plan of one round.
 */
NODISCARD int meanwhile_plan(struct rounds_plan *plan, uint64_t *time_ps,
                             const struct plan_job *job, unsigned least,
                             unsigned most);

#endif

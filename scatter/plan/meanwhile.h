/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several rounds of the pattern whose outputs return meanwhile: outputs of
 * round r - 1 travel while nodes compute round r. Rounds r = 0 .. R-1 are
 * similar: round r has the part w_r of all volumes. The rule is this project's.
 * Parts grow by a factor q up to the middle round, then fall by q,
 *
 *   w_r = q^min(r, R-1-r) / sum      q one of 5/4, 3/2, 2, 3, 4
 *
 * so that nodes begin early and few outputs remain after the last round. As no
 * node is idle after its first receipt, volumes are those of one round whose
 * transfer time is multiplied by w_0.
 *
 * The time with results is computed for one port of the originator and the
 * nodes behind the port:
 *
 *   W         compute time of a node in all rounds
 *   in, out   time of the port for all units, and for all outputs
 *   f_d       part of the nodes behind the port that are d nodes behind the
 *             first; their outputs need d further rounds to the port
 *   S_r       startups + w_r in: the port sends round r
 *   B_t       back + b_t out, b_t = sum_d f_d w_{t-d}: outputs return
 *   computed_r = max(computed_{r-1}, end of S_r) + w_r W + software
 *
 *   port  | S_0 | S_1 | S_2 | B_0 | S_3 | B_1 | .. | B_{R-1} | rest |
 *   nodes       | w_0 W    | w_1 W    | w_2 W   | ..
 *                          ^ round 0 is computed: B_0 goes before S_3
 *
 * rest = (N - 1) back + out (1 - sum_t b_t): outputs of the nodes behind. If
 * this ends later than the originator's share, the originator takes more of the
 * load, evenly off all other nodes.
 */
#ifndef SCATTER_PLAN_MEANWHILE_H
#define SCATTER_PLAN_MEANWHILE_H

#include "hal/nodiscard.h"
#include "scatter/plan/rounds.h"

/* Limit of each cost of the whole job, so that sums stay below 2^63 ps. */
#define MEANWHILE_ALL_MAX_PS ((uint64_t)1 << 54)

/*
 * Plans rounds with the best factor and the best of some numbers of rounds from
 * `most` down to `least`, 2 <= least <= most <= ROUNDS_MAX, if all results have
 * arrived before *time_ps; sets *time_ps and plan->makespan_ps to the time of
 * their arrival. The search takes a quarter off the number of rounds until that
 * gains nothing. job->phases is 1 or more.
 *
 * Volumes differ from the exact ones by at most a unit and 2^-18 of the load;
 * the sum of shares is the load. Returns what rounds_plan() returns. Costs some
 * 1,000 instructions for each number of rounds tried, and a plan of one round.
 */
NODISCARD int meanwhile_plan(struct rounds_plan *plan, uint64_t *time_ps,
                             const struct plan_job *job, unsigned least,
                             unsigned most);

#endif

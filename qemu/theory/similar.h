/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans R similar rounds: in round k every volume and share is r_k times the
 * node's total, with r_1 + .. + r_R = 1. No node idles after its first receipt,
 * and all end at the makespan T. With the load V_c that member c gets in all
 * rounds, its first receipt start_c, and S = r_1 + .. + r_{k-1}:
 *
 *   V_c, start_c   the plan of one round with the transfer times times r_1
 *   r_k            the largest with which every member c receives round k by
 *                  start_c + S (T - start_c), when it has computed the rounds
 *                  before; at most 1 - S
 *
 * A receipt waits for the latest of several events, and is thus a convex,
 * piecewise linear function of r_k, on which Newton's method from 1 down ends.
 * T falls as r_1 falls, so r_1 is the least for which R rounds suffice. A
 * member passes a round on when it arrives, even while it computes the round
 * before; in theory_plan_members() it has computed that by then.
 */
#ifndef QEMU_THEORY_SIMILAR_H
#define QEMU_THEORY_SIMILAR_H

#include "qemu/theory/flow.h"

struct theory_similar {
    uint8_t phases;
    uint8_t rounds; /* 0: no plan is feasible */
    uint64_t makespan_ps;
    double part[THEORY_ROUNDS_MAX]; /* part of the load in each round */
};

/*
 * Finds the best plan with `rounds` rounds, or with 1 to THEORY_ROUNDS_AUTO_MAX
 * if `rounds` is 0, over all allowed phases. The input has no results. A part
 * has an error of some 2^-60 of the load. For each number of phases and of
 * rounds there are some ten to 60 trials of O(members * rounds).
 */
void theory_similar(struct theory_similar *similar,
                    const struct theory_members *members, unsigned rounds);

/*
 * Makes the plan and its rounds of a result of theory_similar() with two rounds
 * or more, for the members by layer of that call. Phases follow each other
 * without a pause. Returns 0, or ERR_RANGE as theory_plan() does. After success
 * the caller frees the detail.
 */
NODISCARD int theory_plan_similar(struct theory_plan *plan,
                                  struct theory_detail *detail,
                                  const struct theory_members *members,
                                  const struct theory_similar *similar);

#endif

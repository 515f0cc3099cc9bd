/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans R similar rounds: round k carries the part r_k of every node's volume
 * and share, and r_1 + .. + r_R = 1. No node idles after its first receipt, and
 * all end at the makespan T. Symbols:
 *   V_c      units that member c gets in all rounds
 *   start_c  time of its first receipt
 *   S        part of the load that rounds 1 to k - 1 carry
 *
 * They follow from each other:
 *
 *   V_c, start_c   the plan of one round with the transfer times times r_1
 *   r_k            the largest with which every member c receives round k by
 *                  start_c + S (T - start_c), when it has computed the rounds
 *                  before; at most 1 - S
 *
 * A receipt waits for the latest of several events, and is thus a convex,
 * piecewise linear function of r_k. Newton's method from 1 down finds r_k. T
 * falls as r_1 falls, so r_1 is the least with which R rounds are enough. A
 * member passes a round on when it arrives, even while it computes the round
 * before; in theory_plan_members() it has computed that one by then.
 */
#ifndef QEMU_THEORY_SIMILAR_H
#define QEMU_THEORY_SIMILAR_H

#include "qemu/theory/flow.h"

struct theory_similar {
    uint8_t phases;
    uint8_t rounds; /* 0: no plan is feasible */
    uint64_t makespan_ps;
    /* part of the load that each round carries */
    double part[THEORY_ROUNDS_MAX];
};

/* Finds the best plan with `rounds` rounds over all allowed numbers of phases;
   `rounds` = 0 tries 1 to THEORY_ROUNDS_AUTO_MAX. The input must have no
   results. A part has an error of some 2^-60 of the load. Each number of phases
   and rounds takes some ten to 60 trials of O(members * rounds). */
void theory_similar(struct theory_similar *similar,
                    const struct theory_members *members, unsigned rounds);

/* Makes plan and detail from a result of theory_similar() with two rounds or
   more. `members` are one a layer, those of that call. Phases follow each other
   without a pause. Returns 0, or ERR_RANGE as theory_plan() does. After success
   the caller frees the detail. */
NODISCARD int theory_plan_similar(struct theory_plan *plan,
                                  struct theory_detail *detail,
                                  const struct theory_members *members,
                                  const struct theory_similar *similar);

#endif

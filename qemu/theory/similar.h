/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several rounds that are similar: in round r every volume and share is r_r
 * times what the node gets in all, with r_1 + .. + r_R = 1. Nobody idles after
 * its first receipt, and all end at T. With the load V_c that member c receives
 * in all rounds, start_c its first receipt, and R = r_1 + .. + r_{r-1}:
 *
 *   V_c, start_c   the plan of one round with the transfer times times r_1
 *   r_r            the largest with which every member c receives round r by
 *                  start_c + R (T - start_c), when it has computed the rounds
 *                  before; at most 1 - R
 *
 * A receipt is the latest of what came before it, and so a convex function of
 * r_r, made of straight pieces: Newton's method from 1 down arrives. T falls as
 * r_1 falls, so r_1 is the least for which R rounds suffice. A member is taken
 * to pass a round on when it arrives, also while it still computes the round
 * before; the rounds of theory_plan_members() let it be done by then.
 */
#ifndef QEMU_THEORY_SIMILAR_H
#define QEMU_THEORY_SIMILAR_H

#include "qemu/theory/flow.h"

struct theory_similar {
    uint8_t phases;
    uint8_t rounds; /* 0: none is feasible */
    uint64_t makespan_ps;
    double part[THEORY_ROUNDS_MAX]; /* r_1 .. r_R */
};

/*
 * The best of `rounds` rounds, or of 1 to THEORY_ROUNDS_AUTO_MAX if 0, and of
 * all phases that the input allows. The input has no results. A part is right
 * to some 2^-60 of the load. Cost: O(members * rounds) for each of some ten to
 * 60 trials, N and number of rounds.
 */
void theory_similar(struct theory_similar *similar,
                    const struct theory_members *members, unsigned rounds);

/*
 * The plan and its rounds of what theory_similar() found for these members by
 * layer, of two rounds or more. Phases follow each other without a pause.
 * Result: 0, or ERR_RANGE as theory_plan(). After success the caller frees the
 * detail.
 */
NODISCARD int theory_plan_similar(struct theory_plan *plan,
                                  struct theory_detail *detail,
                                  const struct theory_members *members,
                                  const struct theory_similar *similar);

#endif

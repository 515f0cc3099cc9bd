/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Similar rounds (similar.h) where nodes differ. In round r every volume and
 * share is r_r times what the node gets in all; r_1 + .. + r_R = 1. With the
 * load V_c that member c receives in all rounds, start_c its first receipt, and
 * R = r_1 + .. + r_{r-1}:
 *
 *   V_c, start_c   the plan of one round with the transfer times times r_1
 *   r_r            the largest with which every member c receives round r by
 *                  start_c + R (T - start_c), when it has computed the rounds
 *                  before; at most 1 - R
 *
 * A receipt is the latest of what came before it, and so a convex function of
 * r_r, made of straight pieces: Newton's method from 1 - R down arrives. T
 * falls as r_1 falls, so r_1 is the least for which R rounds suffice. A member
 * is taken to pass a round on when it arrives, also while it still computes the
 * round before.
 */
#ifndef QEMU_MODEL_MEMBER_SIMILAR_H
#define QEMU_MODEL_MEMBER_SIMILAR_H

#include "qemu/model/members.h"
#include "qemu/model/similar.h"

/* As model_similar(), for these members. Cost: O(members * rounds) for each of
   some 15 to 64 halvings, N and number of rounds. */
void model_similar_members(struct model_similar *similar,
                           const struct model_members *members,
                           unsigned rounds);

#endif

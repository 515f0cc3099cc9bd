/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of several rounds where nodes differ: in speed, or because their
 * parents use fewer than four ports at once. Every node receives once a round,
 * is never idle after its first receipt, and all end at T. It takes a round in
 * when it has computed the one before, as boards do. From the last round back,
 * each is one round of qemu/model/flow.h; the originator's time s between two
 * rounds is the least that flow allows, and that of the last one is what makes
 * the sum of all rounds the load. With equal nodes and four ports these are the
 * rounds of model_plan_rounds(), which are the best there are; that they are
 * the best of any other scatter is not proven.
 */
#ifndef QEMU_MODEL_MEMBER_ROUNDS_H
#define QEMU_MODEL_MEMBER_ROUNDS_H

#include "qemu/model/flow.h"

/*
 * `rounds`: 1 to MODEL_ROUNDS_MAX, or 0: as many as give the smallest makespan,
 * up to MODEL_ROUNDS_AUTO_MAX (ties to fewer rounds, then to more phases).
 * Several rounds need a phase. Feasible if nobody receives less than nothing in
 * any round. The members' input has no results.
 *
 * The plan's arrays are averages over layers of the sums over rounds, end_ps
 * the first receipt; the detail has every member and round, and each round's
 * averages. About 30 digits are right; within 2^-30 below an integer a number
 * counts as that integer. One round is the plan of model_plan_ports(), or with
 * a torus that of model_plan_nodes().
 *
 * Result: as model_plan_rounds(). After success the caller frees the detail.
 * Cost: O(members * rounds^2) for each N; 48 bytes a member and round.
 */
NODISCARD int model_plan_member_rounds(struct model_plan *plan,
                                       struct model_detail *detail,
                                       const struct model_members *members,
                                       unsigned rounds);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several rounds that are similar: in round r every volume and share is r_r
 * times what the node gets in all, with r_1 + .. + r_R = 1. Nobody idles after
 * its first receipt, and all end at T. With the load V_j that a node of layer j
 * receives in all rounds, start_j its first receipt, and R = r_1 + .. +
 * r_{r-1}:
 *
 *   V_j = (V_{j-1} - g_j) / (5 + r_1 rho_j)      the plan of one round with the
 *                                                transfer time times r_1
 *   r_r = min_j (start_j + R (T - start_j) - E - sum_{i<=j} alpha_i)
 *         / sum_{i<=j} tau_i V_i                 in time on every layer; at
 *                                                most 1 - R
 *   E   = the end of the last phase of the round before
 *
 * T falls as r_1 falls, so r_1 is the least for which R rounds suffice. A node
 * is taken to pass a round on when it arrives, also while it still computes the
 * round before; the equations of model_plan_rounds() let it be done by then.
 */
#ifndef QEMU_MODEL_SIMILAR_H
#define QEMU_MODEL_SIMILAR_H

#include "qemu/model/model.h"

struct model_similar {
    uint8_t phases;
    uint8_t rounds; /* 0: none is feasible */
    uint64_t makespan_ps;
    double part[MODEL_ROUNDS_MAX]; /* r_1 .. r_R */
};

/*
 * The best of `rounds` rounds, or of 1 to MODEL_ROUNDS_AUTO_MAX if 0; of all
 * phases that the input allows. In long double: about 15 digits are right. The
 * input is one that model_plan_rounds() takes.
 */
void model_similar(struct model_similar *similar,
                   const struct model_input *input, unsigned rounds);

/*
 * The plan and its rounds of what model_similar() found for this input, of two
 * rounds or more. Phases follow each other without a pause. Result: 0, or
 * ERR_RANGE as model_plan(). After success the caller frees the detail.
 */
NODISCARD int model_plan_similar(struct model_plan *plan,
                                 struct model_detail *detail,
                                 const struct model_input *input,
                                 const struct model_similar *similar);

#endif

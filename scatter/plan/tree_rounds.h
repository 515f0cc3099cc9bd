/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several rounds along any tree. Every node receives once a round, is never
 * idle after its first receipt, and all end together. A node *turns* to a round
 * when it has computed the one before: it then takes its part in, passes its
 * children's parts on, and computes its own. So a child needs its next part
 * when it turns, and it turns as much later than its parent as the circuits
 * take that leave before the child's, and the child's own:
 *
 *   parent i   | turn r                          | turn r + 1
 *              |<------------- s_i ------------->|
 *   its lane   | to b | to c |                   | to b | to c |
 *   child c                  | turn r                          | turn r + 1
 *                            |<------------- s_c ------------->|
 *
 * s_i is the time from node i's turn to its next one, in the last round to the
 * end; m_c is the transfer time of child c's part. In a lane of parent i,
 *
 *   last round   s_c = s_i - sum (startup_j + m_j)      over the lane up to c
 *   before it    s_c = s_i - sum (m_j - m'_j)           m' of the round after
 *
 * and node i computes s_i less its software. That is the plan of one round with
 * -m' in place of startups: W(s) = p s - q has the same p in every round, and
 * only q is summed up again. Rounds are found from the last one back. The
 * originator's s_0 is the least for which every lane of every node is free
 * again at the node's next turn and every node computes a unit or more. The
 * last round's s_0 makes the sum of all rounds the load.
 *
 * On the pattern rounds.h does the same: a lane is a port there, and every node
 * of a layer is alike.
 */
#ifndef SCATTER_PLAN_TREE_ROUNDS_H
#define SCATTER_PLAN_TREE_ROUNDS_H

#include "hal/nodiscard.h"
#include "scatter/plan/rounds.h"
#include "scatter/plan/tree_plan.h"

/* Numbers of rounds, and the memory for their plan. */
struct tree_rounds {
    unsigned least; /* 2 <= least <= most <= ROUNDS_MAX */
    unsigned most;
    uint32_t *tables;   /* TREE_ROUND_WORDS() for each of `most` rounds */
    uint64_t *begin_ps; /* an entry for each of them */
    void *memory;       /* tree_rounds_bytes(), 8-byte aligned */
};

/* Words of a round's table: the round's number, the first unit of every node's
   range in the order of the tree, and the end of the round's units. */
#define TREE_ROUND_WORDS(nodes) ((nodes) + 2u)

/*
 * Plans the best number of rounds from rounds->least to rounds->most along a
 * tree that tree_plan() has just planned with `work`. If these rounds end
 * before *makespan_ps, or only one number is asked for, *makespan_ps becomes
 * their makespan, the tree gets the ranges of the first round, with the
 * originator's share of all rounds, and for each round, from 0, begin_ps[] says
 * when the originator turns to it, and tables[] has its table.
 *
 * Times are rounded to 2^-23 of the makespan of one round; ranges begin at the
 * floors of the sums of what nodes compute.
 *
 * Result: the number of rounds; 1, with tree and makespan as they were, if no
 * number of rounds is feasible or ends earlier, or if tree_costs() refuses.
 * Cost on a Cortex-M3, built for size: some 1,000 instructions a node, 490 for
 * each round that is tried, and 240 to 980 for each of the chosen number.
 */
unsigned tree_rounds_plan(uint8_t *tree, const struct tree_rounds *rounds,
                          uint64_t *makespan_ps, const struct plan_job *job,
                          void *work);

/* Bytes of rounds->memory for a tree of `nodes` nodes. */
uint32_t tree_rounds_bytes(uint32_t nodes);

#endif

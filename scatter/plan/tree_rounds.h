/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several rounds along any tree. Every node receives once a round, is never
 * idle after its first receipt, and all end together. A node turns to a round
 * when it has computed the one before: it then takes in what has come, passes
 * on its children's parts, and computes its own. So a child must have its next
 * part when it turns, and turns as much later than its parent as the circuits
 * take that are ahead of it. With s_i the time from node i's turn to its next
 * one, or in the last round to the end, and m_c what a child's part takes to
 * transfer, for a child c in a queue (lane) of its parent i,
 *
 *   last round   s_c = s_i - sum (startup_j + m_j)      over the queue up to c
 *   before it    s_c = s_i - sum (m_j - m'_j)           m' of the round after
 *
 * and node i computes s_i less its software. That is the plan of one round with
 * -m' in place of startups: W(s) = p s - q has the same p in every round, and
 * only q is summed up again. Rounds are found from the last one back. The
 * originator's s_0 is the least for which every lane of every node is free
 * again at the node's next turn and every node computes a unit or more. The
 * last round's s_0 is what makes the sum of all rounds the load.
 *
 * That is the counterpart of the rounds of the pattern (rounds.h), where a lane
 * is a port and every node of a layer is alike.
 */
#ifndef SCATTER_PLAN_TREE_ROUNDS_H
#define SCATTER_PLAN_TREE_ROUNDS_H

#include "hal/nodiscard.h"
#include "scatter/plan/rounds.h"
#include "scatter/plan/tree_plan.h"

/* Numbers of rounds, and where their plan goes. */
struct tree_rounds {
    unsigned least; /* 2 <= least <= most <= ROUNDS_MAX */
    unsigned most;
    uint32_t *tables;   /* TREE_ROUND_WORDS() for each of `most` rounds */
    uint64_t *begin_ps; /* an entry for each of them */
    void *memory;       /* tree_rounds_bytes(), 8-byte aligned */
};

/* Words that a round's table has: see below. */
#define TREE_ROUND_WORDS(nodes) ((nodes) + 2u)

/*
 * Plans the best number of rounds from rounds_min to rounds_max along a tree
 * that tree_plan() has just planned, with `work`. If they end before
 * *makespan_ps, or only one number is asked for, this becomes their makespan,
 * the tree has the ranges of the first round, with the originator's share of
 * all rounds, and the arrays are filled in, with an entry for each round:
 * begin_ps[], when the originator turns to it; tables[], its number, from 0,
 * the first unit of every node's range in the order of the tree, and the
 * round's end.
 *
 * Times are rounded to 2^-23 of the makespan of one round; ranges begin at the
 * floors of the sums of what nodes compute. `memory` takes tree_rounds_bytes(),
 * 8-byte aligned, tables[] TREE_ROUND_WORDS() for each of rounds_max.
 *
 * Result: the number of rounds; 1, with tree and makespan as they were, if no
 * number of rounds is feasible or ends earlier, or tree_costs() refuses. On a
 * Cortex-M3, built for size, some 1,000 instructions a node, 490 for each round
 * that is tried, and 240 to 980 for each that is chosen.
 */
unsigned tree_rounds_plan(uint8_t *tree, const struct tree_rounds *rounds,
                          uint64_t *makespan_ps, const struct plan_job *job,
                          void *work);

/* Bytes of `memory` for a tree of so many nodes. */
uint32_t tree_rounds_bytes(uint32_t nodes);

#endif

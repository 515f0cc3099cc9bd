/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several rounds along any tree: the plan of tree_plan.h, round by round. Every
 * node receives once a round, is never idle after its first receipt, and all
 * finish together. A node begins round r when it has computed round r - 1: it
 * receives its part, passes its children's parts on, and computes its own. A
 * child begins later than its parent, by the time of the lane's circuits:
 *
 *   parent i   | begins round r                  | begins round r + 1
 *              |<------------- s_i ------------->|
 *   its lane   | to b | to c |                   | to b | to c |
 *   child c                  | begins round r                  | begins r + 1
 *                            |<------------- s_c ------------->|
 *
 *   s_i   time from when node i begins a round until node i begins the next
 *         round, or in the last round until all finish; s_0: originator
 *   m_c   transfer time of child c's part of a round; m'_c: of the next round
 *
 *   last round     s_c = s_i - sum (startup_j + m_j)    j: children in the lane
 *   other rounds   s_c = s_i - sum (m_j - m'_j)         of i, up to c
 *
 * Node i computes for s_i less its software. Rounds are planned from the last
 * round back. The s_0 of a round is the least for which every lane has sent its
 * circuits before the next round, and every node computes a unit or more. The
 * s_0 of the last round is chosen so that all rounds together take the load.
 */
#ifndef SCATTER_PLAN_TREE_ROUNDS_H
#define SCATTER_PLAN_TREE_ROUNDS_H

#include "hal/nodiscard.h"
#include "scatter/plan/rounds.h"
#include "scatter/plan/tree_plan.h"

/* Numbers of rounds to choose from, and the caller's memory for the plan. */
struct tree_rounds {
    unsigned least;     /* least number of rounds, at least 2 */
    unsigned most;      /* largest number of rounds, at most ROUNDS_MAX */
    uint32_t *tables;   /* `most` tables of TREE_ROUND_WORDS(nodes) words */
    uint64_t *begin_ps; /* `most` times: begins of rounds, from round 0 on */
    void *memory;       /* tree_rounds_bytes(nodes) bytes, 8-byte aligned */
};

/* Words in a round's table: the round's number, the first unit of every node's
   range in the order of the tree, the end of the round's units. */
#define TREE_ROUND_WORDS(nodes) ((nodes) + 2u)

/*
 * Plans the best number of rounds from rounds->least to rounds->most along a
 * tree that tree_plan() has just planned with `work`. If the best number ends
 * before *makespan_ps, or if least == most, the function sets
 *
 *   *makespan_ps  to the makespan of the rounds
 *   tree          to the ranges of round 0, with the originator's share of all
 *                 rounds
 *   begin_ps[r]   to the originator's time from round 0 until round r begins
 *   tables        to the tables of all rounds, from round 0 on
 *
 * Returns the number of rounds; 1, with tree and makespan unchanged, if several
 * rounds are infeasible or not shorter.
 */
unsigned tree_rounds_plan(uint8_t *tree, const struct tree_rounds *rounds,
                          uint64_t *makespan_ps, const struct plan_job *job,
                          void *work);

/* Returns the length of rounds->memory, bytes, for a tree of `nodes` nodes. */
uint32_t tree_rounds_bytes(uint32_t nodes);

#endif

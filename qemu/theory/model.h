/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model that scatter/plan/one_round.h computes in fixed point, without its
 * ranges, and with extensions. Phase i of
 * the scatter takes s_i (alpha_i + tau v), its volume v being sent s_i times
 * one after the other (once over a circuit, once for each hop if every node on
 * the way stores and forwards). Results of P/Q times the input return in
 * reverse order at the same cost, startup included. Then
 *
 *   v_0 = V    v_i = (c v_{i-1} - m s_i alpha_i) / (5 c + s_i tau (1 + P/Q))
 *   a_i = v_i - 4 sum v_j (j > i)    makespan = c a_0
 *
 * with c = compute_ps and m = 2 with results, 1 without. Source: Blazewicz,
 * Drozdowski, Guinand, Trystram 1999, equations (1) to (5) and section 5.
 * v_i does not depend on the number of phases N; N is feasible if v_N >= 0,
 * and the largest feasible N is optimal.
 *
 * theory_plan_members() solves this, also with several rounds, fewer ports or
 * different speeds, and theory_plan_power() with a nonlinear compute time, in
 * numbers of 113 bits (quad.h). They allocate while they run, and keep nothing.
 */
#ifndef QEMU_THEORY_MODEL_H
#define QEMU_THEORY_MODEL_H

#include "hal/err.h"
#include "hal/nodiscard.h"
#include "torus/pattern.h"

#include <stdbool.h>
#include <stdint.h>

#define THEORY_PHASES_MAX 20u
#define THEORY_ROUNDS_MAX 64u
#define THEORY_ROUNDS_AUTO_MAX 16u
#define THEORY_GROUPS_MAX 100000u
#define THEORY_TIME_MAX_PS ((uint64_t)INT64_MAX) /* largest makespan */

struct theory_input {
    uint64_t load_units;  /* V, 1 or more */
    uint64_t compute_ps;  /* c, per unit, 1 or more */
    uint64_t transfer_ps; /* tau, per unit */
    /* alpha_i, entry i - 1: setting one circuit of phase i up, its hops
       included. */
    uint64_t startup_ps[THEORY_PHASES_MAX];
    uint32_t stages[THEORY_PHASES_MAX]; /* s_i, entry i - 1; 0 counts as 1 */
    /* P and Q: a result's units for each of the input. Q = 0: no results.
       P = 0 with Q > 0: results whose startup alone counts. */
    uint32_t results_numerator;
    uint32_t results_denominator;
    uint8_t phases_max;  /* of the torus: 0 .. THEORY_PHASES_MAX */
    uint8_t phases_want; /* exactly so many, if `phases_fixed` */
    uint8_t phases_fixed;
};

/* The volume and share of some nodes, which are treated alike, in one round. */
struct theory_part {
    uint64_t nodes;
    double volume_units;
    double share_units;
    uint64_t volume_floor;
    uint64_t share_floor;
    uint64_t end_ps; /* of the phase that brings it, to the nearest ps */
};

struct theory_plan {
    uint8_t phases;          /* N */
    uint8_t phases_feasible; /* the largest feasible N */
    uint8_t rounds;          /* R */
    uint8_t rounds_feasible; /* only where theory_plan_members() fails */
    uint64_t makespan_ps;    /* to the nearest picosecond */
    double speedup;          /* of the originator alone, before rounding */
    /* Layers 0 to N. Where their nodes differ, volume and share are averages
       over them; where there are several rounds, sums over them, and the end is
       the first receipt. */
    struct theory_part layer[THEORY_PHASES_MAX + 1];
};

/* The parts of a plan, round after round, and in each layer after layer; which
   one a node has: theory_part_of(). The originator's share is in the first
   round. */
struct theory_detail {
    struct theory_part *part; /* theory_detail_free() */
    uint32_t stride;          /* parts of a round */
    uint32_t batches;         /* B, of a phase: 4 / B sends at once */
    /* B parts for each part in all layers before; else for each in the layer
       before: with B = 1 one a layer. */
    bool by_member;
    uint32_t first[THEORY_PHASES_MAX + 2]; /* part of each layer, and the end */
    /* Averages over layers, [r * (N + 1) + layer]; NULL: those are the parts.
     */
    struct theory_part *average;
};

/*
 * One round, of nodes alike with four ports. Result: 0; ERR_EMPTY (no units);
 * ERR_RANGE (compute_ps is 0, phases_max too large, or the makespan exceeds
 * THEORY_TIME_MAX_PS); ERR_PHASES (phases_want > phases_feasible, which is then
 * set, and nothing else). Allocates while it runs.
 */
NODISCARD int theory_plan(struct theory_plan *plan,
                          const struct theory_input *input);

struct theory_members;

/*
 * `rounds`: 1 to THEORY_ROUNDS_MAX, or 0: as many as give the smallest
 * makespan, up to THEORY_ROUNDS_AUTO_MAX (ties to fewer rounds, then to more
 * phases). Several rounds need a phase, and an input without results. Every
 * node receives once a round, is never idle after its first receipt, and all
 * end at T. A node takes a round in when it has computed the one before, as
 * boards do. From the last round back, each is one round of qemu/theory/flow.h;
 * the originator's time s between two rounds is the least that flow allows, and
 * that of the last one is what makes the sum of all rounds the load. Feasible
 * if nobody receives less than nothing in any round; an infeasible N may have
 * the smaller makespan.
 *
 * With members by layer (qemu/theory/flow.h), four ports and g_j = s_j
 * alpha_j / c, G their sum, rho_j = s_j tau / c these are the best rounds that
 * there are:
 *
 *   v_{R,N}   = x
 *   v_{R,j-1} = (5 + rho_j) v_{R,j} + g_j
 *   v_{r,N}   = G + sum rho_j v_{r+1,j}
 *   v_{r,j-1} = (5 + rho_j) v_{r,j} - rho_j v_{r+1,j}
 *   T / c     = x + R G + sum rho_j v_{r,j}
 *   V         = T / c + 4 sum v_{r,j}
 *
 * for r < R and j = N .. 2. That the rounds of other members are the best of
 * any scatter is not proven.
 *
 * Where nodes of a layer differ, the plan's arrays are averages over layers of
 * the sums over rounds, and end_ps is the first receipt. The detail has every
 * part, unless more than THEORY_GROUPS_MAX groups are needed: then it is empty.
 *
 * Result: as theory_plan(); ERR_PHASES if nothing that was asked for is
 * feasible: rounds_feasible is then the largest feasible R (for phases_want if
 * fixed; 0 if none, or if `rounds` is below 2) and phases_feasible the largest
 * N that is feasible in one round. After success the caller frees the detail.
 * Cost: O(members * rounds^2) for each N; 48 bytes a member and round.
 */
NODISCARD int theory_plan_members(struct theory_plan *plan,
                                  struct theory_detail *detail,
                                  const struct theory_members *members,
                                  unsigned rounds);

/*
 * A compute time of c x^P for x units, P = numerator / denominator >= 1, by
 * bisection of the logarithm of a_N, in long double: about 15 digits are right,
 * also of shares that are next to nothing. Else as theory_plan_members() with
 * one round.
 */
NODISCARD int theory_plan_power(struct theory_plan *plan,
                                struct theory_detail *detail,
                                const struct theory_input *input,
                                uint32_t numerator, uint32_t denominator);

struct theory_torus {
    struct torus_size size; /* 5^k x 5^k, of input->phases_max */
    struct torus_coord originator;
    const uint64_t *compute_ps; /* of each node by row, 1 or more */
};

/* Nodes of a layer, 4 * 5^(i-1); 1 for layer 0. layer <= THEORY_PHASES_MAX. */
uint64_t theory_layer_nodes(unsigned layer);

/*
 * The part, counted in its round, of the child that a node of a part and layer
 * reaches in batch 0 .. B - 1 of a later phase. Between its own phase and that
 * one, a node of a group counts as one that the last batch has reached: it has
 * as much time left. Part 0: the originator.
 */
uint32_t theory_part_of(const struct theory_detail *detail, uint32_t part,
                        unsigned layer, unsigned phase, unsigned batch);

/* Frees what a theory_plan_*() stored; a detail of zeros is fine too. */
void theory_detail_free(struct theory_detail *detail);

struct theory_node {
    uint64_t units; /* its share; 0 in layers beyond N */
    uint8_t layer;  /* phase of the scatter that reaches it */
};

/*
 * Integer shares by laminar rounding, the same rule as torus/split.h: a
 * node gives each part of what it received the floor of the exact part, and one
 * unit more to the first parts until none is left: children by phase and port,
 * then its own share. The originator hands the units that are left over all
 * rounds to the children of round 1 first. The shares add up to V.
 *
 * nodes[0 .. width * height), row-major, is the caller's. The size is 5^k x
 * 5^k with at least plan->phases phases; the originator lies in it; plan and
 * detail are what one solver made for it. Cost: O(nodes * rounds), and 16
 * bytes a node.
 */
void theory_spread(struct theory_node nodes[], const struct theory_plan *plan,
                   const struct theory_detail *detail, uint64_t load_units,
                   struct torus_size size, struct torus_coord originator);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of one round, after Blazewicz, Drozdowski, Guinand, Trystram 1999,
 * equations (1) to (5) and section 5. scatter/plan/one_round.h computes it in
 * fixed point; this one has a larger range, and extensions. Symbols, in ps and
 * units:
 *   V    load                            N        number of phases
 *   v_i  units a node of layer i gets    a_i      units that it computes itself
 *   c    compute time of a unit          tau      transfer time of a unit
 *   s_i  sends one after the other       alpha_i  startup in phase i
 *   P/Q  units of results for a unit of load
 *
 * Phase i takes s_i (alpha_i + tau v_i). s_i is 1 over a circuit; it is the
 * number of hops if nodes on the way store and forward. Results return in
 * reverse order at equal cost, with startups. Then
 *
 *   v_0 = V    v_i = (c v_{i-1} - m s_i alpha_i) / (5 c + s_i tau (1 + P/Q))
 *   a_i = v_i - 4 sum v_j (j > i)    makespan = c a_0
 *
 * with m = 2 with results, 1 without. v_i does not depend on N. N is feasible
 * if v_N >= 0, and the largest feasible N is optimal.
 *
 * theory_plan_members() solves this, also with several rounds, fewer ports or
 * nodes of different speeds. theory_plan_power() solves it with a nonlinear
 * compute time. Numbers have 113 bits (quad.h). Both functions allocate memory
 * while they run, and keep nothing.
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
    uint64_t compute_ps;  /* compute time of a unit, 1 or more */
    uint64_t transfer_ps; /* transfer time of a unit over a circuit */
    /* startup_ps[i - 1]: startup of one circuit of phase i, over all of its
       hops */
    uint64_t startup_ps[THEORY_PHASES_MAX];
    /* stages[i - 1]: number of sends one after the other in phase i, more than
       1 if nodes store and forward; 0 means 1 */
    uint32_t stages[THEORY_PHASES_MAX];
    /* A unit of input gives numerator / denominator units of results.
       Denominator 0: no results. Only numerator 0: results cost their startups
       alone. */
    uint32_t results_numerator;
    uint32_t results_denominator;
    /* most phases that the torus allows: 0 .. THEORY_PHASES_MAX */
    uint8_t phases_max;
    uint8_t phases_want; /* number of phases to plan, if `phases_fixed` */
    uint8_t phases_fixed;
};

/* Some nodes with equal plans: what each of them receives in a round, and the
   share of it that it computes. */
struct theory_part {
    uint64_t nodes;
    double volume_units;
    double share_units;
    uint64_t volume_floor;
    uint64_t share_floor;
    uint64_t end_ps; /* time when the phase that brings the volume ends */
};

struct theory_plan {
    uint8_t phases;          /* number of phases of the plan */
    uint8_t phases_feasible; /* largest feasible N */
    uint8_t rounds;          /* R */
    /* largest feasible number of rounds; set only if planning fails */
    uint8_t rounds_feasible;
    uint64_t makespan_ps;
    /* one node's time for the load / makespan before rounding */
    double speedup;
    /* Layers 0 to `phases`. If a layer's nodes differ, volume and share are
       averages. With several rounds they are sums over rounds, and end_ps is in
       the first round. */
    struct theory_part layer[THEORY_PHASES_MAX + 1];
};

/* All parts of a plan, sorted by round and layer. The originator's share of all
   rounds is in its part of the first round. */
struct theory_detail {
    struct theory_part *part; /* the parts; theory_detail_free() frees them */
    uint32_t stride;          /* number of parts in each round */
    /* number of sends of a port in a phase; 4 / batches ports send at once */
    uint32_t batches;
    /* A layer has `batches` parts for each part of all layers before (true), or
       for each part of the layer just before (false). So false and 1 batch give
       one part a layer. */
    bool by_member;
    /* index of each layer's first part in a round; then the end */
    uint32_t first[THEORY_PHASES_MAX + 2];
    /* Averages over each layer's nodes, phases + 1 of them a round. NULL:
       part[] has averages. */
    struct theory_part *average;
};

/*
 * Plans one round for equal nodes that use four ports at once. Returns 0, or
 *   ERR_EMPTY    the load has no units
 *   ERR_RANGE    compute_ps is 0, phases_max is too large, or the makespan
 *                would exceed THEORY_TIME_MAX_PS
 *   ERR_PHASES   phases_want exceeds phases_feasible, which is then set
 *
 * Allocates memory while it runs.
 */
NODISCARD int theory_plan(struct theory_plan *plan,
                          const struct theory_input *input);

struct theory_members;

/*
 * Plans `rounds` rounds, 1 to THEORY_ROUNDS_MAX. With 0 it chooses the number,
 * up to THEORY_ROUNDS_AUTO_MAX, with the smallest makespan; of equal makespans
 * the fewest rounds, then the most phases. Several rounds need at least one
 * phase, and an input without results.
 *
 * Every node receives once a round, is never idle after its first receipt, and
 * ends at the makespan. A node begins a round when it has computed the one
 * before, as boards do. Rounds are planned from the last one back, by
 * theory_flow_round(). The originator's time between two rounds is the least
 * feasible; its time in the last round makes the sum of all rounds the load. A
 * number of phases is feasible if no node receives negative units in any round;
 * an infeasible number may have the smaller makespan.
 *
 * For members by layer (qemu/theory/flow.h) with four ports the best rounds
 * have a closed form. With the symbols at this header's top, R rounds, makespan
 * T, v_{r,j} the units that a node of layer j receives in round r, x those of
 * the last layer in the last round, g_j = s_j alpha_j / c with the sum G, and
 * rho_j = s_j tau / c:
 *
 *   v_{R,N}   = x
 *   v_{R,j-1} = (5 + rho_j) v_{R,j} + g_j
 *   v_{r,N}   = G + sum rho_j v_{r+1,j}
 *   v_{r,j-1} = (5 + rho_j) v_{r,j} - rho_j v_{r+1,j}
 *   T / c     = x + R G + sum rho_j v_{r,j}
 *   V         = T / c + 4 sum v_{r,j}
 *
 * for r < R and j = N .. 2. For other members it is not proven that no scatter
 * is better.
 *
 * If nodes of a layer differ, the plan has averages over layers of the sums
 * over rounds, and end_ps is in the first round. The detail has every part; it
 * is empty if it would take more than THEORY_GROUPS_MAX groups.
 *
 * Returns 0, ERR_EMPTY or ERR_RANGE as theory_plan() does; ERR_PHASES if no
 * plan is feasible. Then rounds_feasible is the largest feasible number of
 * rounds (for phases_want if phases are fixed; 0 if there is none, or if
 * `rounds` is below 2), and phases_feasible is the largest number of phases for
 * one round. After success the caller frees the detail. Cost: O(members *
 * rounds^2) for each number of phases; 48 bytes a member and round.
 */
NODISCARD int theory_plan_members(struct theory_plan *plan,
                                  struct theory_detail *detail,
                                  const struct theory_members *members,
                                  unsigned rounds);

/* Plans one round if x units take compute_ps x^p, where p = numerator /
   denominator >= 1. It bisects the logarithm of the last layer's share in long
   double, with about 15 correct digits even of tiny shares. Otherwise like
   theory_plan_members(). */
NODISCARD int theory_plan_power(struct theory_plan *plan,
                                struct theory_detail *detail,
                                const struct theory_input *input,
                                uint32_t numerator, uint32_t denominator);

struct theory_torus {
    struct torus_size size; /* 5^k x 5^k, 5^input->phases_max nodes */
    struct torus_coord originator;
    /* each node's compute time of a unit, 1 or more, row-major */
    const uint64_t *compute_ps;
};

/* Returns the number of nodes of a layer, at most THEORY_PHASES_MAX: 4 *
   5^(layer-1), or 1 for layer 0. */
uint64_t theory_layer_nodes(unsigned layer);

/* Frees the detail of a plan. Accepts a detail of zeros. */
void theory_detail_free(struct theory_detail *detail);

struct theory_node {
    /* share; 0 if the plan's phases do not reach the node's layer */
    uint64_t units;
    uint8_t layer; /* phase that reaches the node */
};

/*
 * Sets each node's share as an integer. At a node, each child's volume and the
 * node's own share get the floor of their exact size; the first of them, by
 * phase and port, get one unit more until none is left. (torus/split.h rounds
 * alike.) Units that the originator has left over all rounds go to its children
 * of round 1. All shares add up to the load.
 *
 * nodes[0 .. width * height), row-major, is the caller's. The size is 5^k x 5^k
 * with at least plan->phases phases, the originator lies in it, and plan and
 * detail are the result of one call for this size. Cost: O(nodes * rounds), and
 * 16 bytes a node.
 */
void theory_spread(struct theory_node nodes[], const struct theory_plan *plan,
                   const struct theory_detail *detail, uint64_t load_units,
                   struct torus_size size, struct torus_coord originator);

#endif

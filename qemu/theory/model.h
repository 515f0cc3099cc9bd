/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model that scatter/plan/one_round.h computes in fixed point, without its
 * ranges, and with extensions. A node of layer i receives v_i of the load's V
 * units and computes a_i of them, each in c. Phase i takes s_i (alpha_i + tau
 * v_i): v_i is sent s_i times one after the other (once over a circuit, once
 * for each hop if the nodes on the way store and forward). Results of P/Q times
 * the input return in reverse order at equal cost, with startups. Then
 *
 *   v_0 = V    v_i = (c v_{i-1} - m s_i alpha_i) / (5 c + s_i tau (1 + P/Q))
 *   a_i = v_i - 4 sum v_j (j > i)    makespan = c a_0
 *
 * with m = 2 with results, 1 without. Source: Blazewicz, Drozdowski, Guinand,
 * Trystram 1999, equations (1) to (5) and section 5. v_i does not depend on the
 * number of phases N; N is feasible if v_N >= 0, and the largest feasible N is
 * optimal.
 *
 * theory_plan_members() solves this, also with several rounds, fewer ports or
 * different speeds. theory_plan_power() solves it with a nonlinear compute
 * time. Numbers have 113 bits (quad.h). Both allocate while they run, and keep
 * nothing.
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
    uint64_t compute_ps;  /* c: computing of a unit, 1 or more */
    uint64_t transfer_ps; /* tau: transfer of a unit over a circuit */
    /* startup_ps[i - 1] is alpha_i: startup of one circuit of phase i, over all
       of its hops. */
    uint64_t startup_ps[THEORY_PHASES_MAX];
    /* stages[i - 1] is s_i, sends one after the other in phase i; 0 means 1. */
    uint32_t stages[THEORY_PHASES_MAX];
    /* P and Q: a unit of input gives P / Q units of results. Q = 0: no results.
       P = 0 with Q > 0: only the results' startups count. */
    uint32_t results_numerator;
    uint32_t results_denominator;
    uint8_t phases_max;  /* phases of the torus: 0 .. THEORY_PHASES_MAX */
    uint8_t phases_want; /* number of phases if `phases_fixed` */
    uint8_t phases_fixed;
};

/* The volume received and the share computed by nodes with equal plans, in one
   round. */
struct theory_part {
    uint64_t nodes;
    double volume_units;
    double share_units;
    uint64_t volume_floor;
    uint64_t share_floor;
    uint64_t end_ps; /* end of the phase that brings the volume, nearest ps */
};

struct theory_plan {
    uint8_t phases;          /* N */
    uint8_t phases_feasible; /* largest feasible N */
    uint8_t rounds;          /* R */
    uint8_t rounds_feasible; /* set only if theory_plan_members() fails */
    uint64_t makespan_ps;    /* to the nearest picosecond */
    double speedup;          /* over the originator alone, before rounding */
    /* Layers 0 to N. If a layer's nodes differ, volume and share are their
       averages. With several rounds they are sums over rounds, and the end is
       the first receipt. */
    struct theory_part layer[THEORY_PHASES_MAX + 1];
};

/* The parts of a plan, by round and then by layer; theory_part_of() finds a
   node's part. The originator's share is in the first round. */
struct theory_detail {
    struct theory_part *part; /* freed by theory_detail_free() */
    uint32_t stride;          /* parts of a round */
    uint32_t batches;         /* B batches a phase: 4 / B sends at once */
    /* A layer has B parts for each part of all layers before (true) or of the
       layer before (false). So false and B = 1 give one part a layer. */
    bool by_member;
    uint32_t first[THEORY_PHASES_MAX + 2]; /* first part of each layer; end */
    /* Averages over the nodes of a layer, N + 1 layers a round; NULL: the parts
       are averages. */
    struct theory_part *average;
};

/*
 * Plans one round for equal nodes with four ports. Returns 0; ERR_EMPTY (no
 * units); ERR_RANGE (compute_ps is 0, phases_max is too large, or the makespan
 * exceeds THEORY_TIME_MAX_PS); ERR_PHASES (phases_want > phases_feasible: only
 * the latter is set then). Allocates while it runs.
 */
NODISCARD int theory_plan(struct theory_plan *plan,
                          const struct theory_input *input);

struct theory_members;

/*
 * Plans `rounds` rounds, 1 to THEORY_ROUNDS_MAX. 0 takes the number up to
 * THEORY_ROUNDS_AUTO_MAX with the smallest makespan (ties to fewer rounds, then
 * to more phases). Several rounds need a phase, and an input without results.
 * Every node receives once a round, is never idle after its first receipt, and
 * ends at the makespan T. A node takes a round in when it has computed the one
 * before, as boards do. From the last round back, each is planned by
 * theory_flow_round(). The originator's time between two rounds is the least
 * feasible; its time in the last round makes the sum of all rounds the load. A
 * number of phases N is feasible if no node receives negative units in any
 * round; an infeasible N may have the smaller makespan.
 *
 * For members by layer (qemu/theory/flow.h) with four ports, R rounds and the
 * symbols of the model above, let g_j = s_j alpha_j / c, G their sum, and rho_j
 * = s_j tau / c. With v_{r,j} the units that a node of layer j receives in
 * round r, the best of all rounds are:
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
 * over rounds, and end_ps is the first receipt. The detail has every part; it
 * is empty if that takes more than THEORY_GROUPS_MAX groups.
 *
 * Returns as theory_plan() does; ERR_PHASES if no plan is feasible. Then
 * rounds_feasible is the largest feasible R (for phases_want if fixed; 0 if
 * none, or if `rounds` is below 2), and phases_feasible is the largest N for
 * one round. After success the caller frees the detail. Cost: O(members *
 * rounds^2) for each N; 48 bytes a member and round.
 */
NODISCARD int theory_plan_members(struct theory_plan *plan,
                                  struct theory_detail *detail,
                                  const struct theory_members *members,
                                  unsigned rounds);

/*
 * Plans one round with a compute time of compute_ps x^P for x units, P =
 * numerator / denominator >= 1. It bisects the logarithm of the last layer's
 * share in long double, with about 15 correct digits even of tiny shares.
 * Otherwise like theory_plan_members().
 */
NODISCARD int theory_plan_power(struct theory_plan *plan,
                                struct theory_detail *detail,
                                const struct theory_input *input,
                                uint32_t numerator, uint32_t denominator);

struct theory_torus {
    struct torus_size size; /* 5^k x 5^k, 5^input->phases_max nodes */
    struct torus_coord originator;
    const uint64_t *compute_ps; /* for each node's unit, 1 or more */
};

/* Returns the number of nodes of a layer i <= THEORY_PHASES_MAX: 4 * 5^(i-1),
   or 1 for layer 0. */
uint64_t theory_layer_nodes(unsigned layer);

/*
 * Returns the part, counted in its round, of the child that a node of a part
 * and layer reaches in batch 0 .. B - 1 of a later phase. Between the node's
 * own phase and that one, it counts as reached by the last batch: its time left
 * is equal. Part 0 is the originator.
 */
uint32_t theory_part_of(const struct theory_detail *detail, uint32_t part,
                        unsigned layer, unsigned phase, unsigned batch);

/* Frees what a theory_plan_*() stored; a detail of zeros is allowed. */
void theory_detail_free(struct theory_detail *detail);

struct theory_node {
    uint64_t units; /* share; 0 in layers beyond the plan's phases */
    uint8_t layer;  /* phase that reaches the node */
};

/*
 * Sets integer shares by laminar rounding, as torus/split.h does. Each part of
 * what a node received gets the floor of its exact size; the first parts get
 * one unit more until none is left. Parts are the children by phase and port,
 * then the node's own share. Units of the originator that are left over all
 * rounds go to the children of round 1 first. The shares add up to V.
 *
 * nodes[0 .. width * height), row-major, is the caller's. The size is 5^k x 5^k
 * with at least plan->phases phases, the originator lies in it, and one solver
 * made plan and detail for it. Cost: O(nodes * rounds), and 16 bytes a node.
 */
void theory_spread(struct theory_node nodes[], const struct theory_plan *plan,
                   const struct theory_detail *detail, uint64_t load_units,
                   struct torus_size size, struct torus_coord originator);

#endif

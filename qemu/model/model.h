/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model in exact rational arithmetic: what scatter/plan/one_round.h
 * computes in fixed point, without its ranges, and with extensions. Phase i of
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
 * model_plan() solves this; the other model_plan_*() solve it with several
 * rounds, fewer ports, different speeds, or a nonlinear compute time. They
 * allocate while they run, and keep nothing. Fractions are exact where nodes of
 * a layer are alike; with fewer ports or node speeds they would have as many
 * digits as there are nodes, so these two compute as qemu/model/wide.h says.
 */
#ifndef QEMU_MODEL_MODEL_H
#define QEMU_MODEL_MODEL_H

#include "hal/err.h"
#include "hal/nodiscard.h"
#include "torus/pattern.h"

#include <stdint.h>

#define MODEL_PHASES_MAX 20u
#define MODEL_ROUNDS_MAX 64u
#define MODEL_ROUNDS_AUTO_MAX 16u
#define MODEL_GROUPS_MAX 100000u
#define MODEL_TIME_MAX_PS ((uint64_t)INT64_MAX) /* largest makespan */

struct model_input {
    uint64_t load_units;  /* V, 1 or more */
    uint64_t compute_ps;  /* c, per unit, 1 or more */
    uint64_t transfer_ps; /* tau, per unit */
    /* alpha_i, entry i - 1: setting one circuit of phase i up, its hops
       included. */
    uint64_t startup_ps[MODEL_PHASES_MAX];
    uint32_t stages[MODEL_PHASES_MAX]; /* s_i, entry i - 1; 0 counts as 1 */
    /* P and Q: a result's units for each of the input. Q = 0: no results.
       P = 0 with Q > 0: results whose startup alone counts. */
    uint32_t results_numerator;
    uint32_t results_denominator;
    uint8_t phases_max;  /* of the torus: 0 .. MODEL_PHASES_MAX */
    uint8_t phases_want; /* exactly so many, if `phases_fixed` */
    uint8_t phases_fixed;
};

/*
 * Arrays: index = layer, entries 0 to N; the rest is 0. Where nodes of one
 * layer differ, volumes and shares are averages over them; where there are
 * several rounds, sums over them. `end_ps` is the first receipt.
 */
struct model_plan {
    uint8_t phases;          /* N */
    uint8_t phases_feasible; /* the largest feasible N */
    uint8_t rounds;          /* R */
    uint8_t rounds_feasible; /* only where model_plan_rounds() fails */
    uint64_t makespan_ps;    /* to the nearest picosecond */
    double speedup;          /* of the originator alone, before rounding */
    double volume_units[MODEL_PHASES_MAX + 1];
    double share_units[MODEL_PHASES_MAX + 1];
    uint64_t volume_floor[MODEL_PHASES_MAX + 1]; /* floor v_i, exactly */
    uint64_t share_floor[MODEL_PHASES_MAX + 1];  /* floor a_i, exactly */
    uint64_t end_ps[MODEL_PHASES_MAX + 1]; /* of phase i, to the nearest ps */
};

/* The volume and share of some nodes, which are treated alike, in one round. */
struct model_part {
    uint64_t nodes;
    double volume_units;
    double share_units;
    uint64_t volume_floor;
    uint64_t share_floor;
    uint64_t end_ps; /* of the phase that brings it */
};

/* The order of model_detail.part[]. */
enum model_order {
    MODEL_BY_ROUND, /* [r * (N + 1) + layer], r = 0 .. R - 1 */
    MODEL_BY_GROUP, /* layer after layer: model_group() */
    MODEL_BY_NODE,  /* row-major index on the torus */
    MODEL_BY_MEMBER /* round after round: model_member_of() */
};

/* The parts of a plan whose arrays hold only averages or sums. part == NULL:
   the arrays are exact. */
struct model_detail {
    struct model_part *part; /* model_detail_free() */
    uint32_t count;
    uint32_t batches; /* MODEL_BY_GROUP, MODEL_BY_MEMBER: B, of a phase */
    enum model_order order;
    /* MODEL_BY_MEMBER: averages over layers, [r * (N + 1) + layer]. */
    struct model_part *average;
};

/*
 * Result: 0; ERR_EMPTY (no units); ERR_RANGE (compute_ps is 0, phases_max too
 * large, or the makespan exceeds MODEL_TIME_MAX_PS); ERR_PHASES (phases_want >
 * phases_feasible, which is then set, and nothing else). Allocates while it
 * runs; O(N^2) in the size of the numbers.
 */
NODISCARD int model_plan(struct model_plan *plan,
                         const struct model_input *input);

/*
 * Phases 1 to N repeated R times; nobody idles after its first receipt, and
 * all end at T. With g_j = s_j alpha_j / c, G their sum, rho_j = s_j tau / c:
 *
 *   v_{R,N}   = x
 *   v_{R,j-1} = (5 + rho_j) v_{R,j} + g_j
 *   v_{r,N}   = G + sum rho_j v_{r+1,j}
 *   v_{r,j-1} = (5 + rho_j) v_{r,j} - rho_j v_{r+1,j}
 *   T / c     = x + R G + sum rho_j v_{r,j}
 *   V         = T / c + 4 sum v_{r,j}
 *
 * for r < R and j = N .. 2. A node of layer j keeps v_{r,j} - 4 sum v_{r,m},
 * m > j, of round r. Feasible if no volume is negative: then nobody keeps less
 * than nothing either, since what it keeps lasts as long as the phases until
 * its next receipt. Several rounds need a phase. `rounds`: 1 to
 * MODEL_ROUNDS_MAX, or 0: as many as give the smallest makespan, up to
 * MODEL_ROUNDS_AUTO_MAX (ties to fewer rounds). Results are not modelled:
 * results_denominator is 0.
 *
 * Result: as model_plan(); ERR_PHASES if nothing that was asked for is
 * feasible: rounds_feasible is then the largest feasible R (for phases_want if
 * fixed; 0 if none) and phases_feasible the largest N that is feasible in one
 * round. After success the caller frees the detail.
 */
NODISCARD int model_plan_rounds(struct model_plan *plan,
                                struct model_detail *detail,
                                const struct model_input *input,
                                unsigned rounds);

/*
 * Layers of different speeds: compute_ps[0 .. phases_max], each 1 or more; the
 * input's own compute_ps is only checked. With the time s_i
 * left at the receipt of layer i, and each phase's costs, results included:
 *
 *   a_i = s_i / c_i    s_{i-1} = s_i + startup_i + transfer_i v_i
 *   v_N = a_N          v_{i-1} = 5 v_i + a_{i-1} - a_i
 *
 * Feasible if s_N >= 0; N is the best. Result: as model_plan().
 */
NODISCARD int model_plan_layers(struct model_plan *plan,
                                const struct model_input *input,
                                const uint64_t compute_ps[]);

/*
 * A compute time of c x^P for x units, P = numerator / denominator >= 1, by
 * bisection of the logarithm of a_N, in long double: about 15 digits are right,
 * also of shares that are next to nothing. Else as model_plan_layers().
 */
NODISCARD int model_plan_power(struct model_plan *plan,
                               const struct model_input *input,
                               uint32_t numerator, uint32_t denominator);

struct model_torus {
    struct torus_size size; /* 5^k x 5^k, of input->phases_max */
    struct torus_coord originator;
    const uint64_t *compute_ps; /* of each node by row, 1 or more */
};

/*
 * Nodes of different speeds. Ports work independently: a child that is served
 * by a port which was free with s left has s' = s - alpha_i - tau W(s') left,
 * where its subtree takes W(s') = p s' - q units. Feasible if nobody
 * receives less than nothing; N is the best. Results are not modelled. The
 * plan's arrays are averages over layers, end_ps the first receipt; the detail
 * has every node. Result: as model_plan(). After success the caller frees the
 * detail. Cost: O(nodes) for each N, about 1 kB a node.
 */
NODISCARD int model_plan_nodes(struct model_plan *plan,
                               struct model_detail *detail,
                               const struct model_input *input,
                               const struct model_torus *torus);

/* Nodes of a layer, 4 * 5^(i-1); 1 for layer 0. layer <= MODEL_PHASES_MAX. */
uint64_t model_layer_nodes(unsigned layer);

/*
 * With 1, 2 or 4 ports that work at once: the four sends of a phase go out in
 * 4 / ports batches, east first, counterclockwise. A node goes on as soon as it
 * has received, so nodes of one layer differ. A subtree whose root has s left
 * until the end takes W_i(s) units, affine in s; a child that is served when
 * its parent has s left has s' = s - alpha_i - tau W_i(s') left, of which its
 * share takes all. Source: as above, section 5. Feasible if nobody
 * receives less than nothing: an infeasible N may have the smaller makespan.
 * Results are not modelled: results_denominator is 0.
 *
 * plan->end_ps is the first receipt of a layer; the detail has its groups,
 * unless they are more than MODEL_GROUPS_MAX: then it is empty. Result: as
 * model_plan(), or ERR_MEMORY. After success the caller frees the detail.
 * Cost: O(groups).
 */
NODISCARD int model_plan_ports(struct model_plan *plan,
                               struct model_detail *detail,
                               const struct model_input *input, unsigned ports);

/*
 * Groups of a plan with B batches a phase (4 / B ports): the entry of the
 * group that a node of a group and layer reaches in batch 0 .. B - 1 of a later
 * phase. In its own and in the phases between, the node counts as one that the
 * last batch has reached: it has as much time left. Entry 0: the originator.
 */
uint32_t model_group(unsigned batches, uint32_t group, unsigned layer,
                     unsigned phase, unsigned batch);

/*
 * Members of a plan with B batches a phase: the one that is reached in batch 0
 * .. B - 1 of a phase by a member of an earlier phase. Member 0: the
 * originator; there are (1 + B)^N (qemu/model/members.h).
 */
uint32_t model_member_of(unsigned batches, uint32_t member, unsigned phase,
                         unsigned batch);

/* Frees what a model_plan_*() stored; a detail of zeros is fine too. */
void model_detail_free(struct model_detail *detail);

struct model_node {
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
void model_spread(struct model_node nodes[], const struct model_plan *plan,
                  const struct model_detail *detail, uint64_t load_units,
                  struct torus_size size, struct torus_coord originator);

#endif

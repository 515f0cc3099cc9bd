/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model in exact rational arithmetic: what scatter/planner.h computes in
 * fixed point, without its ranges, and with two extensions. Phase i of the
 * scatter takes s_i (alpha_i + tau v), its volume v being sent s_i times one
 * after the other (once over a circuit, once for each hop if every node on the
 * way stores and forwards). Results of P/Q times the input return in reverse
 * order at the same cost, startup included. Then
 *
 *   v_0 = V    v_i = (c v_{i-1} - m s_i alpha_i) / (5 c + s_i tau (1 + P/Q))
 *   a_i = v_i - 4 sum v_j (j > i)    makespan = c a_0
 *
 * with c = compute_ps and m = 2 with results, 1 without. Source: Blazewicz,
 * Drozdowski, Guinand, Trystram 1999, equations (1) to (5) and section 5.
 * v_i does not depend on the number of phases N; N is feasible if v_N >= 0,
 * and the largest feasible N is optimal.
 */
#ifndef QEMU_MODEL_H
#define QEMU_MODEL_H

#include "hal/err.h"
#include "torus/pattern.h"

#include <stdint.h>

#define MODEL_PHASES_MAX 20u
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

/* Arrays: index = layer, entries 0 to N; the rest is 0. */
struct model_plan {
    uint8_t phases;          /* N */
    uint8_t phases_feasible; /* the largest feasible N */
    uint64_t makespan_ps;    /* to the nearest picosecond */
    double speedup;          /* V c / makespan, before rounding */
    double volume_units[MODEL_PHASES_MAX + 1];
    double share_units[MODEL_PHASES_MAX + 1];
    uint64_t volume_floor[MODEL_PHASES_MAX + 1]; /* floor v_i, exactly */
    uint64_t share_floor[MODEL_PHASES_MAX + 1];  /* floor a_i, exactly */
    uint64_t end_ps[MODEL_PHASES_MAX + 1]; /* of phase i, to the nearest ps */
};

/*
 * Result: 0; ERR_EMPTY (no units); ERR_RANGE (compute_ps is 0, phases_max too
 * large, or the makespan exceeds MODEL_TIME_MAX_PS); ERR_PHASES (phases_want >
 * phases_feasible, which is then set, and nothing else). Allocates while it
 * runs; O(N^2) in the size of the numbers.
 */
int model_plan(struct model_plan *plan, const struct model_input *input);

struct model_node {
    uint64_t units; /* its share; 0 in layers beyond N */
    uint8_t layer;  /* phase of the scatter that reaches it */
};

/*
 * Integer shares by laminar rounding, the same rule as scatter/split.h: a node
 * gives each part of what it received the floor of the exact part, and one
 * unit more to the first parts until none is left: children of the next phase
 * by port, those of later phases, its own share. The shares add up to V.
 *
 * nodes[0 .. width * height), row-major, is the caller's. The size is 5^k x
 * 5^k with at least plan->phases phases; the originator lies in it; the plan
 * is one that model_plan() made. Result: 0, or ERR_MEMORY if there is no
 * memory for 4 bytes a node. Cost: O(nodes).
 */
int model_spread(struct model_node nodes[], const struct model_plan *plan,
                 uint64_t load_units, struct torus_size size,
                 struct torus_coord originator);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The advance: an equal part of the load for every node but the originator,
 * sent before the originator has measured the kernel and planned the rest of
 * the load. The rule is this project's, for the pattern (one_round.h):
 *
 *   V, n   units of the load; nodes       m   V / n, mean share of a node
 *   w, g   compute and transfer time of a unit
 *   W      w m, time that a node computes its mean share
 *   C      g (n - 1) m / 4, time that four ports need for the whole load
 *   x      part of m that the advance gives each node
 *   a, S   time to measure and plan; startups of all phases
 *
 * Every node still computes the advance when the rest arrives,
 *
 *   if one round follows:   a + S + (1 - x) C <= x (C + W)               (1)
 *   if k rounds follow:     a + S <= x W, and x >= 1 / (1 + t + .. + t^k) (2)
 *
 * t = W / C: a round may have t times the units of the round before. The
 * advance is the smaller x m of (1) and (2), because nodes begin to compute
 * sooner the less the advance carries. It is at most 7/8 of m: of a small load,
 * whose plan is ready too late, nodes have computed 7/8 by then.
 */
#ifndef SCATTER_PLAN_ADVANCE_H
#define SCATTER_PLAN_ADVANCE_H

#include <stdint.h>

struct advance_input {
    uint32_t nodes;       /* n: 2 or more */
    uint32_t load_units;  /* V */
    uint64_t compute_ps;  /* w, estimated: 1 .. 2^40 */
    uint64_t transfer_ps; /* g: 0 .. 2^40 */
    uint64_t startups_ps; /* S: 0 .. 2^50 */
    uint64_t plan_ps;     /* a of (1): 0 .. 2^50 */
    uint64_t rounds_ps;   /* time to plan several rounds: a of (2) is plan_ps +
                             rounds_ps */
    uint64_t round_ps;    /* software of a node in each round */
};

struct advance {
    uint32_t units; /* x m, for each node but the originator; 0: no advance */
    uint8_t rounds; /* rounds of the rest at most; 1 if there is no advance */
};

/* Returns the advance of `input`; its units are 0 if C > 2 W, or if m is less
   than 16 units. */
struct advance advance_of(const struct advance_input *input);

#endif

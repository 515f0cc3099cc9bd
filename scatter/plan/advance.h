/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The advance: an equal part of the load for every node but the originator,
 * which goes out before the originator has measured the kernel and planned the
 * rest. On the pattern, with m = V / n units for each of n nodes, w the compute
 * and g the transfer time of a unit, the ports need C = g (n - 1) m / 4 for the
 * whole load and the nodes W = w m. With x m units in the advance, all nodes
 * still compute them when the rest arrives,
 *
 *   in one round, if       a + S + (1 - x) C <= x (C + W)              (1)
 *   in several, if         a + S <= x W, and x >= 1 / (1 + t + .. + t^k) (2)
 *
 * with `a` the time that measuring and planning take, S the startups of all
 * phases and t = W / C, by which one round of k may be longer than the last.
 * The smaller of both is the advance: nodes begin the sooner the less it is.
 * But it is 7/8 of the load at most: of a small load, whose plan is ready too
 * late, nodes have computed that by then.
 */
#ifndef SCATTER_PLAN_ADVANCE_H
#define SCATTER_PLAN_ADVANCE_H

#include <stdint.h>

struct advance_input {
    uint32_t nodes;       /* n, 2 or more */
    uint32_t load_units;  /* V */
    uint64_t compute_ps;  /* w, estimated; 1 .. 2^40 */
    uint64_t transfer_ps; /* g; 0 .. 2^40 */
    uint64_t startups_ps; /* S; to 2^50 */
    uint64_t plan_ps;     /* a of (1); to 2^50 */
    uint64_t rounds_ps;   /* what planning several rounds takes besides: with
                             it, a of (2) */
    uint64_t round_ps;    /* what a round costs every node */
};

struct advance {
    uint32_t units; /* of each node but the originator; 0: there is none */
    uint8_t rounds; /* of the rest, at most; 1 without an advance */
};

/* No advance where transfer takes more than twice the compute time, or where
   nodes get less than 16 units. */
struct advance advance_of(const struct advance_input *input);

#endif

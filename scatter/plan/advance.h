/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The advance: an equal part of the load for every node but the originator,
 * sent before the originator has measured the kernel and planned the rest of
 * the load. The rule is this project's, for the pattern (one_round.h):
 *
 *   V, n   units of the load; nodes       m   V / n, units: a node's mean share
 *   w, g   compute and transfer time of a unit
 *   W      w m, time that a node computes its mean share
 *   C      g (n - 1) m / 4, time that four ports need for the whole load
 *   x      fraction of m that the advance gives each node
 *   a      time from the advance until the rest leaves: to measure and plan
 *   S      sum of the startup times of all phases
 *
 * The rest must arrive before all nodes have computed the advance. Left: time
 * until the rest arrives. Right: x C to send the advance, x W to compute it.
 *
 *   if one round follows:   a + S + (1 - x) C <= x (C + W)               (1)
 *   if k rounds follow:     a + S <= x W, and x >= 1 / (1 + t + .. + t^k) (2)
 *
 * t is W / C: a round can have t times the units of the round before. The
 * advance is x m for the least x that meets (1) or (2), at most 7/8 of m.
 */
#ifndef SCATTER_PLAN_ADVANCE_H
#define SCATTER_PLAN_ADVANCE_H

#include "scatter/plan/job.h"

struct advance {
    uint32_t units; /* units for each node but the originator; 0: no advance */
    uint8_t rounds; /* most rounds that send the rest, at least 1 */
};

/* Returns the advance of `job`; 0 units if m is below 16 units, C is above 2 W,
   or C or W exceeds 2^60 ps. */
struct advance advance_of(const struct plan_job *job);

#endif

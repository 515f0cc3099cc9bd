/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --schedule auto: which schedule, and which number of rounds, has the answer
 * first. With n nodes, of which all together compute `speed` units while one of
 * speed 1 computes one, V units, w the compute and g the transfer time of a
 * unit, o that of its output, P ports, and c(k) the time of k instructions on
 * the boards, these answers are expected:
 *
 *   bound         T = max( V w / speed, V / (1 / w + P / g) )
 *   peters-syska  T + c(5600) + min( V g / P / 10, T / 50 ) on the pattern;
 *                 along a tree
 *                 T + c(17200 + 750 n) + min( 1.2 V g / P,
 *                                             0.7 (V g / P)^2 / T + c(4700 n) )
 *                 with outputs that return meanwhile
 *                 the same, with g + o in place of g, + c(16000) +
 *                 V (g + o) / P / 50 + 8 halos
 *   star          T + c(6250 + 1600 n) + the same with 0.65 and 0.58
 *   equal         V w / (n speed of the slowest) + c(15600 + 485 n) +
 *                 1.25 V g / P
 *   farm          min over m <= n nodes of max( T of these nodes, with g + o in
 *                 place of g; 0.85 V (g + o) / P ) + c(16200 + 1125 m) +
 *                 V (g + o) / P / 20 + the halos of 12 n chunks / P;
 *                 with masters c(97000 + 95 m), where that is less
 *
 * All others then collect outputs: + V o / P (n - 1) / n. If an earlier
 * job showed a node to be slower than the plan will take it to be, all but the
 * farm take as many times as long. The constants are fitted to measured answers
 * of 42 jobs on MPS2 boards (test/bench/policies.py has twenty).
 *
 * Where the pattern is best, hybrid is taken: its reserve is chosen on the
 * boards, from how much the load varies.
 */
#ifndef QEMU_JOB_CHOOSE_H
#define QEMU_JOB_CHOOSE_H

#include "qemu/job/config.h"

/* A schedule that could be taken. */
struct choice {
    enum schedule schedule;
    uint8_t rounds;   /* 1, or WIRE_BEST */
    double answer_ps; /* expected */
};

/* All that the mesh has, the earliest answer first. */
struct choices {
    struct choice choice[OUTCOME_CHOICES_MAX];
    unsigned count;
};

/* Makes the choices for a job whose load and terms are known, and sets schedule
   and rounds of the first one. */
struct choices choose_schedule(struct job_config *config);

#endif

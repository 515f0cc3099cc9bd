/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --schedule auto: which schedule, and which number of rounds, has the answer
 * first. With n nodes, of which all together compute `speed` units while one of
 * speed 1 computes one, V units, w the compute and g the transfer time of a
 * unit, o that of its output, P ports, and c(k) the time of k instructions on
 * boards, 0 on native nodes, these answers are expected:
 *
 *   bound         T = max( V w / speed, V / (1 / w + P / g) )
 *   peters-syska  on the pattern T + c(5600) + min( V g / P / 10, T / 50 ) and
 *                 V o / P (n - 1) / n; with outputs that return meanwhile
 *                 the same, with g + o in place of g and o, + c(16000) +
 *                 V (g + o) / P / 50 + 8 halos, if that is less; and in each
 *                 phase the circuits of an announcement, a head and a result
 *   along a tree  the plan with the mesh's startups, hops, ports and switching,
 *                 and the way back (tree_time.h); before it the announcement,
 *                 or if that takes longer measuring, V w / n / 64; and
 *                 peters-syska  c(11200 + 750 n)
 *                 nearest       c(13700 + 750 n)
 *                 star          c(9700 + 1070 n)
 *                 equal         c(9500 + 485 n)
 *                 of all but equal in the better of one round, and of the best
 *                 number with c(6000 n) more
 *   one board     V w, of the originator, + c(4000), and c(1.6) for each byte
 *                 of a fixed result; if a unit turns out to take longer than
 *                 it is taken to, the job goes on as a farm, which learns that
 *   farm          event by event, chunk by chunk, with the same circuits
 *                 (farm_time.h), 2 % more on boards, + c(4700 + 535 n), and
 *                 c(1 / 6) for each byte of output, up to c(16000);
 *                 with masters
 *                 min over m <= n nodes of max( T of these nodes, with g + o in
 *                 place of g; 0.85 V (g + o) / P ) + c(16200 + 1125 m), or
 *                 c(97000 + 95 m) if that is less, +
 *                 V (g + o) / P / 20 + the halos of 12 n chunks / P
 *
 * Where a kernel's units take what their data says (cost_varies), a farm is
 * taken, of boards with serial ports, too. Of a kernel that does not say so the
 * originator takes samples, and goes on as a farm where they differ (the
 * order's reserve). One board is a choice then if an earlier job's rate is
 * known. On the pattern the originator finds by itself that others do not pay.
 * Each run() of a kernel takes what such a rate says besides: one, of a farm
 * each chunk's, with masters 12.
 *
 * If an earlier job showed a node to be slower than the plan will take it to
 * be, all but the farm take as many times as long. The constants are fitted to
 * measured answers of MPS2 boards: of the pattern and of masters to 42 jobs
 * (test/bench/policies.py has twenty), of trees and farms to 120 jobs on up to
 * 25 boards, with fewer ports, store and forward and slow nodes, too.
 *
 * Where the pattern is best, hybrid is taken: its reserve is chosen on the
 * boards, from how much the load varies.
 */
#ifndef QEMU_JOB_CHOOSE_H
#define QEMU_JOB_CHOOSE_H

#include "qemu/job/outcome.h"

/* A schedule that could be taken. */
struct choice {
    enum schedule schedule;
    uint8_t rounds;   /* 1, or WIRE_BEST */
    uint8_t phases;   /* 0: one board; else WIRE_BEST */
    double answer_ps; /* expected */
};

/* All that the mesh has, the earliest answer first. */
struct choices {
    struct choice choice[OUTCOME_CHOICES_MAX];
    unsigned count;
    bool estimated; /* by the kernel's estimate of a unit's time */
    struct job_schedule schedule; /* the first choice's */
};

/* For people: a schedule, or "one board". */
const char *choice_name(const struct choice *choice);

/* Makes the choices for a request with one originator, whose load and terms are
   known. */
struct choices choose_schedule(const struct request *request);

#endif

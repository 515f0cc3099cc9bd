/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --schedule auto: which schedule, and which number of rounds, has the answer
 * first. Each is tried on native nodes (trial.h), in one round and in the best
 * number of rounds. On emulated boards the originator's planning is added, in
 * instructions on n nodes:
 *
 *                                pattern  tree        equal       farm
 *   a plan                       5600     8000+600 n  4000+150 n  10000+500 n
 *   to look for several rounds            600
 *   several that are found                1500 n
 *
 * On the pattern of boards hybrid has one round where a share takes less than
 * 1600 instructions, with an output 10000, unless the originator alone is
 * first.
 * One board takes its units' compute time, and there 4000 instructions and 1.6
 * for each byte of a fixed result; if a unit turns out to take longer than it
 * is taken to, the job goes on as a farm.
 *
 * Where a kernel's units take what their data says (cost_varies), a farm is
 * taken, of boards with serial ports, too. Of a kernel that does not say so the
 * originator takes samples, and goes on as a farm where they differ (the
 * order's reserve). One board is a choice then if an earlier job's rate is
 * known. On the pattern the originator finds by itself that others do not pay.
 *
 * On the pattern hybrid is taken, whose reserve is chosen on the boards from
 * how much the load varies, unless peters-syska is expected 5 % earlier.
 *
 * If an earlier job showed a node to be slower than the plan will take it to
 * be, the trials have such a node.
 */
#ifndef QEMU_JOB_CHOOSE_H
#define QEMU_JOB_CHOOSE_H

#include "qemu/job/request.h"

#define CHOICES_MAX 6u

/* A schedule that could be taken. */
struct choice {
    enum schedule schedule;
    uint8_t rounds;   /* 1, or WIRE_BEST */
    uint8_t phases;   /* 0: one board; else WIRE_BEST */
    double answer_ps; /* expected */
};

/* All that the mesh has, the earliest answer first. */
struct choices {
    struct choice choice[CHOICES_MAX];
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

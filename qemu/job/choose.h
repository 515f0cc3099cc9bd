/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --schedule auto: chooses the schedule and the number of rounds with the
 * earliest answer. Each schedule is tried on native nodes (trial.h) with one
 * round and with the best number of rounds. On emulated boards the originator's
 * planning on n nodes adds instructions (pattern: torus/pattern.h):
 *
 *                                pattern  tree        equal       farm
 *   one plan                     5600     8000+600 n  4000+150 n  10000+500 n
 *   search for several rounds             600
 *   several rounds found                  1500 n
 *
 * On boards with the pattern, hybrid has one round if a share takes less than
 * 1600 instructions, or 10000 with an output, unless the originator alone would
 * answer first. One board alone takes the compute time of all units, 4000
 * instructions, and 1.6 per byte of a fixed result. If units take longer than
 * expected, the job goes on as a farm.
 *
 * A kernel with cost_varies gets a farm, on serial ports, too. One board
 * is an alternative if an earlier job's rate is known. With any other kernel
 * the originator takes samples; if they differ, it goes on as a farm.
 *
 * On the pattern auto prefers hybrid, unless peters-syska is expected 5 %
 * earlier. From the samples, the boards choose the part of the load that hybrid
 * gives out on demand. They also find whether more than one board pays.
 *
 * If an earlier job showed a node slower than the plan assumes, the trials have
 * such a node.
 */
#ifndef QEMU_JOB_CHOOSE_H
#define QEMU_JOB_CHOOSE_H

#include "qemu/job/request.h"

#define CHOICES_MAX 6u

/* A schedule with its expected answer time. */
struct choice {
    enum schedule schedule;
    uint8_t rounds;   /* 1 or WIRE_BEST */
    uint8_t phases;   /* 0: one board computes alone; else WIRE_BEST */
    double answer_ps; /* expected time of the answer */
};

/* The schedules that the mesh offers, the earliest answer first. */
struct choices {
    struct choice choice[CHOICES_MAX];
    unsigned count;
    bool estimated; /* the unit time is an estimate of the kernel */
    struct job_schedule schedule; /* details of choice[0] */
};

/* Returns a name for messages: a schedule, or "one board". */
const char *choice_name(const struct choice *choice);

/* Rates the schedules for a request with one originator. The originator's load
   and terms must be set. */
struct choices choose_schedule(const struct request *request);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --schedule auto: chooses the schedule and the number of rounds that give the
 * earliest answer. Each schedule runs on native nodes as a trial (trial.h),
 * with one round and with the best number of rounds. On emulated boards the
 * originator's planning takes time, too. Planning for n nodes takes, in
 * instructions:
 *
 *                                pattern  tree        equal       farm
 *   one plan                     5600     8000+600 n  4000+150 n  10000+500 n
 *   search for several rounds             600
 *   several rounds found                  1500 n
 *
 * "pattern" is torus/pattern.h; "tree", "equal" and "farm" are other schedules.
 * On the pattern, the schedule hybrid has one round if a share takes less than
 * 1600 instructions, or 10000 with an output, unless the originator alone would
 * answer first. One board alone takes the compute time of all units, 4000
 * instructions, and 1.6 for each byte of a fixed result. If units take longer
 * than expected, the job goes on as a farm.
 *
 * A kernel with cost_varies (its units differ in time) gets a farm, on serial
 * ports, too. One board alone is tried if an earlier job's rate is known. With
 * any other kernel the originator takes samples of the load; if they differ,
 * the job goes on as a farm.
 *
 * On the pattern auto prefers hybrid, unless peters-syska is expected to answer
 * 5 % earlier. From the samples, the boards choose the part of the load that
 * hybrid gives out on demand, and whether more than one board pays.
 *
 * If a node was slower than the plan assumed in an earlier job, the trials have
 * one slow node.
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

/* The schedules that the mesh supports, that with the earliest answer first. */
struct choices {
    struct choice choice[CHOICES_MAX];
    unsigned count;
    bool estimated; /* true: the unit time is a kernel's estimate */
    struct job_schedule schedule; /* parameters of choice[0] */
};

/* Returns the name of a choice for messages: that of its schedule, or "one
   board". */
const char *choice_name(const struct choice *choice);

/* Sorts the schedules by the time of their answer, for a request with one
   originator. The originator's load and terms must be set. */
struct choices choose_schedule(const struct request *request);

#endif

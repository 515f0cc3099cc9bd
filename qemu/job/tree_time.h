/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a job takes along its tree, planned as its originator plans it
 * (scatter/plan/tree_plan.h, tree_rounds.h), before it is given to a mesh: with
 * the kernel's estimate, and as if the nodes' software took no time, as on
 * native nodes.
 */
#ifndef QEMU_JOB_TREE_TIME_H
#define QEMU_JOB_TREE_TIME_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

/* A node of an emulated MPS2 board executes an instruction in so long; native
   nodes take no time but for kernels, by whose count they go, too. */
#define TREE_TIME_INSTRUCTION_PS 32000u

struct tree_time {
    double makespan_ps;
    double with_results_ps; /* outputs, which return when all is computed */
};

/* In one round, or in several. Several that no plan has, or that end later, are
   as one. */
struct tree_times {
    double announce_ps; /* before the first part */
    struct tree_time one;
    struct tree_time several;
};

/*
 * Plans the load of a task along the tree of its schedule: in one
 * round, and if its rounds are not 1 in so many, or the best number. A unit
 * takes compute_ps; more than a plan can have are as many times longer as they
 * are more. Result: 0; -1 if there is no tree, or no plan of these numbers.
 * Ends the program without memory. O(nodes), and the tree.
 */
NODISCARD int tree_times(struct tree_times *times, const struct job_task *task,
                         double compute_ps);

/* For how long the announcement along the tree holds the originator's ports,
   from the order on: port_ps[port], or where fewer ports work at once all of
   them as long as the last one. */
void tree_time_announce(uint64_t port_ps[TORUS_PORTS],
                        const struct job_task *task, const uint8_t *tree);

/* A unit's, by the kernel's estimate. */
double tree_time_compute_ps(const struct job_task *task);

/* Bytes of a mean share's result, roughly, by the kernel's terms. */
uint32_t tree_time_result_bytes(const struct job_task *task);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trial: how long a job would take, by running it on native nodes with a
 * model of its kernel. The model has the kernel's terms and touches no data: a
 * unit takes the given time, outputs are as long as the terms say, and results
 * of varying length as long as the terms estimate.
 *
 * Nodes of a trial for emulated boards plan with a board's costs, and their
 * clocks go on by the instructions of a message and of a run(). Planning takes
 * them no time. A trial for other meshes has the costs of native nodes.
 *
 * A load with an output that are longer than 2 MB together are k times as
 * short, with k times the transfer and compute time, if 64 units a node are
 * left. A job of several batches
 * takes as long as its first batch, times their number.
 */
#ifndef QEMU_JOB_TRIAL_H
#define QEMU_JOB_TRIAL_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

struct trial {
    double answer_ps;     /* of all batches */
    uint64_t makespan_ps; /* of the first one */
    unsigned rounds;
};

/* Runs a trial of the task. A unit takes rate.compute_ps, a run() rate.call_ps
   besides. `slow`: a node that no plan knows to be slow; NULL: none is. Result:
   0; -1 if there is no such plan or tree. Ends the program without memory.
   Cost: 2 to 10 ms for 25 nodes, 0.1 s for 625. */
NODISCARD int trial_run(struct trial *trial, const struct job_task *task,
                        struct job_rate rate, const struct injection *slow);

/* Returns the makespan of a farm's trial, ps: a job_farm_end. */
uint64_t trial_farm_ps(const struct job_task *farm, struct job_rate rate);

#endif

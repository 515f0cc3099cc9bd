/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trial measures how long a job would take: native nodes run it with a model
 * of its kernel, which touches no data. A unit takes the given time. Outputs
 * have the length that the kernel's terms tell; results of varying length have
 * their estimated length.
 *
 * A trial for emulated boards plans with a board's costs. Clocks advance by the
 * instructions of each message and each run(); planning takes no time. A trial
 * for other meshes has the costs of native nodes.
 *
 * If load and output exceed 2 MB together, the trial is k times smaller and
 * each unit k times as expensive, with at least 64 units for each node. A job
 * of several batches is taken as its first batch, times their number.
 */
#ifndef QEMU_JOB_TRIAL_H
#define QEMU_JOB_TRIAL_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

struct trial {
    double answer_ps;     /* time of all batches */
    uint64_t makespan_ps; /* makespan of the first batch */
    unsigned rounds;
};

/* Runs a trial of the task. A unit takes rate.compute_ps, each call of run()
   another rate.call_ps. `slow` is a node that is slower than the plan knows, or
   NULL. Returns 0, or -1 if no plan or tree exists. Exits if memory runs out.
   Cost: 2 to 10 ms for 25 nodes, 0.1 s for 625. */
NODISCARD int trial_run(struct trial *trial, const struct job_task *task,
                        struct job_rate rate, const struct injection *slow);

/* Returns the makespan, ps, of a trial of the farm. Serves as a job_farm_end
   (request.h). */
uint64_t trial_farm_ps(const struct job_task *farm, struct job_rate rate);

#endif

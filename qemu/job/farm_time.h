/* SPDX-License-Identifier: Apache-2.0 */
/* How long a farm takes on a mesh whose switches the host emulates. */
#ifndef QEMU_JOB_FARM_TIME_H
#define QEMU_JOB_FARM_TIME_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/farm_run.h"
#include "scatter/wire/wire.h"

/*
 * A farm of one level for so many units of the task's load, of which each
 * takes compute_ps on a node that is not slow, and each chunk call_ps besides.
 * An instruction of the nodes' software takes instruction_ps: of native nodes
 * 0. Result: 0; -1 if the time is not known: masters serve, there are several
 * originators, no emulated switches, or the numbers are too large.
 */
NODISCARD int farm_time(struct farm_run *run, const struct job_task *task,
                        uint64_t units, uint64_t compute_ps, uint64_t call_ps,
                        uint64_t instruction_ps);

/*
 * Sets when the farm of a report is planned to end, of an order of so many
 * units, from the compute time that its originator measured; the report of a
 * farm has no makespan, which tells it from a plan. Where that time is not
 * known it is a rough one, and of outputs, fewer ports, or store and forward 0:
 * there is none. Result: whether it is a farm's.
 */
bool farm_time_plan(struct wire_report *plan, const struct job_task *task,
                    uint64_t units);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* When a farm is planned to end. */
#ifndef QEMU_JOB_FARM_PLAN_H
#define QEMU_JOB_FARM_PLAN_H

#include "qemu/job/request.h"
#include "scatter/wire/wire.h"

/* Returns the makespan, ps, of a farm on emulated switches, led by one
   originator that measures first, whose units take rate.compute_ps and calls
   rate.call_ps; 0: not known. */
typedef uint64_t farm_end(const struct job_task *farm, struct job_rate rate);

/*
 * Sets the makespan of a farm's report, of an order of `units` units, by the
 * compute time that the originator measured. The report of a farm has no
 * makespan, which tells it from a plan. Of several originators and with serial
 * ports the makespan is rough; 0: not known, where outputs, fewer ports or
 * store and forward count. `end`: NULL: nobody asks. Result: whether the report
 * is a farm's.
 */
bool farm_plan(struct wire_report *plan, const struct job_task *task,
               uint64_t units, farm_end *end);

#endif

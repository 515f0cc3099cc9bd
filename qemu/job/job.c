/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/job.h"

#include "qemu/job/job_run.h"
#include "qemu/job/trial.h"

int job_execute(struct outcome *outcome, const struct request *request,
                const struct job_schedule *schedule, struct watch *watch)
{
    return job_run(outcome, request, schedule, watch, trial_farm_ps);
}

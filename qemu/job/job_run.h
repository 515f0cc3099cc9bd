/* SPDX-License-Identifier: Apache-2.0 */
/* One job on one mesh, below trials. */
#ifndef QEMU_JOB_JOB_RUN_H
#define QEMU_JOB_JOB_RUN_H

#include "hal/nodiscard.h"
#include "qemu/job/farm_plan.h"
#include "qemu/job/outcome.h"

/* Runs the job as job_execute() does. `end`: when a farm is planned to end;
   NULL: nobody asks. */
NODISCARD int job_run(struct outcome *outcome, const struct request *request,
                      const struct job_schedule *schedule, struct watch *watch,
                      farm_end *end);

#endif

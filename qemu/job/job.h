/* SPDX-License-Identifier: Apache-2.0 */
/* One job on one mesh, from the order to the outcome. */
#ifndef QEMU_JOB_JOB_H
#define QEMU_JOB_JOB_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

/*
 * Runs the job on the request's mesh, batch by batch, with this schedule.
 * `watch`: of who looks on; or NULL. `farm_end`: trial_farm_ps(), which tells
 * when a farm is planned to end; NULL: nobody asks. Result: 0 and *outcome, to
 * be freed with outcome_free(); else an exit status, with the reason on stderr,
 * and nothing to be freed. The request outlives the outcome.
 */
NODISCARD int job_run(struct outcome *outcome, const struct request *request,
                      const struct job_schedule *schedule, struct watch *watch,
                      job_farm_end *farm_end);

#endif

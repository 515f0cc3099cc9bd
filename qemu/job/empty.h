/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a job without units, such as an empty INPUT. */
#ifndef QEMU_JOB_EMPTY_H
#define QEMU_JOB_EMPTY_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"
#include "qemu/job/request.h"

#include <stdbool.h>

/* Returns whether the request has one originator, whose load has no units. */
bool job_is_empty(const struct request *request);

/* Makes the result of a range without units, in this process. The caller frees
   its data and output. Returns 0, or -1 if the kernel refuses the argument. */
NODISCARD int job_empty_result(struct kernel_result *result,
                               const struct kernel *kernel,
                               const struct job_originator *originator);

/* Runs the kernel on an empty range, in this process: no board starts. All
   times of the outcome are 0, and its one node got nothing. Returns and leaves
   *outcome as job_run() does. Precondition: job_is_empty(request). */
NODISCARD int job_empty(struct outcome *outcome, const struct request *request,
                        const struct job_schedule *schedule);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a job a second time, so that other nodes get other ranges. */
#ifndef QEMU_JOB_VERIFY_H
#define QEMU_JOB_VERIFY_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"
#include "qemu/job/request.h"

/* Returns whether a node lives that can be a second originator. */
bool verify_can(const struct request *request);

/* Repeats the outcome's job from another originator, and compares the result
   and the output of each batch. Returns 0, or an exit status after a message.
   Preconditions: there is one originator; verify_can(). */
NODISCARD int verify_job(const struct outcome *outcome,
                         const struct request *request,
                         const struct job_schedule *schedule,
                         job_farm_end *farm_end);

#endif

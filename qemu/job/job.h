/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one job on one mesh, from the order to the outcome. */
#ifndef QEMU_JOB_JOB_H
#define QEMU_JOB_JOB_H

#include "hal/nodiscard.h"
#include "qemu/job/checkpoint.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

/*
 * Runs the job on the request's mesh, batch by batch. `watch` shows the
 * progress; NULL: nobody watches. `farm_end` computes the planned end of a
 * farm, as trial_farm_ps() does; NULL: the end stays unknown. `checkpoint` has
 * the batches that are done already and gets those of this run; NULL: none.
 *
 * Returns 0 and *outcome, which the caller frees by outcome_free(). On failure
 * returns an exit status after a message on stderr; then there is nothing to
 * free. The request must outlive the outcome.
 */
NODISCARD int job_run(struct outcome *outcome, const struct request *request,
                      const struct job_schedule *schedule, struct watch *watch,
                      job_farm_end *farm_end, struct checkpoint *checkpoint);

#endif

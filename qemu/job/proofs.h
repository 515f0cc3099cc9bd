/* SPDX-License-Identifier: Apache-2.0 */
/* Checks by the file's bytes what nodes have proved (scatter/wire/proof.h). */
#ifndef QEMU_JOB_PROOFS_H
#define QEMU_JOB_PROOFS_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"
#include "qemu/job/request.h"

/* Returns the instructions that checks take for a unit. */
double proofs_instructions(const struct job_task *task);

/* Returns whether the task's orders say check_load. */
bool proofs_wanted(const struct job_task *task);

/* Checks a report that has a result. `proof`: what precedes the result. Sets
   *right to whether all that nodes read, and the result, is as it was; true if
   the order does not say check_load. Returns 0, or an exit status after a
   message if the load cannot be read. */
NODISCARD int proofs_check(bool *right,
                           const struct outcome_originator *originator,
                           const uint8_t *proof, const struct job_task *task,
                           const struct wire_order *order);

#endif

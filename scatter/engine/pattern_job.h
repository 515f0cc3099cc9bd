/* SPDX-License-Identifier: Apache-2.0 */
/* What a node of the pattern learns of a job before it has its range. */
#ifndef SCATTER_ENGINE_PATTERN_JOB_H
#define SCATTER_ENGINE_PATTERN_JOB_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Sets what the rows of all rounds have in common, when the kernel's terms are
   known, and posts the first part of the job: its switch sends on what of it
   goes on. */
void pattern_expect(struct scatter *scatter);

/* Reads what a part of a job that is not known yet has ahead of its range:
   tables, and the job unless it is an advance. Result: 0 or the error. */
NODISCARD int pattern_begin_job(struct scatter *scatter,
                                const struct circuit_delivery *delivery,
                                uint32_t label);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load that does not fit the originator's memory: cut into batches that are
 * carried out one after the other, and their outcomes made one.
 */
#ifndef QEMU_JOB_BATCHES_H
#define QEMU_JOB_BATCHES_H

#include "hal/nodiscard.h"
#include "qemu/job/config.h"
#include "qemu/outcome/outcome.h"

/* The most units that fit a node, with all else that it holds of a job. */
uint64_t batches_memory_takes(const struct job_config *config);

/* The most units at once: as many, or what was asked for. */
uint64_t batches_units_max(const struct job_config *config);

/* Whether at least one unit, and as many as were asked for, fit a node; if not,
   that is said on stderr. */
bool batches_fit(const struct job_config *config);

/* How many batches there are; all but the last one have batches_units(). */
uint32_t batches_count(const struct job_config *config);
uint32_t batches_units(const struct job_config *config);

/* Carries out batch `index`. Result: 0 and its outcome; else an exit status
   with the reason on stderr. */
typedef int batches_one(void *context, struct outcome *outcome, uint32_t index);

/*
 * Carries out all batches, one after the other. *outcome is all 0 before.
 * Result: 0 and the outcome of all; or the exit status of the first batch that
 * failed, with the reason on stderr, and nothing to be freed.
 */
NODISCARD int batches_run(struct outcome *outcome,
                          const struct job_config *config, batches_one *one,
                          void *context);

#endif

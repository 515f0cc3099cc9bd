/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a load that does not fit the originator's memory into batches. Batches
   run one after the other. */
#ifndef QEMU_JOB_BATCHES_H
#define QEMU_JOB_BATCHES_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

/* Returns the most units that fit a node's memory beside a job's other data. */
uint64_t batches_memory_units(const struct job_task *task);

/* Whether at least one unit fits a node's memory. With --batch, that many units
   must fit; with several originators, each whole load. Returns false after a
   message on stderr. */
bool batches_fit(const struct job_task *task);

/* Returns the number of batches. All but the last have batches_units()
   units. */
uint32_t batches_count(const struct job_task *task);
uint32_t batches_units(const struct job_task *task);

/* Merges the result *next into *into with the kernel's merge() and appends the
   output. Memory of *into is malloc'd or NULL. Returns 0, or -1 if the kernel
   refuses. */
NODISCARD int batches_merge(struct kernel_result *into,
                            const struct kernel_result *next,
                            const struct job_task *task);

#endif

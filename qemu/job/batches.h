/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a load that does not fit the originator's memory into batches, which run
   one after the other. */
#ifndef QEMU_JOB_BATCHES_H
#define QEMU_JOB_BATCHES_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

/* The most units that fit a node's memory, beside all else of a job. */
uint64_t batches_memory_units(const struct job_task *task);

/* Whether at least one unit fits a node, and --batch units if given; of several
   originators, which have one batch, the whole load. False after a message on
   stderr. */
bool batches_fit(const struct job_task *task);

/* The number of batches; all but the last one have batches_units(). */
uint32_t batches_count(const struct job_task *task);
uint32_t batches_units(const struct job_task *task);

/*
 * Adds the result of what follows to `into`, with the kernel's merge(), and
 * appends its output; memory of `into` is malloc'd, or NULL. Result: 0, or -1
 * if the kernel refuses to merge them.
 */
NODISCARD int batches_merge(struct kernel_result *into,
                            const struct kernel_result *next,
                            const struct job_task *task);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a load that does not fit the originator's memory into batches. Batches
   run one after the other. */
#ifndef QEMU_JOB_BATCHES_H
#define QEMU_JOB_BATCHES_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

/* Returns the most units of the load that a node's memory holds beside the
   job's other data. */
uint64_t batches_memory_units(const struct job_task *task);

/* Checks that a node's memory holds at least one unit; with --batch, that many
   units; with several originators, each one's whole load. Returns false after a
   message on stderr. */
bool batches_fit(const struct job_task *task);

/* Returns the number of batches. Each has batches_units() units; the last one
   has the rest. */
uint32_t batches_count(const struct job_task *task);
uint32_t batches_units(const struct job_task *task);
struct wire_range batches_range(const struct job_task *task, uint32_t index);

/* Merges result *next into *into by the kernel's merge() and appends its
   output. Memory of *into is malloc'd or NULL. Returns 0, or -1 if the kernel
   refuses. */
NODISCARD int batches_merge(struct kernel_result *into,
                            const struct kernel_result *next,
                            const struct job_task *task);

/* Does the same for a further batch of a load, or a part of one. Returns 0, or
   an exit status after a message on stderr. */
NODISCARD int batches_add(struct kernel_result *into,
                          const struct kernel_result *next,
                          const struct job_task *task);

#endif

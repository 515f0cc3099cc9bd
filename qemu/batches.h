/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load that does not fit the originator's memory: cut into batches that are
 * carried out one after the other, and their outcomes made one.
 */
#ifndef QEMU_BATCHES_H
#define QEMU_BATCHES_H

#include "qemu/run.h"

/* The most units that fit a node, with all else that it holds of a job. */
uint64_t batches_memory_takes(const struct run_config *config);

/* The most units at once: as many, or what was asked for. */
uint64_t batches_units_max(const struct run_config *config);

/* How many batches there are; all but the last one have batches_units(). */
uint32_t batches_count(const struct run_config *config);
uint32_t batches_units(const struct run_config *config);

/*
 * Adds the outcome of the next batch, of which nothing is to be freed
 * afterwards, to that of those before it (none, if its batch_count is 0).
 * Result: 0, or -1 if the kernel finds its own results malformed.
 */
int batches_add(struct outcome *outcome, struct outcome *next,
                const struct run_config *config);

#endif

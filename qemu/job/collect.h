/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a node, which is the same on every mesh. */
#ifndef QEMU_JOB_COLLECT_H
#define QEMU_JOB_COLLECT_H

#include "qemu/job/outcome.h"

/*
 * Copies a node's log into its record, all 0 before, and fills in its times,
 * counted from zero_ps, the start of the scatter. Receipts are not logged: the
 * medium adds their times. A log that ends before zero_ps is of an earlier
 * batch and counts as empty.
 */
void collect_log(struct outcome_node *node, const struct node_event *event,
                 uint32_t count, uint64_t zero_ps);

#endif

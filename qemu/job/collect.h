/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a node's event log into the outcome. */
#ifndef QEMU_JOB_COLLECT_H
#define QEMU_JOB_COLLECT_H

#include "qemu/job/outcome.h"

/* Copies a node's event log into *node, which must be zeroed, and derives the
   node's times from it. Times count from zero_ps, the start of the scatter.
   Logs do not have receipts; the caller adds them. A log that ends before
   zero_ps belongs to an earlier batch and counts as empty. */
void collect_log(struct outcome_node *node, const struct node_event *event,
                 uint32_t count, uint64_t zero_ps);

#endif

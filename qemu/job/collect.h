/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of an outcome that are the same on every mesh: the request's, and
   the nodes' logs. */
#ifndef QEMU_JOB_COLLECT_H
#define QEMU_JOB_COLLECT_H

#include "qemu/job/request.h"
#include "qemu/job/outcome.h"

/*
 * Fills in the request's values, and a record for each node with
 * all 0. `*outcome` holds the originators' reports already; outcome_free()
 * frees its memory.
 */
void collect_begin(struct outcome *outcome, const struct job_task *task);

/*
 * Copies a node's log and fills in its times, counted from zero_ps, the start
 * of the scatter. Receipts are not logged: the medium adds their times. A log
 * that ends before zero_ps is of an earlier batch and counts as empty.
 */
void collect_log(struct outcome_node *node, const struct node_event *event,
                 uint32_t count, uint64_t zero_ps);

#endif

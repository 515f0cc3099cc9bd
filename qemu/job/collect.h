/* SPDX-License-Identifier: Apache-2.0 */
/* What a mesh left behind, read into the outcome: the nodes' logs and counters
   and the fabric's circuits. */
#ifndef QEMU_JOB_COLLECT_H
#define QEMU_JOB_COLLECT_H

#include "qemu/job/config.h"
#include "qemu/outcome/outcome.h"

/*
 * Reads a mesh that has done its job, or a batch of it whose circuits begin
 * with number `first_circuit`. `*outcome` holds the originator's report
 * already; the rest is filled in, with memory of its own that outcome_free()
 * frees.
 */
void collect_outcome(struct outcome *outcome, const struct job_config *config,
                     const struct wire_order *order, const struct mesh *mesh,
                     uint32_t first_circuit);

/* Its beginning: what the config and the order say, all nodes with nothing
   known of them, and room for so many circuits. */
void collect_begin(struct outcome *outcome, const struct job_config *config,
                   const struct wire_order *order, uint32_t circuits);

/* Fills a node in from its log, copied, of times from which zero_ps is taken
   off; all but when it received, which is no event. From a log that
   ends before that time nothing: it is of another batch. */
void collect_log(struct outcome_node *node, const struct node_event *event,
                 uint32_t count, uint64_t zero_ps);

#endif

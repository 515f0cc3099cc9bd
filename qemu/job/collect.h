/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of an outcome that are read alike on every mesh. */
#ifndef QEMU_JOB_COLLECT_H
#define QEMU_JOB_COLLECT_H

#include "qemu/job/config.h"
#include "qemu/outcome/outcome.h"

/*
 * Fills in what the config and the order say, and all nodes with nothing known
 * of them. `*outcome` holds the originator's report already; its memory is
 * freed by outcome_free().
 */
void collect_begin(struct outcome *outcome, const struct job_config *config,
                   const struct wire_order *order);

/* Fills a node in from its log, copied, of times from which zero_ps is taken
   off; all but when it received, which is no event. From a log that
   ends before that time nothing: it is of another batch. */
void collect_log(struct outcome_node *node, const struct node_event *event,
                 uint32_t count, uint64_t zero_ps);

#endif

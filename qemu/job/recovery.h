/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes what nodes that died, or that cannot be reached any more, had lost.
 *
 * An order comes back with the ranges that nobody computed. Each of them is
 * given out again by a further order, a wave, along a tree around all that died
 * so far. A wave may lose ranges, too. If the originator has stopped, another
 * node takes its place, and the host gives it the whole range of the order.
 */
#ifndef QEMU_JOB_RECOVERY_H
#define QEMU_JOB_RECOVERY_H

#include "hal/nodiscard.h"
#include "qemu/job/running.h"

/* Notes whether another node than the one asked for begins as the originator:
   that one is dead before the job. */
void recovery_open(struct job *job);

/* Runs a batch, the range of the load, with the waves that it takes. Returns 0
   and *outcome, which the caller frees; or an exit status after a message on
   stderr. */
NODISCARD int recovery_run(struct outcome *outcome, struct job *job,
                           struct wire_range range);

#endif

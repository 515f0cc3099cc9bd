/* SPDX-License-Identifier: Apache-2.0 */
/* What a run came to, in a sentence and a bar: the first lines that it prints.
 */
#ifndef QEMU_REPORT_VERDICT_H
#define QEMU_REPORT_VERDICT_H

#include "qemu/job/outcome.h"

#include <stdio.h>

/* Where the time from order to answer went, of the average node; the sum is
   that time. */
struct verdict_times {
    uint64_t preparing_ps; /* from the order to the start of the scatter */
    uint64_t scatter_ps;   /* until the node began to compute */
    uint64_t compute_ps;
    uint64_t ports_ps;  /* that interrupts of its ports took meanwhile */
    uint64_t idle_ps;   /* between its computing, and behind it */
    uint64_t gather_ps; /* behind the last one's computing */
};

/* Of one order of one originator; all 0 of batches or several originators, of
   which not all is kept. */
struct verdict_times verdict_times(const struct outcome *outcome);

/* How many nodes did what, how fast, and what they found; the caller frees it.
   Ends the program where there is no memory. */
char *verdict_sentence(const struct outcome *outcome);

/* Writes the sentence; if its parts are known, the bar of the average node's
   time, of 60 letters, and the part of each in percent; and the remarks. */
void verdict_print(FILE *out, const struct outcome *outcome);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on a run, a sentence and a bar: the first lines that it prints.
 */
#ifndef QEMU_REPORT_VERDICT_H
#define QEMU_REPORT_VERDICT_H

#include "qemu/job/outcome.h"

#include <stdio.h>

#define VERDICT_PARTS 6u

/* A part of the time from order to answer, of the average node. */
struct verdict_part {
    const char *name;
    char letter; /* in the bar */
    uint64_t ps;
};

/* Sets the parts, whose sum is that time: preparing, from the order to the
   start of the scatter; scatter, until the node began to compute; compute;
   ports, what interrupts of its ports took meanwhile, if any; idle, between its
   computing and behind it; gather, behind the last one's computing. All are 0
   of batches or several originators, of which not all is kept. Result: how many
   parts. */
unsigned verdict_parts(struct verdict_part part[VERDICT_PARTS],
                       const struct outcome *outcome);

/* How many nodes did what, how fast, and what they found; the caller frees it.
   Ends the program where there is no memory. */
char *verdict_sentence(const struct outcome *outcome);

/* Writes the sentence; if its parts are known, the bar of the average node's
   time, of 60 letters, and the part of each in percent; and the remarks. */
void verdict_print(FILE *out, const struct outcome *outcome);

#endif

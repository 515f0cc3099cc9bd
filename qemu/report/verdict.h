/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a run's verdict, a sentence and a bar, before all other output. */
#ifndef QEMU_REPORT_VERDICT_H
#define QEMU_REPORT_VERDICT_H

#include "qemu/job/outcome.h"

#include <stdio.h>

#define VERDICT_PARTS 7u

/* What the average node does in a part of the time between the user's order and
   the answer. */
struct verdict_part {
    const char *name;
    char letter; /* letter in the bar */
    uint64_t ps;
};

/*
 * Divides the average node's time between the user's order and the answer:
 *
 *     preparing  until the start of the scatter
 *     scatter    until the node begins to compute
 *     compute    computing, without interrupts
 *     ports      interrupts of the node's ports meanwhile, if any
 *     idle       all other time
 *     gather     from the end of the last node's computing to the answer
 *
 * With several batches or originators, whose times are not all kept, all parts
 * are 0. Returns the number of parts.
 */
unsigned verdict_parts(struct verdict_part part[VERDICT_PARTS],
                       const struct outcome *outcome);

/* Returns a sentence: how many nodes worked, how fast, and what they found. The
   caller frees it. The program ends if there is no memory. */
char *verdict_sentence(const struct outcome *outcome);

/* Prints the sentence, the remarks and, if the parts are known, a bar of the
   average node's time with percentages. */
void verdict_print(FILE *out, const struct outcome *outcome);

#endif

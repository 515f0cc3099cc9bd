/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a run in a page of text, 80 columns wide. */
#ifndef QEMU_REPORT_SUMMARY_H
#define QEMU_REPORT_SUMMARY_H

#include "qemu/job/outcome.h"

#include <stdio.h>

/* Writes the page; with `all`, lines on what is as usual, too. The caller
   checks the stream for errors. */
void summary_print(FILE *out, const struct outcome *outcome, bool all);

/* A line on each of what a test asked for. */
void summary_injections(FILE *out, const struct injections *injections);

#endif

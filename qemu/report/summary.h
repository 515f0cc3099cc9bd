/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outcome of a run in a page of text, 80 columns wide, and the way in
 * which times are written for people.
 */
#ifndef QEMU_REPORT_SUMMARY_H
#define QEMU_REPORT_SUMMARY_H

#include "qemu/job/outcome.h"

#include <stdio.h>

/* Writes the page; with `all`, lines on what is as usual, too. The caller
   checks the stream for errors. */
void summary_print(FILE *out, const struct outcome *outcome, bool all);

/* A line on each of what a test asked for. */
void summary_injections(FILE *out, const struct injections *injections);

#define SUMMARY_TIME_BYTES 32u

/* A time with four digits and its unit: "5.000 us"; at most "nnn... s". */
void summary_time(char out[SUMMARY_TIME_BYTES], uint64_t time_ps);

struct summary_unit {
    const char *name; /* "ns", "us", "ms" or "s" */
    uint64_t ps;      /* in one unit */
};

/* The largest unit of which `time_ps` is at least one; ns below that. */
struct summary_unit summary_unit_of(uint64_t time_ps);

#endif

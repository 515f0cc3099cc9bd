/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a run's outcome as text of 80 columns. */
#ifndef QEMU_REPORT_SUMMARY_H
#define QEMU_REPORT_SUMMARY_H

#include "qemu/job/outcome.h"

#include <stdio.h>

/* Prints the summary; if `all` is true, with figures that are as expected. The
   caller checks the stream for errors. */
void summary_print(FILE *out, const struct outcome *outcome, bool all);

/* Prints a line for each fault or slowdown that a test has injected. */
void summary_injections(FILE *out, const struct injections *injections);

#endif

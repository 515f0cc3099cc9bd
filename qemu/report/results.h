/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel found, for people. */
#ifndef QEMU_REPORT_RESULTS_H
#define QEMU_REPORT_RESULTS_H

#include "qemu/job/outcome.h"

#include <stdio.h>

/* Writes the result, line by line: of lists the first values. Of several
   originators each one's, and then all together without positions, which count
   within a load. */
void results_print(FILE *out, const struct outcome *outcome);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Prints figures of MPI ranks for the report and the summary. */
#ifndef QEMU_REPORT_RANKS_H
#define QEMU_REPORT_RANKS_H

#include "qemu/job/outcome.h"

#include <jansson.h>
#include <stdio.h>

/* Returns the report's `ranks`, figures of each MPI rank. The run must have
   ranks. */
json_t *ranks_json(const struct outcome *outcome);

void ranks_print(FILE *out, const struct outcome *outcome);

#endif

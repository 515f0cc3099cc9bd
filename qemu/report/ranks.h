/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of ranks, for the report and the summary. */
#ifndef QEMU_REPORT_RANKS_H
#define QEMU_REPORT_RANKS_H

#include "qemu/job/outcome.h"

#include <jansson.h>
#include <stdio.h>

/* `ranks` in the report, of one rank or more. */
json_t *ranks_json(const struct outcome *outcome);

/* Prints a line on them. */
void ranks_print(FILE *out, const struct outcome *outcome);

#endif

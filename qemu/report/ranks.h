/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks did, where there were several: for the report and the summary. */
#ifndef QEMU_REPORT_RANKS_H
#define QEMU_REPORT_RANKS_H

#include "qemu/job/outcome.h"

#include <jansson.h>
#include <stdio.h>

/* Adds the key `ranks`, if there were several. */
void ranks_add_json(json_t *report, const struct outcome *outcome);

/* Prints a line, if there were several. */
void ranks_print(FILE *out, const struct outcome *outcome);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's result as JSON. The summary, the verdict and the list of places
   are made from it. */
#ifndef QEMU_REPORT_RESULT_H
#define QEMU_REPORT_RESULT_H

#include "qemu/job/outcome.h"

#include <jansson.h>
#include <stdio.h>

#define RESULT_SHOWN 8u /* most values or lines of a list that are shown */

/* Returns the values that the kernel reports, in the kernel's order, and the
   length of the output. `index` selects the result of one originator; from the
   number of originators on, it selects the whole job's. If there are several
   originators, the whole job's has no offsets, since these count within each
   one's load. The caller releases it. */
json_t *result_json(const struct outcome *outcome, uint32_t index);

/* Prints a line for each value of a result; offsets only if `offsets` is true.
   Of a list the first RESULT_SHOWN values are printed. */
void result_print(FILE *out, const json_t *result, bool offsets);

#endif

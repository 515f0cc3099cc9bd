/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's result as JSON, from which the summary, the verdict and the list
   of places are made. */
#ifndef QEMU_REPORT_RESULT_H
#define QEMU_REPORT_RESULT_H

#include "qemu/job/outcome.h"

#include <jansson.h>
#include <stdio.h>

#define RESULT_SHOWN 8u /* shown values or lines of a list */

/*
 * Returns the values that the kernel reports, in the kernel's order, and the
 * output's length. An `index` below the number of originators selects one
 * originator's result, else the whole job's. With several originators the whole
 * job has no offsets, which count within each one's load. The caller owns the
 * reference.
 */
json_t *result_json(const struct outcome *outcome, uint32_t index);

/* Prints a line for each value, with or without the offsets. A list prints its
   first RESULT_SHOWN values. */
void result_print(FILE *out, const json_t *result, bool offsets);

#endif

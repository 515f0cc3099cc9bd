/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's result as JSON: the summary, the verdict and the places in the
   load are made of it. */
#ifndef QEMU_REPORT_RESULT_H
#define QEMU_REPORT_RESULT_H

#include "qemu/job/outcome.h"

#include <jansson.h>
#include <stdio.h>

#define RESULT_SHOWN 8u /* values or lines of a list */

/*
 * What the kernel reports, in its order, and the length of an output: the
 * result of originator `index` of several, or of the whole job if there is none
 * of that number. The latter has no offsets if there are several originators:
 * they count within a load of each. The caller owns the reference.
 */
json_t *result_json(const struct outcome *outcome, uint32_t index);

/* Prints a line for each value, with or without the offsets; of lists the first
   RESULT_SHOWN. */
void result_print(FILE *out, const json_t *result, bool offsets);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows where in the load a result's `offsets` lie, with the text around each.
 * For several INPUTs an offset becomes a file and an offset in that file.
 */
#ifndef QEMU_REPORT_PLACES_H
#define QEMU_REPORT_PLACES_H

#include "qemu/job/outcome.h"

#include <jansson.h>
#include <stdio.h>

/* Prints a result's first offsets, if it has any. For several INPUTs one line
   has them, `offsets = a.txt:12 b.txt:0 ...`, and says whether they are all. If
   the load can be read, each gets a line of text; a '|' marks the found text's
   begin. */
void places_print(FILE *out, const struct outcome *outcome,
                  const json_t *result);

/* Returns all offsets as {"file": number of the INPUT, from 0, "offset"}; NULL
   for a single INPUT or no offsets. */
json_t *places_json(const struct outcome *outcome, const json_t *result);

/* Returns the text around the first 200 offsets as [text before, text from
   there on]; NULL without offsets or a readable load. */
json_t *places_texts_json(const struct outcome *outcome, const json_t *result);

/* Returns the name and the byte range in the load of each INPUT; NULL for a
   single INPUT. */
json_t *places_files_json(const struct outcome *outcome);

#endif

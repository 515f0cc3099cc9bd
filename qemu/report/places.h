/* SPDX-License-Identifier: Apache-2.0 */
/* Shows where in the load the `offsets` of a result lie, with the text around
   each. If there are several INPUTs, an offset becomes a file and an offset in
   that file. */
#ifndef QEMU_REPORT_PLACES_H
#define QEMU_REPORT_PLACES_H

#include "qemu/job/outcome.h"

#include <jansson.h>
#include <stdio.h>

/* Prints the first offsets of a result, if it has any. If there are several
   INPUTs, a line `offsets = a.txt:12 b.txt:0 ...` has them, and says whether
   they are all. If the load can be read, each offset gets a line with the text
   around it; a '|' marks where the found text begins. */
void places_print(FILE *out, const struct outcome *outcome,
                  const json_t *result);

/* Returns all offsets as {"file": number of the INPUT, from 0, "offset"}.
   Returns NULL if there is one INPUT, or no offset. */
json_t *places_json(const struct outcome *outcome, const json_t *result);

/* Returns the text around the first 200 offsets: for each one the text before
   it, and the text from there on. Returns NULL without offsets, or if the load
   cannot be read. */
json_t *places_texts_json(const struct outcome *outcome, const json_t *result);

/* Returns each INPUT's name and its range of bytes in the load. Returns NULL if
   there is one INPUT. */
json_t *places_files_json(const struct outcome *outcome);

#endif

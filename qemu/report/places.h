/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places in the load that a result's `offsets` name: of several INPUTs the
 * file and the position in it, and the text around them.
 */
#ifndef QEMU_REPORT_PLACES_H
#define QEMU_REPORT_PLACES_H

#include "qemu/job/outcome.h"

#include <jansson.h>
#include <stdio.h>

/* Prints the first of a result's offsets: of several INPUTs in a line, `offsets
   = a.txt:12 b.txt:0 ...`, and whether these are all; then, if the load is at
   hand, a line of text for each, in which what was found begins behind a '|'.
   Nothing if the result has no offsets. */
void places_print(FILE *out, const struct outcome *outcome,
                  const json_t *result);

/* A list of all offsets of several INPUTs: {"file": its number, from
   0, "offset"}; NULL if there are none. */
json_t *places_json(const struct outcome *outcome, const json_t *result);

/* A list of the first 200 offsets: [text before, text from there on]; NULL if
   there are none, or the load is not at hand. */
json_t *places_texts_json(const struct outcome *outcome, const json_t *result);

/* The several INPUTs of the load: names, and which bytes of the load are
   theirs; NULL if there is but one. */
json_t *places_files_json(const struct outcome *outcome);

#endif

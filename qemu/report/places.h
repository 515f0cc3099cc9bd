/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the offsets of a result lie in the files of a load of several: a
 * file's name, and the position in it.
 */
#ifndef QEMU_REPORT_PLACES_H
#define QEMU_REPORT_PLACES_H

#include "qemu/outcome/outcome.h"

#include <jansson.h>
#include <stdio.h>

/* Prints the first of them in a line, `offsets = a.txt:12 b.txt:0 ...`; nothing
   if the result has no offsets. */
void places_print(FILE *out, const struct outcome *outcome);

/* Of all offsets, in their order: {"file": its number, from 0, "offset"}; NULL
   if the result has none. */
json_t *places_json(const struct outcome *outcome);

/* The files of the load: names, and which bytes of the load are theirs. */
json_t *places_files_json(const struct outcome *outcome);

#endif

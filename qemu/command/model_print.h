/* SPDX-License-Identifier: Apache-2.0 */
/* What `quincunx model` prints on stdout, for people or as JSON. Workers count
   from 1 there, as they come in the file. */
#ifndef QEMU_COMMAND_MODEL_PRINT_H
#define QEMU_COMMAND_MODEL_PRINT_H

#include "qemu/theory/farm.h"
#include "qemu/theory/masters.h"

#include "qemu/theory/results.h"
#include "qemu/theory/star.h"

void model_print_star(const struct theory_star_plan *plan,
                      const struct theory_star *star, bool json);

/* The results of so many workers. */
void model_print_results(const struct theory_results *results, size_t workers,
                         quad load, bool json);

/* `given`: the factor is the user's, not one that was computed as a double. */
void model_print_farm(const struct theory_farm *farm, quad load, quad factor,
                      bool given, bool json);

void model_print_masters(const struct theory_masters *masters, bool json);

#endif

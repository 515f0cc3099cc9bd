/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what `quincunx model` has computed on stdout, as text or JSON. Workers
   have the numbers 1, 2 .. in the order of the file. */
#ifndef QEMU_COMMAND_MODEL_PRINT_H
#define QEMU_COMMAND_MODEL_PRINT_H

#include "qemu/theory/farm.h"
#include "qemu/theory/masters.h"

#include "qemu/theory/results.h"
#include "qemu/theory/star.h"

void model_print_star(const struct theory_star_plan *plan,
                      const struct theory_star *star, bool json);

/* Prints the best plans for a star whose results return, with `workers`
   workers. */
void model_print_results(const struct theory_results *results, size_t workers,
                         quad load, bool json);

/* Prints a farm's plan. `given` is true if the user gave the factor. */
void model_print_farm(const struct theory_farm *farm, quad load, quad factor,
                      bool given, bool json);

void model_print_masters(const struct theory_masters *masters, bool json);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What `quincunx model` prints on stdout, for people or as JSON. Workers count
   from 1 there, as they come in the file. */
#ifndef QEMU_COMMAND_MODEL_PRINT_H
#define QEMU_COMMAND_MODEL_PRINT_H

#include "qemu/papers/farm.h"
#include "qemu/papers/masters.h"
#include "qemu/papers/plan.h"
#include "qemu/papers/results.h"

void model_print_star(const struct papers_plan *plan,
                      const struct papers_star *star, bool json);

/* The results of so many workers. */
void model_print_results(struct papers_results *results, size_t workers,
                         mpq_srcptr load, bool json);

/* `given`: the factor is the user's, not one that was computed as a double. */
void model_print_farm(struct papers_farm *farm, mpq_srcptr load,
                      mpq_srcptr factor, bool given, bool json);

void model_print_masters(struct papers_masters *masters, bool json);

#endif

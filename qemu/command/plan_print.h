/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a plan on stdout for `quincunx plan`: a table, or one JSON object. */
#ifndef QEMU_COMMAND_PLAN_PRINT_H
#define QEMU_COMMAND_PLAN_PRINT_H

#include "hal/nodiscard.h"
#include "qemu/command/plan_solve.h"

/* `nodes`: NULL, or the share of every node, row by row. Cost: O(nodes). The
   JSON has every round, the table their sums. Result of the JSON: 0, or
   EXIT_FAILED after a message if a number is infinite. */
NODISCARD int plan_print_json(const struct plan_solved *solved,
                              const struct theory_node *nodes,
                              const struct plan_options *options);
void plan_print_table(const struct plan_solved *solved,
                      const struct theory_node *nodes,
                      const struct plan_options *options);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a plan on stdout for `quincunx plan`: a table, or one JSON object. */
#ifndef QEMU_COMMAND_PLAN_PRINT_H
#define QEMU_COMMAND_PLAN_PRINT_H

#include "hal/nodiscard.h"
#include "qemu/model/similar.h"
#include "qemu/options/plan.h"

/* How the results of several rounds return. */
struct plan_returns {
    uint64_t after_ps; /* after the makespan, when all is computed */
    bool meanwhile;    /* with the makespan: while later rounds are computed */
};

/* `nodes`: NULL, or the share of every node, row by row; `similar`: similar
   rounds beside the plan, or 0 rounds; `returns`: neither, of one round and
   without results. Cost: O(nodes). The JSON has every
   round, the table their sums. Result of the JSON: 0, or EXIT_FAILED after a
   message if a number is infinite. */
NODISCARD int plan_print_json(const struct model_plan *plan,
                              const struct model_detail *detail,
                              const struct model_similar *similar,
                              const struct model_node *nodes,
                              const struct plan_returns *returns,
                              const struct plan_options *options);
void plan_print_table(const struct model_plan *plan,
                      const struct model_similar *similar,
                      const struct model_node *nodes,
                      const struct plan_returns *returns,
                      const struct plan_options *options);

#endif

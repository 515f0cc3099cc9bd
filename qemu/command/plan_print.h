/* SPDX-License-Identifier: Apache-2.0 */
/* What `quincunx plan` prints on stdout: a table, or one JSON object. */
#ifndef QEMU_COMMAND_PLAN_PRINT_H
#define QEMU_COMMAND_PLAN_PRINT_H

#include "qemu/options/plan.h"

/* `nodes` is NULL, or all shares by row. Cost: O(nodes). The JSON also tells of
   every round. */
void plan_print_json(const struct model_plan *plan,
                     const struct model_detail *detail,
                     const struct model_node *nodes,
                     const struct plan_options *options);
void plan_print_table(const struct model_plan *plan,
                      const struct model_node *nodes,
                      const struct plan_options *options);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Times, ps, that a board's software takes for planning, starting and sending.
   Each board defines boot_costs. */
#ifndef BOOT_COSTS_H
#define BOOT_COSTS_H

#include "scatter/engine/core.h"

/* Initializer for the costs of a board whose instructions take `ps` ps each.
   The other arguments initialize fields in which boards differ. */
#define BOOT_COSTS(ps, ...)                                                    \
    {                                                                          \
        .kernel_start_ps = 38 * (ps), .round_end_ps = 180 * (ps),              \
        .first_start_ps = 224 * (ps), .own_start_ps = 83 * (ps),               \
        .plan_rounds_ps = 5000 * (ps), .plan_tree_ps = 1600 * (ps),            \
        .try_rounds_ps = 300 * (ps), .result_queue_ps = 204 * (ps),            \
        .demand_ps = 550 * (ps), .plan_ps = 2200 * (ps),                       \
        .advance_ps = 5200 * (ps), .instruction_ps = (ps), __VA_ARGS__         \
    }

extern const struct scatter_costs boot_costs;

#endif

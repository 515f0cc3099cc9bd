/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

/* A native node counts only its kernel's instructions, at 32 ns each. */
const struct scatter_costs boot_costs = {.instruction_ps = 32000,
                                         .tree_sends = 768,
                                         .tree_holds = true,
                                         .plan_meanwhile = meanwhile_plan};

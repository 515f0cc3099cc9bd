/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

/* A native node runs inside the host command. Its time counts only the
   instructions of its kernel, at 32 ns each as on an emulated board. */
const struct scatter_costs boot_costs = {.instruction_ps = 32000,
                                         .tree_sends = 768,
                                         .tree_holds = true,
                                         .plan_meanwhile = meanwhile_plan};

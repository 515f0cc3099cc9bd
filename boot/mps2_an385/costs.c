/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

#define PS_PER_INSTRUCTION 32000u

const struct scatter_costs boot_costs =
    BOOT_COSTS(PS_PER_INSTRUCTION, .tree_sends = 768, .tree_holds = true);

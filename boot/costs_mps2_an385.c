/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

#define PS_PER_INSTRUCTION 32000u

/* Counted on the target; test/bench prints them beside these. */
const struct scatter_costs boot_costs = {
    .lead_ps = 280 * PS_PER_INSTRUCTION,
    .parse_ps = 139 * PS_PER_INSTRUCTION,
    .phase_ps = 199 * PS_PER_INSTRUCTION,
    .start_ps = 88 * PS_PER_INSTRUCTION,
    .merge_ps = 250 * PS_PER_INSTRUCTION,
    .round_ps = 195 * PS_PER_INSTRUCTION,
    .branch_ps = 76 * PS_PER_INSTRUCTION,
    .send_ps = 228 * PS_PER_INSTRUCTION,
    .again_ps = 158 * PS_PER_INSTRUCTION,
};

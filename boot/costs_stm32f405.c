/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

/* Of the same code as on mps2_an385, at 168 MHz and 1.3 cycles an instruction
   from flash: an estimate until a board was measured. */
#define PS_PER_INSTRUCTION 7700u

const struct scatter_costs boot_costs = {
    .lead_ps = 345 * PS_PER_INSTRUCTION,
    .parse_ps = 200 * PS_PER_INSTRUCTION,
    .phase_ps = 224 * PS_PER_INSTRUCTION,
    .start_ps = 98 * PS_PER_INSTRUCTION,
    .merge_ps = 250 * PS_PER_INSTRUCTION,
    .round_ps = 210 * PS_PER_INSTRUCTION,
    .branch_ps = 101 * PS_PER_INSTRUCTION,
    .send_ps = 176 * PS_PER_INSTRUCTION,
    .again_ps = 178 * PS_PER_INSTRUCTION,
};

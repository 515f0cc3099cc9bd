/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

#include "hal/window/window.h"

#define PS_PER_INSTRUCTION 32000u

/* Instructions as counted on the target (test/boards/test_mps2_an386.py): the
   compiler makes a few less than for the Cortex-M3. */
const struct scatter_costs boot_costs = {
    .first_send_ps = 237 * PS_PER_INSTRUCTION,
    .split_ps = WINDOW_ROW_PS,
    .round_start_ps = 112 * PS_PER_INSTRUCTION,
    .kernel_start_ps = 38 * PS_PER_INSTRUCTION,
    .round_end_ps = 180 * PS_PER_INSTRUCTION,
    .round_overhead_ps = 196 * PS_PER_INSTRUCTION,
    .first_start_ps = 224 * PS_PER_INSTRUCTION,
    .own_start_ps = 83 * PS_PER_INSTRUCTION,
    .plan_rounds_ps = 5000 * PS_PER_INSTRUCTION,
    .plan_tree_ps = 1600 * PS_PER_INSTRUCTION,
    .advance_ps = 5200 * PS_PER_INSTRUCTION,
    .try_rounds_ps = 300 * PS_PER_INSTRUCTION,
    .branch_split_ps = 124 * PS_PER_INSTRUCTION,
    .branch_queue_ps = 221 * PS_PER_INSTRUCTION,
    .result_merge_ps = 246 * PS_PER_INSTRUCTION,
    .result_queue_ps = 204 * PS_PER_INSTRUCTION,
    .demand_ps = 550 * PS_PER_INSTRUCTION,
    .plan_ps = 2200 * PS_PER_INSTRUCTION,
    .instruction_ps = PS_PER_INSTRUCTION,
    .tree_sends = 768,
    .tree_holds = true,
    .plan_meanwhile = meanwhile_plan,
};

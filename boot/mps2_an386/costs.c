/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

#include "hal/window/window.h"

#define PS_PER_INSTRUCTION 32000u

/* The code for a Cortex-M4 has a few instructions less than that for the
   Cortex-M3 of mps2_an385 (test/boards/test_mps2_an386.py). */
const struct scatter_costs boot_costs = BOOT_COSTS(
    PS_PER_INSTRUCTION, .first_send_ps = 237 * PS_PER_INSTRUCTION,
    .branch_split_ps = 124 * PS_PER_INSTRUCTION,
    .branch_queue_ps = 221 * PS_PER_INSTRUCTION,
    .result_merge_ps = 246 * PS_PER_INSTRUCTION, .split_ps = WINDOW_ROW_PS,
    .round_overhead_ps = 196 * PS_PER_INSTRUCTION,
    .round_start_ps = 112 * PS_PER_INSTRUCTION, .tree_sends = 768,
    .tree_holds = true, .plan_meanwhile = meanwhile_plan);

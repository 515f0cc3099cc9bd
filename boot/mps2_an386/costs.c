/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

#include "hal/window/window.h"

#define TIME(instructions) ((instructions)*32000u) /* ps */

/* A Cortex-M4 takes fewer instructions than a Cortex-M3. */
const struct scatter_costs boot_costs = BOOT_COSTS(
    TIME(1), .first_send_ps = TIME(237), .branch_split_ps = TIME(124),
    .branch_queue_ps = TIME(221), .result_merge_ps = TIME(246),
    .split_ps = WINDOW_ROW_PS, .round_overhead_ps = TIME(196),
    .round_start_ps = TIME(112), .tree_sends = 768, .tree_holds = true,
    .plan_meanwhile = meanwhile_plan);

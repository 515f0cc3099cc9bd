/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

/* An instruction takes 1.3 cycles from flash at 168 MHz; their numbers below
   are those of mps2_an385, whose code is compiled alike. By the model of the
   chip kernels take 1.14 to 2.03 (spin) cycles: so an originator measures its
   load, and plans by this value only if it has not measured. */
#define PS_PER_INSTRUCTION 7700u
/* Interrupts for a byte at a port take 105 cycles: `make bench B=chip`. */
#define PS_PER_PORT_BYTE 625000u

const struct scatter_costs boot_costs = BOOT_COSTS(
    PS_PER_INSTRUCTION, .first_send_ps = 240 * PS_PER_INSTRUCTION,
    .branch_split_ps = 126 * PS_PER_INSTRUCTION,
    .branch_queue_ps = 220 * PS_PER_INSTRUCTION,
    .result_merge_ps = 250 * PS_PER_INSTRUCTION,
    .split_ps = 79 * PS_PER_INSTRUCTION, .port_byte_ps = PS_PER_PORT_BYTE,
    .queue_ps = 94 * PS_PER_INSTRUCTION,
    .round_start_ps = 117 * PS_PER_INSTRUCTION,
    .round_overhead_ps = 85 * PS_PER_INSTRUCTION, .tree_sends = 24,
    .rounds_most = 1);

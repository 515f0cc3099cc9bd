/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

/* Time, ps, of instructions from flash: 1.3 cycles each at 168 MHz. The numbers
   below were counted on mps2_an385. */
#define TIME(instructions) ((instructions)*7700u)
/* Interrupts for a byte at a port take 105 cycles: `make bench B=chip`. */
#define PS_PER_PORT_BYTE 625000u

const struct scatter_costs boot_costs = BOOT_COSTS(
    TIME(1), .first_send_ps = TIME(240), .branch_split_ps = TIME(126),
    .branch_queue_ps = TIME(220), .result_merge_ps = TIME(250),
    .split_ps = TIME(79), .port_byte_ps = PS_PER_PORT_BYTE,
    .queue_ps = TIME(94), .round_start_ps = TIME(117),
    .round_overhead_ps = TIME(85), .tree_sends = 24, .rounds_most = 1);

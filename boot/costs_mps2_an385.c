/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/costs.h"

#define PS_PER_INSTRUCTION 32000u

/* Counted on the target; test/bench prints them beside these. */
const struct scatter_costs boot_costs = {
    .parse_ps = 200 * PS_PER_INSTRUCTION,
    .phase_ps = 300 * PS_PER_INSTRUCTION,
    .start_ps = 100 * PS_PER_INSTRUCTION,
    .merge_ps = 200 * PS_PER_INSTRUCTION,
};

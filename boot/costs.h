/* SPDX-License-Identifier: Apache-2.0 */
/* What this board's software costs: one definition for each board. */
#ifndef BOOT_COSTS_H
#define BOOT_COSTS_H

#include "scatter/engine/core.h"

/*
 * The initializer of a board on which an instruction takes so many ps: the
 * instructions are counted on the target (mps2_an385); test/bench prints what
 * a hop takes, parse and phase together.
 */
#define BOOT_COSTS(ps)                                                         \
    {                                                                          \
        .lead_ps = 345 * (ps), .parse_ps = 200 * (ps), .phase_ps = 224 * (ps), \
        .start_ps = 98 * (ps), .merge_ps = 250 * (ps), .round_ps = 210 * (ps), \
        .branch_ps = 126 * (ps), .send_ps = 197 * (ps), .again_ps = 178 * (ps) \
    }

extern const struct scatter_costs boot_costs;

#endif

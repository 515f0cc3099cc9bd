/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pattern in one round: how many units every layer gets so that all nodes
 * finish together. Blazewicz, Drozdowski, Guinand, Trystram 1999, equations (1)
 * to (5), with returned results (section 5); here layer 0 comes first:
 *
 *   v_0 = V            v_i = (v_{i-1} - g_i) / (5 + rho (1 + P/Q))
 *   a_i = v_i - 4 sum v_j (j > i)
 *
 *   V     units of the load                 N     number of phases
 *   v_i   volume: units a node of layer i receives for itself and its subtree
 *   a_i   share: units of v_i that the node keeps and computes
 *   rho   transfer_ps / compute_ps          g_i   startup_ps[i-1] / compute_ps
 *   P/Q   length of a unit's output / length of a unit
 *
 * Layer 0 is the originator. In phase i = 1 .. N every node of layers 0 to i-1
 * sends to four nodes of layer i: 5^i nodes then have load. v_i does not
 * depend on N: N is feasible if v_N >= 0, and the largest feasible N is the
 * best. Integers only, O(N), a fixed number of divisions.
 */
#ifndef SCATTER_PLAN_ONE_ROUND_H
#define SCATTER_PLAN_ONE_ROUND_H

#include "hal/nodiscard.h"
#include "scatter/plan/job.h"

struct planner_plan {
    uint8_t phases;       /* number N of phases */
    uint64_t makespan_ps; /* time of the originator's share: a_0 * compute_ps */
    /* Volume v_i and share a_i of a node of layer i = 0 .. N, rounded down. */
    uint32_t volume_units[PLANNER_PHASES_MAX + 1];
    uint32_t share_units[PLANNER_PHASES_MAX + 1];
};

/*
 * Plans the largest feasible number of phases, job->phases at most. Reads the
 * first job->phases elements of startup_ps[]. Returns ERR_OK; ERR_EMPTY for a
 * load of no units; ERR_RANGE if a number of the job is out of range.
 *
 * The error of a volume is below 2^-27 unit, that of a share below 2^-20 unit,
 * before rounding down. Reentrant.
 */
NODISCARD int planner_plan(struct planner_plan *plan,
                           const struct plan_job *job);

#endif

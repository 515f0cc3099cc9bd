/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: tree_plan() on every tree of up to five nodes, with paths
 * that need not lead anywhere, and every input there is.
 */
#include "scatter/plan/tree_plan.h"
#include "test/prove/any.h"
#include "test/prove/branches.h"

#define WORK_WORDS 64u /* of what is no node's */

static void plan_any(const uint8_t shape[], bool by_depth, struct plan_job job)
{
    uint8_t tree[TREE_BRANCH_BYTES * NODES_MAX];
    uint64_t work[WORK_WORDS + 9 * NODES_MAX];
    uint64_t makespan_ps;
    unsigned phases;

    fill(tree, shape, by_depth);
    tree_plan(tree, &job, work, &makespan_ps, &phases);
}

static void plan_refused(void)
{
    struct plan_job good = any_job(TORUS_PORTS, false);
    struct plan_job job = good;

    job.load_units = 0;
    plan_any(shapes[0], true, job);
    job = good;
    job.compute_ps = 0;
    plan_any(shapes[0], true, job);
    job.compute_ps = PLANNER_TIME_MAX_PS + 1;
    plan_any(shapes[0], true, job);
    job = good;
    job.transfer_ps = PLANNER_TIME_MAX_PS + 1;
    plan_any(shapes[0], true, job);
    job = good;
    job.circuit_ps.startup = (uint64_t)1 << 36;
    plan_any(shapes[0], true, job);
    job = good;
    job.ports = 3;
    plan_any(shapes[0], true, job);
}

void prove_tree_plan(void)
{
    for (uint32_t i = 0; i < SHAPES; ++i) {
        for (uint8_t ports = 1; ports <= TORUS_PORTS; ports *= 2) {
            plan_any(shapes[i], true, any_job(ports, false));
            plan_any(shapes[i], false, any_job(ports, false));
            plan_any(shapes[i], true, any_job(ports, true));
        }
    }
    plan_refused();
    tree_work_bytes(any_u32(1, TREE_NODES_MAX));
}

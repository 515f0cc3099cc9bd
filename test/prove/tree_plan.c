/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: tree_plan() on every tree of up to five nodes, with paths
 * that need not lead anywhere, and every input there is.
 */
#include "scatter/plan/tree_plan.h"
#include "test/prove/any.h"
#include "test/prove/branches.h"

#define WORK_WORDS 64u /* of what is no node's */

static void plan_any(const uint8_t shape[], bool by_depth,
                     struct tree_input input)
{
    uint8_t tree[TREE_BRANCH_BYTES * NODES_MAX];
    uint64_t work[WORK_WORDS + 9 * NODES_MAX];
    uint64_t makespan_ps;
    unsigned phases;

    fill(tree, shape, by_depth);
    tree_plan(tree, &input, work, &makespan_ps, &phases);
}

static void plan_refused(void)
{
    struct tree_input good = any_input(TORUS_PORTS, false);
    struct tree_input input = good;

    input.load_units = 0;
    plan_any(shapes[0], true, input);
    input = good;
    input.compute_ps = 0;
    plan_any(shapes[0], true, input);
    input.compute_ps = PLANNER_TIME_MAX_PS + 1;
    plan_any(shapes[0], true, input);
    input = good;
    input.transfer_ps = PLANNER_TIME_MAX_PS + 1;
    plan_any(shapes[0], true, input);
    input = good;
    input.circuit_ps.startup = (uint64_t)1 << 36;
    plan_any(shapes[0], true, input);
    input = good;
    input.ports = 3;
    plan_any(shapes[0], true, input);
}

void prove_tree_plan(void)
{
    for (uint32_t i = 0; i < SHAPES; ++i) {
        for (uint8_t ports = 1; ports <= TORUS_PORTS; ports *= 2) {
            plan_any(shapes[i], true, any_input(ports, false));
            plan_any(shapes[i], false, any_input(ports, false));
            plan_any(shapes[i], true, any_input(ports, true));
        }
    }
    plan_refused();
    tree_work_bytes(any_u32(1, TREE_NODES_MAX));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any branches and costs, for the proofs of what plans along a tree. */
#ifndef TEST_PROVE_BRANCHES_H
#define TEST_PROVE_BRANCHES_H

#include "scatter/plan/tree_plan.h"
#include "test/prove/any.h"

#define NODES_MAX 5u

/* All trees of up to NODES_MAX nodes: the nodes of each subtree, in preorder.
 */
#define SHAPES 23u

static const uint8_t shapes[SHAPES][NODES_MAX] = {{1},
                                                  {2, 1},
                                                  {3, 1, 1},
                                                  {3, 2, 1},
                                                  {4, 1, 1, 1},
                                                  {4, 1, 2, 1},
                                                  {4, 2, 1, 1},
                                                  {4, 3, 1, 1},
                                                  {4, 3, 2, 1},
                                                  {5, 1, 1, 1, 1},
                                                  {5, 1, 1, 2, 1},
                                                  {5, 1, 2, 1, 1},
                                                  {5, 1, 3, 1, 1},
                                                  {5, 1, 3, 2, 1},
                                                  {5, 2, 1, 1, 1},
                                                  {5, 2, 1, 2, 1},
                                                  {5, 3, 1, 1, 1},
                                                  {5, 3, 2, 1, 1},
                                                  {5, 4, 1, 1, 1},
                                                  {5, 4, 1, 2, 1},
                                                  {5, 4, 2, 1, 1},
                                                  {5, 4, 3, 1, 1},
                                                  {5, 4, 3, 2, 1}};

/* A tree of one of these shapes; a branch's phase is its depth, or its place.
 */
static void fill(uint8_t tree[], const uint8_t shape[], bool by_depth)
{
    for (uint32_t i = 0; i < shape[0]; ++i) {
        uint8_t *branch = tree + TREE_BRANCH_BYTES * i;
        unsigned turn = any_u8(TORUS_STRAIGHT, TORUS_RIGHT);
        unsigned depth = 0;

        for (uint32_t above = 0; above < i; ++above) {
            depth += above + shape[above] > i;
        }
        bytes_store_u32(branch, any_u32(0, UINT32_MAX));
        bytes_store_u32(branch + 4, any_u32(0, UINT32_MAX));
        bytes_store_u16(branch + 8, shape[i]);
        branch[10] = (uint8_t)(any_u8(0, TORUS_PORTS - 1) | turn << 4);
        branch[11] = (uint8_t)(by_depth ? depth : i);
        bytes_store_u16(branch + 12, any_u16(0, UINT16_MAX));
        bytes_store_u16(branch + 14, any_u16(0, UINT16_MAX));
    }
}

static uint64_t any_cost(void)
{
    return any_u64(0, ((uint64_t)1 << 36) - 1);
}

static struct plan_job any_job(uint8_t ports, bool equal)
{
    return (struct plan_job){
        .load_units = any_u32(1, PLANNER_UNITS_MAX),
        .compute_ps = any_u64(1, PLANNER_TIME_MAX_PS),
        .transfer_ps = any_u64(0, PLANNER_TIME_MAX_PS),
        .circuit_ps = {any_cost(), any_cost(), any_cost()},
        .split_ps = any_cost(),
        .queue_ps = any_cost(),
        .start_ps = any_cost(),
        .begin_ps = any_cost(),
        .ports = ports,
        .store_and_forward = any_u8(0, 1) != 0,
        .equal = equal,
    };
}

#endif

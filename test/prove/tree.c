/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: tree_valid() on any bytes, and tree_plan() on any branches
 * with every input there is. That they are a tree is not assumed, only that
 * each of them is what tree_valid() wants and that the root knows how many
 * there are: from one to five. Sums of 128 bits are those of test/prove/wide.h.
 */
#include "scatter/plan/tree.h"
#include "test/prove/any.h"

#define NODES_MAX 5u
#define MEMO_WORDS 180u /* of what the plan works out once, and its state */

/* Branches that are as tree_valid() wants each of them to be. */
static void fill(uint8_t tree[], uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; ++i) {
        uint8_t *branch = tree + TREE_BRANCH_BYTES * i;
        unsigned turn = any_u8(TORUS_STRAIGHT, TORUS_RIGHT);

        bytes_store_u32(branch, any_u32(0, UINT32_MAX));
        bytes_store_u32(branch + 4, any_u32(0, UINT32_MAX));
        bytes_store_u16(branch + 8, any_u16(1, TREE_NODES_MAX));
        branch[10] = (uint8_t)(any_u8(0, TORUS_PORTS - 1) | turn << 4);
        branch[11] = any_u8(1, TREE_PHASES_MAX);
        bytes_store_u16(branch + 12, any_u16(0, UINT16_MAX));
        bytes_store_u16(branch + 14, any_u16(0, UINT16_MAX));
    }
    bytes_store_u16(tree + 8, (uint16_t)nodes);
    tree[11] = 0;
}

static uint64_t any_cost(void)
{
    return any_u64(0, ((uint64_t)1 << 36) - 1);
}

static struct tree_input any_input(uint8_t ports, bool equal)
{
    return (struct tree_input){
        .load_units = any_u32(1, PLANNER_UNITS_MAX),
        .compute_ps = any_u64(1, PLANNER_TIME_MAX_PS),
        .transfer_ps = any_u64(0, PLANNER_TIME_MAX_PS),
        .startup_ps = any_cost(),
        .hop_ps = any_cost(),
        .branch_ps = any_cost(),
        .split_ps = any_cost(),
        .queue_ps = any_cost(),
        .kernel_start_ps = any_cost(),
        .begin_ps = any_cost(),
        .ports = ports,
        .store_and_forward = any_u8(0, 1) != 0,
        .equal = equal,
    };
}

static void plan_any(uint32_t nodes, struct tree_input input)
{
    uint8_t tree[TREE_BRANCH_BYTES * NODES_MAX];
    uint64_t work[MEMO_WORDS + 7 * NODES_MAX];
    uint64_t makespan_ps;
    unsigned phases;

    fill(tree, nodes);
    tree_plan(tree, &input, work, &makespan_ps, &phases);
}

static void plan_refused(void)
{
    struct tree_input good = any_input(TORUS_PORTS, false);
    struct tree_input input = good;

    input.load_units = 0;
    plan_any(1, input);
    input = good;
    input.compute_ps = 0;
    plan_any(1, input);
    input.compute_ps = PLANNER_TIME_MAX_PS + 1;
    plan_any(1, input);
    input = good;
    input.transfer_ps = PLANNER_TIME_MAX_PS + 1;
    plan_any(1, input);
    input = good;
    input.startup_ps = (uint64_t)1 << 36;
    plan_any(1, input);
    input = good;
    input.ports = 3;
    plan_any(1, input);
}

static void validate_any(uint32_t bytes)
{
    uint8_t tree[TREE_BRANCH_BYTES * NODES_MAX];
    struct torus_size size = {any_u16(1, UINT16_MAX), any_u16(1, UINT16_MAX)};

    /*@ loop unroll 200; */
    for (uint32_t i = 0; i < sizeof tree; ++i) {
        tree[i] = any_u8(0, UINT8_MAX);
    }
    tree_valid(tree, bytes, size);
}

void prove_tree(void)
{
    for (uint32_t nodes = 1; nodes <= NODES_MAX; ++nodes) {
        for (uint8_t ports = 1; ports <= TORUS_PORTS; ports *= 2) {
            plan_any(nodes, any_input(ports, false));
            plan_any(nodes, any_input(ports, true));
        }
        validate_any(TREE_BRANCH_BYTES * nodes);
    }
    plan_refused();
    validate_any(0);
    validate_any(TREE_BRANCH_BYTES * NODES_MAX - 1);
    validate_any(TREE_BRANCH_BYTES * (TREE_NODES_MAX + 1));
    tree_work_bytes(any_u32(1, TREE_NODES_MAX));
}

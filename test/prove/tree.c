/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: tree_valid() on any bytes, and tree_cut() on every tree of
 * up to five nodes.
 */
#include "scatter/plan/tree.h"
#include "test/prove/any.h"
#include "test/prove/branches.h"

static void cut_any(const uint8_t shape[], bool by_depth)
{
    uint8_t tree[TREE_BRANCH_BYTES * NODES_MAX];

    fill(tree, shape, by_depth);
    for (unsigned last = tree_last_phase(tree); last > 0; --last) {
        tree_cut(tree, last - 1);
    }
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
    for (uint32_t i = 0; i < SHAPES; ++i) {
        cut_any(shapes[i], true);
        cut_any(shapes[i], false);
    }
    for (uint32_t nodes = 1; nodes <= NODES_MAX; ++nodes) {
        validate_any(TREE_BRANCH_BYTES * nodes);
    }
    validate_any(0);
    validate_any(TREE_BRANCH_BYTES * NODES_MAX - 1);
    validate_any(TREE_BRANCH_BYTES * (TREE_NODES_MAX + 1));
}

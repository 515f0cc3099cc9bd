/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/tree.h"

#include <string.h>

static bool branch_valid(const uint8_t *branch, unsigned phase_min,
                         struct torus_size size)
{
    return tree_nodes(branch) >= 1 && tree_phase(branch) >= phase_min &&
           tree_phase(branch) <= TREE_PHASES_MAX &&
           torus_path_valid(size, tree_path(branch));
}

bool tree_valid(const uint8_t *tree, uint32_t bytes, struct torus_size size)
{
    uint32_t nodes = bytes / TREE_BRANCH_BYTES;

    if (nodes == 0 || nodes > TREE_NODES_MAX ||
        bytes % TREE_BRANCH_BYTES != 0 || tree_nodes(tree) != nodes ||
        tree_phase(tree) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        const uint8_t *branch = tree + TREE_BRANCH_BYTES * i;
        uint32_t end = i + tree_nodes(branch);
        unsigned phase_min = tree_phase(branch) + 1u;
        uint32_t at = i + 1;

        while (at < end && end <= nodes) {
            const uint8_t *child = tree + TREE_BRANCH_BYTES * at;

            if (!branch_valid(child, phase_min, size)) {
                return false;
            }
            phase_min = tree_phase(child);
            at += tree_nodes(child);
        }
        if (at != end) {
            return false;
        }
    }
    return true;
}

unsigned tree_last_phase(const uint8_t *tree)
{
    uint32_t nodes = tree_nodes(tree);
    unsigned last = 0;

    for (uint32_t i = 0; i < nodes; ++i) {
        unsigned phase = tree_phase(tree + TREE_BRANCH_BYTES * i);

        last = phase > last ? phase : last;
    }
    return last;
}

void tree_cut(uint8_t *tree, unsigned last)
{
    uint32_t nodes = tree_nodes(tree);
    uint32_t to = 0;

    /* New index of each branch, kept in its word `units`. */
    for (uint32_t i = 0; i < nodes; ++i) {
        uint8_t *branch = tree + TREE_BRANCH_BYTES * i;

        bytes_store_u32(branch, to);
        to += tree_phase(branch) <= last;
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        const uint8_t *from = tree + TREE_BRANCH_BYTES * i;
        uint32_t place = tree_units(from);
        uint8_t *branch = tree + TREE_BRANCH_BYTES * place;
        uint32_t end = i + tree_nodes(from);
        uint32_t after = end < nodes ? tree_units(tree_next(from)) : to;

        if (tree_phase(from) <= last) {
            memmove(branch, from, TREE_BRANCH_BYTES);
            bytes_store_u16(branch + 8, (uint16_t)(after - place));
        }
    }
}

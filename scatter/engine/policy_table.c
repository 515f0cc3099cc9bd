/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/policy_table.h"

#include "scatter/engine/pattern_policy.h"
#include "scatter/engine/tree_policy.h"

#include <stddef.h>

static const struct policy *const policies[] = {
    [WIRE_PATTERN] = &pattern_policy,
    [WIRE_TREE] = &tree_policy,
    [WIRE_FARM] = &farm_policy,
};

const struct policy *policy_find(unsigned id)
{
    return id < sizeof policies / sizeof *policies ? policies[id] : NULL;
}

uint8_t policy_of_size(struct torus_size size)
{
    return torus_phases(size) >= 0 ? WIRE_PATTERN : WIRE_TREE;
}

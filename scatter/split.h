/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that divides a volume. Laminar rounding: a node that
 * received floor v_i or floor v_i + 1 units hands to every part (its own share
 * and the volumes of its children) the floor of the exact part, and what is
 * left, one unit each, to distinct parts: children first, in phase and port
 * order, itself last. Every part is then the floor of the exact one or one
 * more, and the sum over the mesh is exactly V.
 */
#ifndef SCATTER_SPLIT_H
#define SCATTER_SPLIT_H

#include "scatter/planner.h"
#include "torus/torus.h"

/*
 * Volumes of one node's children: child[phase] of the phases after its own
 * layer, `extra[phase]` of whose four get one unit more (the first ports).
 */
struct split {
    uint32_t own_units;
    uint32_t child_units[PLANNER_PHASES_MAX + 1]; /* index: phase */
    uint8_t extra[PLANNER_PHASES_MAX + 1];
};

/*
 * Divides `units` on a node of `layer`. Arrays as in struct planner_plan,
 * index: layer. Result: 0; ERR_PROTOCOL if `units` is not what such a node
 * receives. Cost: O(phases - layer).
 */
int split_volume(struct split *split, const uint32_t volume_units[],
                 const uint32_t share_units[], unsigned phases, unsigned layer,
                 uint32_t units);

/* Units of the child that phase `phase` reaches out of `port`. */
static inline uint32_t split_child_units(const struct split *split,
                                         unsigned phase, unsigned port)
{
    return split->child_units[phase] + (port < split->extra[phase]);
}

#endif

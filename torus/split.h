/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that divides a volume. Laminar rounding: a node that
 * received floor v_i or floor v_i + 1 units hands to every part (its own share
 * and the volumes of its children) the floor of the exact part, and what is
 * left, one unit each, to distinct parts: children first, in phase and port
 * order, itself last. Every part is then the floor of the exact one or one
 * more, and the sum over the mesh is exactly V.
 */
#ifndef TORUS_SPLIT_H
#define TORUS_SPLIT_H

#include "torus/torus.h"

/* How one node divides what it received. */
struct torus_split {
    const uint32_t *volume_units; /* the caller's table, not a copy */
    uint32_t share_units;
    uint32_t extra_units; /* number of first children with one unit more */
    uint32_t layer;
};

/*
 * Divides `units` on a node of `layer`. Arrays as in struct planner_plan,
 * index: layer; volume_units outlives the split. Result: whether `units` is
 * what such a node receives; if not, the split is as it was. Cost: O(phases -
 * layer).
 */
bool torus_split(struct torus_split *split, const uint32_t volume_units[],
                 const uint32_t share_units[], unsigned phases, unsigned layer,
                 uint32_t units);

/* How many of the four children of `phase` get one unit more: the first. */
static inline uint32_t torus_split_extra(const struct torus_split *split,
                                         unsigned phase)
{
    uint32_t before = TORUS_PORTS * (phase - split->layer - 1);

    if (split->extra_units <= before) {
        return 0;
    }
    return split->extra_units - before < TORUS_PORTS
               ? split->extra_units - before
               : (uint32_t)TORUS_PORTS;
}

/* Units of the child that phase `phase` reaches out of `port`. */
static inline uint32_t torus_split_child_units(const struct torus_split *split,
                                               unsigned phase, unsigned port)
{
    return split->volume_units[phase] +
           (port < torus_split_extra(split, phase));
}

#endif

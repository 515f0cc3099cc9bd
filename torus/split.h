/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Division of a volume among a node and its children (laminar rounding). A
 * plan has exact volumes and shares, which are fractions of units; its tables
 * hold their floors. A node that received the floor of its exact volume, or one
 * unit more, gives each part (its own share, each child's volume) the floor of
 * that part. The units that are left go to different parts, one each: to
 * children first, in order of phase and port, to its own share last. So every
 * part is its floor or one unit more, and all shares of the mesh add up to the
 * whole load.
 */
#ifndef TORUS_SPLIT_H
#define TORUS_SPLIT_H

#include "torus/torus.h"

/* The parts into which one node divides the units that it received. */
struct torus_split {
    const uint32_t *volume_units; /* the caller's table: units of a child, by
                                     the phase that reaches it */
    uint32_t share_units;         /* units that the node keeps */
    uint32_t extra_units; /* number of first children with one unit more */
    uint32_t layer;       /* phase in which the node was reached */
};

/*
 * Divides the `units` that a node of `layer` received. volume_units[] and
 * share_units[] have the floors of a node's volume and share by its layer, 0 to
 * `phases`; volume_units[] must outlive the split. Returns false, and leaves
 * the split alone, if `units` is not what a node of this layer receives. Cost:
 * O(phases - layer).
 */
bool torus_split(struct torus_split *split, const uint32_t volume_units[],
                 const uint32_t share_units[], unsigned phases, unsigned layer,
                 uint32_t units);

/* Returns how many of the node's four children of `phase` get one unit more:
   those at the lowest ports. */
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

/* Returns the units of the child that `phase` reaches out of `port`. */
static inline uint32_t torus_split_child_units(const struct torus_split *split,
                                               unsigned phase, unsigned port)
{
    return split->volume_units[phase] +
           (port < torus_split_extra(split, phase));
}

/* Returns the units in front of those of that child, if the node's own share
   comes first in its range, then the children of phase N (`phases`) by port,
   then those of phase N - 1, and so on. */
uint32_t torus_split_child_at(const struct torus_split *split, unsigned phases,
                              unsigned phase, unsigned port);

#endif

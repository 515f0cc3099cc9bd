/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/scatter.h"

#include "qemu/schedule/spread.h"
#include "torus/pattern.h"

/* The circuits of torus/pattern.h. */
static void follow_pattern(struct schedule_circuit circuits[],
                           struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);

    for (uint32_t i = 1; i < nodes; ++i) {
        struct torus_role role = torus_role_of(size, (struct torus_coord){0, 0},
                                               torus_coord_of(size, i));

        circuits[i] = (struct schedule_circuit){
            torus_index(size, role.parent), role.layer,
            torus_phase_path(size, role.layer, (enum torus_port)role.port)};
    }
}

static bool fill_scatter(struct schedule_circuit circuits[],
                         struct torus_size size)
{
    if (torus_phases(size) >= 0) {
        follow_pattern(circuits, size);
        return true;
    }
    return size.width <= SCHEDULE_SIDE_MAX &&
           size.height <= SCHEDULE_SIDE_MAX &&
           schedule_spread(circuits, size) == 0;
}

int schedule_scatter(struct schedule_branch tree[], struct torus_size size,
                     struct torus_coord originator)
{
    return schedule_tree_grow(tree, size, originator, fill_scatter);
}

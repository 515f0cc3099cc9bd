/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/scatter.h"

#include "qemu/schedule/spread.h"
#include "torus/pattern.h"

#include <stdlib.h>

/* The scatter of torus/pattern.h. */
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

int schedule_scatter(struct schedule_branch tree[], struct torus_size size,
                     struct torus_coord originator)
{
    uint32_t nodes = torus_nodes(size);
    struct schedule_circuit *circuits;
    int phases = -1;

    if (nodes == 0 || nodes > SCHEDULE_NODES_MAX) {
        return -1;
    }
    circuits = calloc(nodes, sizeof *circuits);
    if (circuits == NULL) {
        return -1;
    }
    if (torus_phases(size) >= 0) {
        follow_pattern(circuits, size);
        phases = 0;
    } else if (size.width <= SCHEDULE_SIDE_MAX &&
               size.height <= SCHEDULE_SIDE_MAX) {
        phases = schedule_spread(circuits, size);
    }
    if (phases >= 0) {
        phases = schedule_tree_order(tree, size, originator, circuits);
    }
    free(circuits);
    return phases;
}

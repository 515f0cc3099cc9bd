/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/farm.h"

#include "qemu/schedule/baselines.h"
#include "qemu/schedule/scatter.h"
#include "scatter/plan/tree.h"

#include <stdlib.h>

int schedule_farm(struct schedule_branch tree[], struct torus_size size,
                  struct torus_coord originator)
{
    int phases = schedule_scatter(tree, size, originator);

    return phases >= 0 ? phases : schedule_nearest(tree, size, originator);
}

int schedule_farm_direct(uint8_t *stored, const struct schedule_branch tree[],
                         struct torus_size size, struct torus_coord originator)
{
    uint32_t nodes = torus_nodes(size);
    struct schedule_branch *star = calloc(nodes, sizeof *star);
    struct torus_path *path = calloc(nodes, sizeof *path);
    int error = -1;

    if (star != NULL && path != NULL &&
        schedule_star(star, size, originator) >= 0) {
        for (uint32_t i = 0; i < nodes; ++i) {
            path[torus_index(size, star[i].at)] = star[i].path;
        }
        for (uint32_t i = 0; i < nodes; ++i) {
            bytes_store_u32(
                stored + TREE_BRANCH_BYTES * i,
                tree_direct_pack(path[torus_index(size, tree[i].at)]));
        }
        error = 0;
    }
    free(star);
    free(path);
    return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/registry.h"

#include "qemu/schedule/baselines.h"
#include "qemu/schedule/farm.h"
#include "qemu/schedule/scatter.h"
#include "qemu/base/memory.h"
#include "scatter/plan/tree.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*make)(struct schedule_branch tree[], struct torus_size size,
                struct torus_coord originator);
    bool equal;
} schedules[SCHEDULES] = {
    [SCHEDULE_PETERS_SYSKA] = {"peters-syska", schedule_scatter, false},
    [SCHEDULE_EQUAL] = {"equal", schedule_scatter, true},
    [SCHEDULE_BINOMIAL] = {"binomial", schedule_binomial, true},
    [SCHEDULE_NEAREST] = {"nearest", schedule_nearest, false},
    [SCHEDULE_STAR] = {"star", schedule_star, false},
    [SCHEDULE_FARM] = {"farm", schedule_farm, false},
    [SCHEDULE_HYBRID] = {"hybrid", schedule_scatter, false},
};

const char *schedule_name(enum schedule schedule)
{
    return schedules[schedule].name;
}

int schedule_of(enum schedule *schedule, const char *name)
{
    for (unsigned i = 0; i < SCHEDULES; ++i) {
        if (strcmp(schedules[i].name, name) == 0) {
            *schedule = (enum schedule)i;
            return 0;
        }
    }
    return -1;
}

bool schedule_is_equal(enum schedule schedule)
{
    return schedules[schedule].equal;
}

static void store_branch(uint8_t *out, const struct schedule_branch *branch,
                         unsigned slow_shift)
{
    bytes_store_u32(out, 0);
    bytes_store_u32(out + 4, slow_shift);
    bytes_store_u16(out + 8, branch->nodes);
    out[10] = (uint8_t)(branch->path.port | branch->path.turn << 4);
    out[11] = (uint8_t)branch->phase;
    bytes_store_u16(out + 12, branch->path.hops);
    bytes_store_u16(out + 14, branch->path.hops_after);
}

/* The tree's branches as an order carries them, to be freed; NULL: the tree has
   no phases, or too many. */
static uint8_t *store_tree(const struct schedule_branch tree[], int phases,
                           struct torus_size size, const uint8_t *slow_shift)
{
    uint8_t *out;

    if (phases < 0 || phases > (int)TREE_PHASES_MAX) {
        return NULL;
    }
    out = memory_or_exit(malloc((size_t)tree[0].nodes * TREE_BRANCH_BYTES));
    for (uint32_t i = 0; i < tree[0].nodes; ++i) {
        unsigned shift =
            slow_shift != NULL ? slow_shift[torus_index(size, tree[i].at)] : 0;

        store_branch(out + TREE_BRANCH_BYTES * i, &tree[i], shift);
    }
    return out;
}

static struct schedule_branch *allocate_tree(struct torus_size size)
{
    return memory_or_exit(
        calloc(torus_nodes(size), sizeof(struct schedule_branch)));
}

uint8_t *schedule_tree(enum schedule schedule, struct torus_size size,
                       struct torus_coord originator, const uint8_t *slow_shift)
{
    struct schedule_branch *tree = allocate_tree(size);
    int phases = schedules[schedule].make(tree, size, originator);
    uint8_t *out = store_tree(tree, phases, size, slow_shift);

    if (out != NULL) {
        schedule_farm_direct(out, tree, size, originator);
    }
    free(tree);
    return out;
}

uint8_t *schedule_farm_tree(struct torus_size size,
                            struct torus_coord originator,
                            const uint8_t *slow_shift)
{
    struct schedule_branch *tree = allocate_tree(size);
    int phases = schedule_farm(tree, size, originator);
    uint8_t *out = store_tree(tree, phases, size, slow_shift);

    if (out != NULL) {
        schedule_farm_masters(out, tree, size);
    }
    free(tree);
    return out;
}

bool schedule_has_groups(enum schedule schedule)
{
    return schedule == SCHEDULE_STAR || schedule == SCHEDULE_FARM;
}

uint8_t *schedule_group_tree(enum schedule schedule, struct torus_size size,
                             struct torus_coord originator, const bool member[],
                             const uint8_t *slow_shift)
{
    struct schedule_branch *tree = allocate_tree(size);
    int phases = schedule_group_star(tree, size, originator, member);
    uint8_t *out = store_tree(tree, phases, size, slow_shift);

    for (uint32_t i = 1;
         out != NULL && schedule == SCHEDULE_FARM && i < tree[0].nodes; ++i) {
        bytes_store_u32(out + TREE_BRANCH_BYTES * i,
                        tree_direct_pack(tree[i].path));
    }
    free(tree);
    return out;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/registry.h"

#include "qemu/schedule/tree.h"
#include "qemu/base/memory.h"
#include "scatter/plan/tree.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    schedule_fill *fill; /* NULL: no tree of its own */
    bool equal;
} schedules[SCHEDULES] = {
    [SCHEDULE_PETERS_SYSKA] = {"peters-syska", schedule_scatter, false},
    [SCHEDULE_EQUAL] = {"equal", schedule_scatter, true},
    [SCHEDULE_BINOMIAL] = {"binomial", schedule_binomial, true},
    [SCHEDULE_NEAREST] = {"nearest", schedule_nearest, false},
    [SCHEDULE_STAR] = {"star", schedule_star, false},
    [SCHEDULE_FARM] = {"farm", schedule_farm, false},
    [SCHEDULE_HYBRID] = {"hybrid", NULL, false},
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

bool schedule_has_groups(enum schedule schedule)
{
    return schedule == SCHEDULE_STAR || schedule == SCHEDULE_FARM;
}

bool schedule_goes_around(enum schedule schedule)
{
    return schedules[schedule].fill == schedule_scatter ||
           schedules[schedule].fill == schedule_farm;
}

/* Stores the branches of a tree. Each branch also gets the path on which a
   farm's chunks come: that of the star from the originator. */
static uint8_t *store_tree(const struct schedule_branch tree[],
                           const struct schedule_nodes *to,
                           const struct schedule_circuit star[])
{
    uint8_t *stored =
        memory_or_exit(malloc((size_t)tree[0].nodes * TREE_BRANCH_BYTES));

    for (uint32_t i = 0; i < tree[0].nodes; ++i) {
        const struct schedule_branch *branch = &tree[i];
        uint8_t *out = stored + TREE_BRANCH_BYTES * i;
        uint32_t node = torus_index(to->size, branch->at);
        uint32_t away = torus_index(
            to->size, torus_away(to->size, to->originator, branch->at));

        bytes_store_u32(out, tree_direct_pack(star[away].path));
        bytes_store_u32(out + 4,
                        to->slow_shift != NULL ? to->slow_shift[node] : 0);
        bytes_store_u16(out + 8, branch->nodes);
        out[10] = (uint8_t)(branch->path.port | branch->path.turn << 4);
        out[11] = (uint8_t)branch->phase;
        bytes_store_u16(out + 12, branch->path.hops);
        bytes_store_u16(out + 14, branch->path.hops_after);
    }
    if (to->masters) {
        schedule_farm_masters(stored, tree, to->size, to->holes);
    }
    return stored;
}

/* Sets the circuits of a tree around holes, and those of a star. */
static bool fill_around(struct schedule_circuit circuits[],
                        struct schedule_circuit star[],
                        const struct schedule_nodes *to)
{
    struct schedule_holes *holes =
        schedule_holes_from(to->holes, to->originator);
    bool found;

    schedule_star_around(star, to->size, holes);
    for (uint32_t i = 1; i < torus_nodes(to->size); ++i) {
        uint32_t node =
            torus_index(to->size, torus_shift(to->size, to->originator,
                                              torus_coord_of(to->size, i)));

        holes->node[i] = holes->node[i] || (to->direct && star[i].phase == 0) ||
                         (to->member != NULL && !to->member[node]);
    }
    found = schedule_scatter_around(circuits, holes);
    schedule_holes_free(holes);
    return found;
}

/* Sets the circuits of a tree, and those of a star to the same nodes. */
static bool fill(struct schedule_circuit circuits[],
                 struct schedule_circuit star[], enum schedule schedule,
                 const struct schedule_nodes *to)
{
    if (to->holes != NULL) {
        return fill_around(circuits, star, to);
    }
    if (to->member != NULL) {
        schedule_group_star(circuits, to->size, to->originator, to->member);
        memcpy(star, circuits, torus_nodes(to->size) * sizeof *star);
        return true;
    }
    (void)schedule_star(star, to->size);
    return schedules[schedule].fill != NULL &&
           schedules[schedule].fill(circuits, to->size);
}

uint8_t *schedule_tree(enum schedule schedule, const struct schedule_nodes *to)
{
    uint32_t nodes = torus_nodes(to->size);
    struct schedule_circuit *circuits =
        memory_or_exit(calloc(nodes, sizeof *circuits));
    struct schedule_circuit *star = memory_or_exit(calloc(nodes, sizeof *star));
    struct schedule_branch *tree = memory_or_exit(calloc(nodes, sizeof *tree));
    uint8_t *stored = NULL;

    if (fill(circuits, star, schedule, to) &&
        schedule_tree_order(tree, to->size, to->originator, circuits) <=
            (int)TREE_PHASES_MAX) {
        stored = store_tree(tree, to, star);
    }
    free(tree);
    free(star);
    free(circuits);
    return stored;
}

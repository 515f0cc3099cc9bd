/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/registry.h"

#include "scatter/plan/tree.h"
#include "qemu/schedule/baselines.h"
#include "qemu/schedule/scatter.h"

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

/* A tree on its way from one order of children to the other. */
struct copy {
    const struct schedule_branch *tree;
    struct torus_size size;
    const uint8_t *slow_shift;
    uint8_t *out; /* where the next branch goes */
};

static void store_branch(struct copy *copy,
                         const struct schedule_branch *branch)
{
    uint32_t index = torus_index(copy->size, branch->at);
    uint8_t *out = copy->out;

    bytes_store_u32(out, 0);
    bytes_store_u32(out + 4, copy->slow_shift ? copy->slow_shift[index] : 0);
    bytes_store_u16(out + 8, branch->nodes);
    out[10] = (uint8_t)(branch->path.port | branch->path.turn << 4);
    out[11] = (uint8_t)branch->phase;
    bytes_store_u16(out + 12, branch->path.hops);
    bytes_store_u16(out + 14, branch->path.hops_after);
    copy->out += TREE_BRANCH_BYTES;
}

/*
 * Copies the subtree of node `index`, its children by rising phase, which
 * qemu/schedule/tree.h lists by falling phase. As deep as the tree has phases.
 */
static void copy_subtree(struct copy *copy, uint32_t index)
{
    const struct schedule_branch *tree = copy->tree;
    uint32_t end = schedule_tree_next(tree, index);
    unsigned last = 0;

    store_branch(copy, &tree[index]);
    for (;;) {
        unsigned next = UINT16_MAX;

        for (uint32_t at = index + 1; at < end;
             at = schedule_tree_next(tree, at)) {
            if (tree[at].phase > last && tree[at].phase < next) {
                next = tree[at].phase;
            }
        }
        if (next == UINT16_MAX) {
            return;
        }
        for (uint32_t at = index + 1; at < end;
             at = schedule_tree_next(tree, at)) {
            if (tree[at].phase == next) {
                copy_subtree(copy, at);
            }
        }
        last = next;
    }
}

uint8_t *schedule_tree(enum schedule schedule, struct torus_size size,
                       struct torus_coord originator, const uint8_t *slow_shift)
{
    uint32_t nodes = (uint32_t)size.width * size.height;
    struct schedule_branch *tree = calloc(nodes, sizeof *tree);
    uint8_t *out = malloc((size_t)nodes * TREE_BRANCH_BYTES);
    int phases = -1;

    if (tree != NULL && out != NULL) {
        phases = schedules[schedule].make(tree, size, originator);
    }
    if (phases < 0 || phases > (int)TREE_PHASES_MAX) {
        free(out);
        out = NULL;
    } else {
        struct copy copy = {tree, size, slow_shift, out};

        copy_subtree(&copy, 0);
    }
    free(tree);
    return out;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/tree_pairs.h"

#include "qemu/support/memory.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* One circuit's use of one link. */
struct use {
    uint32_t node; /* the receiver */
    uint32_t next; /* an earlier circuit's use of the same link, or NONE */
};

struct census {
    const struct schedule_branch *tree;
    struct torus_size size;
    uint32_t *parent;  /* of a node */
    uint32_t *seen;    /* by a node: the last one that it was paired with */
    uint32_t *on_link; /* the last use of a link, or NONE */
    struct use *uses;
    uint32_t use_count;
};

/* Whether `early` is over whenever the circuit to `late` is set up. */
static bool ordered(const struct census *census, uint32_t early, uint32_t late)
{
    const struct schedule_branch *tree = census->tree;

    /* Up from `late`, whose parent sent it out of some port. */
    for (; late != 0; late = census->parent[late]) {
        uint32_t sender = census->parent[late];

        if (early == sender || (census->parent[early] == sender &&
                                tree[early].path.port == tree[late].path.port &&
                                tree[early].phase < tree[late].phase)) {
            return true;
        }
    }
    return false;
}

/* Pairs the circuit with earlier ones on the link, then adds its own use. */
static void use_link(struct tree_pairs *pairs, struct census *census,
                     uint32_t node, uint32_t link)
{
    const struct schedule_branch *tree = census->tree;

    for (uint32_t use = census->on_link[link]; use != NONE;
         use = census->uses[use].next) {
        uint32_t early = census->uses[use].node;

        if (tree[early].phase < tree[node].phase &&
            census->seen[early] != node) {
            census->seen[early] = node;
            pairs->shared += 1;
            pairs->unordered += !ordered(census, early, node);
        }
    }
    census->uses[census->use_count] = (struct use){node, census->on_link[link]};
    census->on_link[link] = census->use_count++;
}

static void use_path(struct tree_pairs *pairs, struct census *census,
                     uint32_t node)
{
    struct torus_coord from = census->tree[census->parent[node]].at;
    uint32_t links[2 * TORUS_SIDE_MAX];
    size_t count = torus_path_links(census->size, from, census->tree[node].path,
                                    links, 2 * TORUS_SIDE_MAX);

    for (size_t i = 0; i < count; ++i) {
        use_link(pairs, census, node, links[i]);
    }
}

/* Result: the last phase. */
static unsigned find_parents(struct census *census)
{
    unsigned phases = 0;

    for (uint32_t node = 0; node < census->tree[0].nodes; ++node) {
        if (census->tree[node].phase > phases) {
            phases = census->tree[node].phase;
        }
        for (uint32_t child = node + 1;
             child < schedule_tree_next(census->tree, node);
             child = schedule_tree_next(census->tree, child)) {
            census->parent[child] = node;
        }
    }
    return phases;
}

static void count(struct tree_pairs *pairs, struct census *census)
{
    uint32_t nodes = census->tree[0].nodes;
    unsigned phases = find_parents(census);

    *pairs = (struct tree_pairs){0, 0};
    census->use_count = 0;
    for (uint32_t link = 0; link < 2 * nodes; ++link) {
        census->on_link[link] = NONE;
    }
    for (uint32_t node = 0; node < nodes; ++node) {
        census->seen[node] = NONE;
    }
    for (unsigned phase = 1; phase <= phases; ++phase) {
        for (uint32_t node = 1; node < nodes; ++node) {
            if (census->tree[node].phase == phase) {
                use_path(pairs, census, node);
            }
        }
    }
}

void tree_pairs_count(struct tree_pairs *pairs,
                      const struct schedule_branch tree[],
                      struct torus_size size)
{
    struct census census = {.tree = tree, .size = size};
    size_t nodes = tree[0].nodes;
    size_t hops = 0;

    for (uint32_t node = 1; node < nodes; ++node) {
        hops += torus_path_hops(tree[node].path);
    }
    census.parent = memory_or_exit(malloc(nodes * sizeof *census.parent));
    census.seen = memory_or_exit(malloc(nodes * sizeof *census.seen));
    census.on_link = memory_or_exit(malloc(2 * nodes * sizeof *census.on_link));
    census.uses = memory_or_exit(malloc((hops + 1) * sizeof *census.uses));
    count(pairs, &census);
    free(census.parent);
    free(census.seen);
    free(census.on_link);
    free(census.uses);
}

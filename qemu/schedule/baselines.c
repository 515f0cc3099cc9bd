/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/baselines.h"

#include "qemu/support/memory.h"

#include <stdlib.h>

/* ---- binomial ---- */

static bool fill_binomial(struct schedule_circuit circuits[],
                          struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);
    uint16_t phases = 0;

    while (1u << phases < nodes) {
        phases += 1;
    }
    for (uint32_t rank = 1; rank < nodes; ++rank) {
        uint16_t phase = phases;
        uint32_t from;
        struct torus_coord away;

        /* The lowest bit of a rank tells when it is reached. */
        while ((rank >> (phases - phase) & 1) == 0) {
            phase -= 1;
        }
        from = rank & (rank - 1);
        away = torus_away(size, torus_coord_of(size, from),
                          torus_coord_of(size, rank));
        circuits[rank] =
            (struct schedule_circuit){from, phase, torus_x_first(size, away)};
    }
    return true;
}

int schedule_binomial(struct schedule_branch tree[], struct torus_size size,
                      struct torus_coord originator)
{
    return schedule_tree_grow(tree, size, originator, fill_binomial);
}

/* ---- nearest ---- */

/*
 * Gives the node to the neighbour nearer to the originator that has the fewest
 * descendants, if that is another one than now. Result: whether it is.
 */
static bool nearest_move(struct schedule_circuit circuits[],
                         uint32_t descendants[], struct torus_size size,
                         uint32_t node, uint32_t hops)
{
    struct torus_coord at = torus_coord_of(size, node);
    struct schedule_circuit best = circuits[node];
    bool moved = false;

    if (best.phase != 0) {
        descendants[best.from] -= 1 + descendants[node];
    }
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        enum torus_port back = (enum torus_port)port;
        uint32_t from = torus_index(size, torus_step(size, at, back, 1));

        if (torus_hops(size, torus_coord_of(size, from)) + 1 == hops &&
            (best.phase == 0 || descendants[from] < descendants[best.from])) {
            best = (struct schedule_circuit){
                from,
                (uint16_t)hops,
                {.port = (uint8_t)torus_opposite(back), .hops = 1}};
            moved = true;
        }
    }
    circuits[node] = best;
    descendants[best.from] += 1 + descendants[node];
    return moved;
}

/* Gives nodes of a wave their parents, again and again until no node gains by
   another parent. */
static void fill_wave(struct schedule_circuit circuits[],
                      uint32_t descendants[], struct torus_size size,
                      uint32_t hops)
{
    uint32_t nodes = torus_nodes(size);
    bool moved;

    do {
        moved = false;
        for (uint32_t node = 1; node < nodes; ++node) {
            if (torus_hops(size, torus_coord_of(size, node)) == hops) {
                moved |= nearest_move(circuits, descendants, size, node, hops);
            }
        }
    } while (moved);
}

/* The farthest first: then all descendants of a node are known. */
static bool fill_nearest(struct schedule_circuit circuits[],
                         struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);
    uint32_t *descendants = memory_or_exit(calloc(nodes, sizeof *descendants));

    for (uint32_t hops = torus_hops_most(size); hops > 0; --hops) {
        fill_wave(circuits, descendants, size, hops);
    }
    free(descendants);
    return true;
}

int schedule_nearest(struct schedule_branch tree[], struct torus_size size,
                     struct torus_coord originator)
{
    return schedule_tree_grow(tree, size, originator, fill_nearest);
}

/* ---- star ---- */

static void add_ray(struct schedule_circuit circuits[], uint16_t queued[],
                    struct torus_size size, uint32_t node)
{
    struct torus_path best = {0};

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        struct torus_path path =
            torus_ray(size, torus_coord_of(size, node), (enum torus_port)port);

        if (path.hops > 0 &&
            (best.hops == 0 || queued[path.port] < queued[best.port])) {
            best = path;
        }
    }
    queued[best.port] = (uint16_t)(queued[best.port] + 1);
    circuits[node] = (struct schedule_circuit){0, queued[best.port], best};
}

bool schedule_star_fill(struct schedule_circuit circuits[],
                        struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);
    uint16_t queued[TORUS_PORTS] = {0};

    for (uint32_t hops = 1; hops <= torus_hops_most(size); ++hops) {
        for (uint32_t node = 1; node < nodes; ++node) {
            if (torus_hops(size, torus_coord_of(size, node)) == hops) {
                add_ray(circuits, queued, size, node);
            }
        }
    }
    return true;
}

int schedule_star(struct schedule_branch tree[], struct torus_size size,
                  struct torus_coord originator)
{
    return schedule_tree_grow(tree, size, originator, schedule_star_fill);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/baselines.h"

#include <stdlib.h>

/* A way along one side of the torus. */
struct leg {
    enum torus_port port;
    uint16_t hops;
};

/* The shorter way from `from` to `to`; half way around goes up. */
static struct leg shorter(uint16_t from, uint16_t to, uint16_t side,
                          enum torus_port up)
{
    uint16_t hops = (uint16_t)((to + side - from) % side);

    if (2 * hops > side) {
        return (struct leg){torus_opposite(up), (uint16_t)(side - hops)};
    }
    return (struct leg){up, hops};
}

static struct leg leg_x(struct torus_size size, struct torus_coord from,
                        struct torus_coord to)
{
    return shorter(from.x, to.x, size.width, TORUS_EAST);
}

static struct leg leg_y(struct torus_size size, struct torus_coord from,
                        struct torus_coord to)
{
    return shorter(from.y, to.y, size.height, TORUS_NORTH);
}

/* One leg, then the other; not both may be empty. */
static struct torus_path join(struct leg first, struct leg second)
{
    struct torus_path path = {.port = (uint8_t)first.port, .hops = first.hops};

    if (first.hops == 0) {
        path.port = (uint8_t)second.port;
        path.hops = second.hops;
    } else if (second.hops > 0) {
        path.turn = torus_after_turn(first.port, TORUS_LEFT) == second.port
                        ? TORUS_LEFT
                        : TORUS_RIGHT;
        path.hops_after = second.hops;
    }
    return path;
}

uint32_t schedule_hops(struct torus_size size, uint32_t node)
{
    struct torus_coord origin = {0, 0};
    struct torus_coord at = torus_coord_of(size, node);

    return (uint32_t)leg_x(size, origin, at).hops +
           leg_y(size, origin, at).hops;
}

uint32_t schedule_hops_most(struct torus_size size)
{
    return size.width / 2u + size.height / 2u;
}

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
        struct torus_coord ends[2];

        /* The lowest bit of a rank tells when it is reached. */
        while ((rank >> (phases - phase) & 1) == 0) {
            phase -= 1;
        }
        from = rank & (rank - 1);
        ends[0] = torus_coord_of(size, from);
        ends[1] = torus_coord_of(size, rank);
        circuits[rank] = (struct schedule_circuit){
            from, phase,
            join(leg_x(size, ends[0], ends[1]), leg_y(size, ends[0], ends[1]))};
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

        if (schedule_hops(size, from) + 1 == hops &&
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
            if (schedule_hops(size, node) == hops) {
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
    uint32_t *descendants = calloc(nodes, sizeof *descendants);

    if (descendants == NULL) {
        return false;
    }
    for (uint32_t hops = schedule_hops_most(size); hops > 0; --hops) {
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

struct torus_path schedule_ray(struct torus_size size, uint32_t node,
                               enum torus_port port)
{
    struct torus_coord origin = {0, 0};
    struct torus_coord at = torus_coord_of(size, node);
    bool along_x = port == TORUS_EAST || port == TORUS_WEST;
    uint16_t side = along_x ? size.width : size.height;
    struct leg x = leg_x(size, origin, at);
    struct leg y = leg_y(size, origin, at);
    struct leg first = along_x ? x : y;

    /* Half way around both directions are as short. */
    if (first.hops == 0 || (first.port != port && 2 * first.hops != side)) {
        return (struct torus_path){0};
    }
    first.port = port;
    return join(first, along_x ? y : x);
}

static void add_ray(struct schedule_circuit circuits[], uint16_t queued[],
                    struct torus_size size, uint32_t node)
{
    struct torus_path best = {0};

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        struct torus_path path =
            schedule_ray(size, node, (enum torus_port)port);

        if (path.hops > 0 &&
            (best.hops == 0 || queued[path.port] < queued[best.port])) {
            best = path;
        }
    }
    queued[best.port] = (uint16_t)(queued[best.port] + 1);
    circuits[node] = (struct schedule_circuit){0, queued[best.port], best};
}

static bool fill_star(struct schedule_circuit circuits[],
                      struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);
    uint16_t queued[TORUS_PORTS] = {0};

    for (uint32_t hops = 1; hops <= schedule_hops_most(size); ++hops) {
        for (uint32_t node = 1; node < nodes; ++node) {
            if (schedule_hops(size, node) == hops) {
                add_ray(circuits, queued, size, node);
            }
        }
    }
    return true;
}

int schedule_star(struct schedule_branch tree[], struct torus_size size,
                  struct torus_coord originator)
{
    return schedule_tree_grow(tree, size, originator, fill_star);
}

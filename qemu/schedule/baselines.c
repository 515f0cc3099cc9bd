/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/tree.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

/* ---- binomial ---- */

bool schedule_binomial(struct schedule_circuit circuits[],
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

        /* The lowest bit that is set in a node's rank tells its phase. */
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

/* ---- nearest ---- */

/* Makes the node a child of that neighbour which has the fewest descendants,
   among those that are nearer to the originator. Returns whether the parent has
   changed. */
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

/* Gives all nodes at `hops` hops from the originator a parent. Repeats that
   until no parent changes. */
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

/* Begins with the farthest nodes, because the number of a node's descendants
   must be known before its parent is chosen. */
bool schedule_nearest(struct schedule_circuit circuits[],
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

/* ---- star ---- */

static uint32_t *list_nearest(struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);
    uint32_t *list = memory_or_exit(malloc(nodes * sizeof *list));
    uint32_t count = 0;

    for (uint32_t hops = 0; hops <= torus_hops_most(size); ++hops) {
        for (uint32_t node = 0; node < nodes; ++node) {
            if (torus_hops(size, torus_coord_of(size, node)) == hops) {
                list[count++] = node;
            }
        }
    }
    return list;
}

static bool is_better(struct torus_path path, struct torus_path best,
                      const uint32_t queued[TORUS_PORTS])
{
    uint32_t hops = torus_path_hops(path);
    uint32_t best_hops = torus_path_hops(best);

    return best.hops == 0 || hops < best_hops ||
           (hops == best_hops && queued[path.port] < queued[best.port]);
}

struct torus_path schedule_shorter_queue(struct torus_size size,
                                         struct torus_coord from,
                                         struct torus_coord to,
                                         const uint32_t queued[TORUS_PORTS],
                                         const struct schedule_holes *holes)
{
    struct torus_coord away = torus_away(size, from, to);
    struct torus_path best = {0};

    /* The first leg out of `port`, the second one to one of its sides. */
    for (unsigned i = 0; i < 2 * TORUS_PORTS; ++i) {
        unsigned port = i / 2;
        unsigned side = (port + 1) % 2 + 2 * (i % 2);
        struct torus_path path =
            torus_way(size, away, (enum torus_port)port, (enum torus_port)side);

        if (path.hops > 0 && is_better(path, best, queued) &&
            schedule_holes_open(holes, from, path)) {
            best = path;
        }
    }
    return best;
}

void schedule_star_around(struct schedule_circuit circuits[],
                          struct torus_size size,
                          const struct schedule_holes *holes)
{
    static const struct torus_coord from;
    uint32_t nodes = torus_nodes(size);
    uint32_t *list = list_nearest(size);
    uint32_t queued[TORUS_PORTS] = {0};

    for (uint32_t i = 1; i < nodes; ++i) {
        struct torus_path path = schedule_shorter_queue(
            size, from, torus_coord_of(size, list[i]), queued, holes);

        if (path.hops > 0) {
            circuits[list[i]] = (struct schedule_circuit){
                0, (uint16_t)++queued[path.port], path};
        }
    }
    free(list);
}

bool schedule_star(struct schedule_circuit circuits[], struct torus_size size)
{
    schedule_star_around(circuits, size, NULL);
    return true;
}

/* ---- star to some nodes ---- */

#define NO_PORT TORUS_PORTS

/* The circuit from the originator to one member (a node that serves it), while
   its port is chosen. */
struct ray {
    uint8_t ports; /* bits of ports with a shortest path to the member */
    uint8_t port;  /* port that the circuit takes; NO_PORT: none yet */
};

struct rays {
    /* one ray for each node; .ports is 0 if it is no member */
    struct ray *ray;
    uint32_t queued[TORUS_PORTS];
    /* movable[a][b]: number of rays through port a that could use port b */
    uint32_t movable[TORUS_PORTS][TORUS_PORTS];
};

/* Adds `by`, 1 or -1, to queued[] and movable[] for the port of a ray. */
static void count_ray(struct rays *rays, const struct ray *ray, int by)
{
    rays->queued[ray->port] += (uint32_t)by;
    for (unsigned other = 0; other < TORUS_PORTS; ++other) {
        if (((unsigned)ray->ports >> other & 1u) != 0) {
            rays->movable[ray->port][other] += (uint32_t)by;
        }
    }
}

static void set_port(struct rays *rays, struct ray *ray, unsigned port)
{
    if (ray->port != NO_PORT) {
        count_ray(rays, ray, -1);
    }
    ray->port = (uint8_t)port;
    count_ray(rays, ray, 1);
}

/* Returns the port with the shortest queue that can take a new ray, directly or
   if other rays change their ports. If before[port] is NO_PORT, the new ray
   takes `port`. Otherwise a ray moves from before[port] to `port`, and
   before[port] must be asked for in the same way. */
static unsigned find_room(const struct rays *rays, const struct ray *ray,
                          unsigned before[TORUS_PORTS])
{
    unsigned found[TORUS_PORTS];
    unsigned count = 0;
    unsigned seen = ray->ports;
    unsigned best;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        before[port] = NO_PORT;
        if (((unsigned)ray->ports >> port & 1u) != 0) {
            found[count++] = port;
        }
    }
    best = found[0];
    for (unsigned i = 0; i < count; ++i) {
        unsigned from = found[i];

        best = rays->queued[from] < rays->queued[best] ? from : best;
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            if ((seen >> port & 1u) == 0 && rays->movable[from][port] > 0) {
                seen |= 1u << port;
                before[port] = from;
                found[count++] = port;
            }
        }
    }
    return best;
}

/* Moves a ray from one port to another; there must be one that can. */
static void move_ray(struct rays *rays, unsigned from, unsigned to)
{
    uint32_t node = 1;

    while (rays->ray[node].port != from ||
           ((unsigned)rays->ray[node].ports >> to & 1u) == 0) {
        node += 1;
    }
    set_port(rays, &rays->ray[node], to);
}

static void place_ray(struct rays *rays, struct ray *ray)
{
    unsigned before[TORUS_PORTS];
    unsigned port = find_room(rays, ray, before);

    while (before[port] != NO_PORT) {
        move_ray(rays, before[port], port);
        port = before[port];
    }
    set_port(rays, ray, port);
}

static struct ray *create_rays(struct torus_size size,
                               struct torus_coord originator,
                               const bool member[])
{
    uint32_t nodes = torus_nodes(size);
    struct ray *ray = memory_or_exit(calloc(nodes, sizeof *ray));

    for (uint32_t node = 1; node < nodes; ++node) {
        struct torus_coord away = torus_coord_of(size, node);
        struct torus_coord at = torus_shift(size, originator, away);

        ray[node].port = NO_PORT;
        for (unsigned port = 0;
             member[torus_index(size, at)] && port < TORUS_PORTS; ++port) {
            if (torus_ray(size, away, (enum torus_port)port).hops > 0) {
                ray[node].ports |= (uint8_t)(1u << port);
            }
        }
    }
    return ray;
}

void schedule_group_star(struct schedule_circuit circuits[],
                         struct torus_size size, struct torus_coord originator,
                         const bool member[])
{
    uint32_t nodes = torus_nodes(size);
    uint32_t *list = list_nearest(size);
    struct rays rays = {.ray = create_rays(size, originator, member)};
    uint32_t queued[TORUS_PORTS] = {0};

    for (uint32_t i = 1; i < nodes; ++i) {
        if (rays.ray[list[i]].ports != 0) {
            place_ray(&rays, &rays.ray[list[i]]);
        }
    }
    for (uint32_t i = 1; i < nodes; ++i) {
        unsigned port = rays.ray[list[i]].port;

        if (port != NO_PORT) {
            circuits[list[i]] = (struct schedule_circuit){
                0, (uint16_t)++queued[port],
                torus_ray(size, torus_coord_of(size, list[i]),
                          (enum torus_port)port)};
        }
    }
    free(list);
    free(rays.ray);
}

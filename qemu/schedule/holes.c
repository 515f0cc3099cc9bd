/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/schedule/holes.h"

#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct schedule_holes *schedule_holes_new(struct torus_size size)
{
    struct schedule_holes *holes = memory_or_exit(malloc(sizeof *holes));

    holes->size = size;
    holes->node = memory_or_exit(calloc(torus_nodes(size), 1));
    holes->link = memory_or_exit(calloc(torus_nodes(size), 2));
    return holes;
}

void schedule_holes_free(struct schedule_holes *holes)
{
    if (holes != NULL) {
        free(holes->node);
        free(holes->link);
        free(holes);
    }
}

void schedule_holes_add(struct schedule_holes *holes, struct torus_coord at,
                        bool relays)
{
    holes->node[torus_index(holes->size, at)] = true;
    for (unsigned port = 0; port < TORUS_PORTS && !relays; ++port) {
        holes->link[torus_link(holes->size, at, (enum torus_port)port)] = true;
    }
}

struct schedule_holes *schedule_holes_from(const struct schedule_holes *holes,
                                           struct torus_coord from)
{
    struct torus_size size = holes->size;
    struct schedule_holes *shifted = schedule_holes_new(size);

    for (uint32_t i = 0; i < torus_nodes(size); ++i) {
        uint32_t old =
            torus_index(size, torus_shift(size, from, torus_coord_of(size, i)));

        shifted->node[i] = holes->node[old];
        memcpy(&shifted->link[2 * i], &holes->link[2 * old], 2);
    }
    return shifted;
}

bool schedule_holes_open(const struct schedule_holes *holes,
                         struct torus_coord from, struct torus_path path)
{
    enum torus_port port = (enum torus_port)path.port;
    uint32_t hops = torus_path_hops(path);

    for (uint32_t hop = 0; holes != NULL && hop < hops; ++hop) {
        if (hop == path.hops) {
            port = torus_after_turn(port, (enum torus_turn)path.turn);
        }
        if (holes->link[torus_link(holes->size, from, port)]) {
            return false;
        }
        from = torus_step(holes->size, from, port, 1);
    }
    return true;
}

/* ---- reach ---- */

struct reach {
    const struct schedule_holes *holes;
    bool *reached;
    uint32_t *list; /* nodes in the order in which they are reached */
    uint32_t count;
};

/* Goes over the next link out of `port`, and adds the node behind it. Returns
   false if the link is dead. */
static bool go_on(struct reach *reach, struct torus_coord *at,
                  enum torus_port port)
{
    const struct schedule_holes *holes = reach->holes;
    uint32_t node;

    if (holes->link[torus_link(holes->size, *at, port)]) {
        return false;
    }
    *at = torus_step(holes->size, *at, port, 1);
    node = torus_index(holes->size, *at);
    if (!holes->node[node] && !reach->reached[node]) {
        reach->reached[node] = true;
        reach->list[reach->count++] = node;
    }
    return true;
}

/* Returns the most hops through a port that do not lead around the torus. */
static uint16_t hops_max(struct torus_size size, enum torus_port port)
{
    return (uint16_t)((port == TORUS_EAST || port == TORUS_WEST ? size.width
                                                                : size.height) -
                      1);
}

/* Adds all nodes to which open paths out of one port of a node lead. */
static void look_out(struct reach *reach, struct torus_coord from,
                     enum torus_port port)
{
    struct torus_size size = reach->holes->size;

    for (uint16_t hops = hops_max(size, port);
         hops > 0 && go_on(reach, &from, port); --hops) {
        for (unsigned turn = TORUS_LEFT; turn <= TORUS_RIGHT; ++turn) {
            enum torus_port side =
                torus_after_turn(port, (enum torus_turn)turn);
            struct torus_coord at = from;

            for (uint16_t after = hops_max(size, side);
                 after > 0 && go_on(reach, &at, side); --after) {
            }
        }
    }
}

uint32_t schedule_holes_reach(bool reached[],
                              const struct schedule_holes *holes)
{
    uint32_t nodes = torus_nodes(holes->size);
    struct reach reach = {.holes = holes, .reached = reached};

    memset(reached, 0, nodes);
    if (holes->node[0]) {
        return 0;
    }
    reach.list = memory_or_exit(malloc(nodes * sizeof *reach.list));
    reached[0] = true;
    reach.list[reach.count++] = 0;
    for (uint32_t i = 0; i < reach.count && reach.count < nodes; ++i) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            look_out(&reach, torus_coord_of(holes->size, reach.list[i]),
                     (enum torus_port)port);
        }
    }
    free(reach.list);
    return reach.count;
}

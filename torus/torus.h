/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Geometry of a two-dimensional torus: coordinates with wrap, links and
 * paths. x grows to the east, y to the north; both wrap. Everything here is a
 * pure function of its arguments: no state, safe in interrupt handlers.
 */
#ifndef TORUS_TORUS_H
#define TORUS_TORUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ports of a node, counterclockwise: the port to the left of p is p + 1. */
enum torus_port {
    TORUS_EAST,
    TORUS_NORTH,
    TORUS_WEST,
    TORUS_SOUTH,
    TORUS_PORTS
};

enum torus_turn {
    TORUS_STRAIGHT,
    TORUS_LEFT,
    TORUS_RIGHT
};

/* Width and height in nodes, each 1 to TORUS_SIDE_MAX. */
#define TORUS_SIDE_MAX 3125u

struct torus_size {
    uint16_t width;
    uint16_t height;
};

/* A node: x < width, y < height. */
struct torus_coord {
    uint16_t x;
    uint16_t y;
};

/*
 * A circuit's way: `hops` links out of `port`; then, unless `turn` is
 * TORUS_STRAIGHT, `hops_after` links out of the port to the left or right.
 */
struct torus_path {
    uint8_t port;
    uint8_t turn;
    uint16_t hops;
    uint16_t hops_after;
};

static inline uint32_t torus_nodes(struct torus_size size)
{
    return (uint32_t)size.width * size.height;
}

/* Row-major index of a node, 0 to torus_nodes(size) - 1, and its inverse. */
uint32_t torus_index(struct torus_size size, struct torus_coord at);
struct torus_coord torus_coord_of(struct torus_size size, uint32_t index);

/* "east", "north", "west", "south" */
extern const char torus_port_names[TORUS_PORTS][6];

/* The port across the node: where a message sent out of `port` comes in. */
enum torus_port torus_opposite(enum torus_port port);

/* The port out of which a path leaves after its turn. */
enum torus_port torus_after_turn(enum torus_port port, enum torus_turn turn);

/* The node `hops` links out of `port` from `at`; hops <= TORUS_SIDE_MAX. */
struct torus_coord torus_step(struct torus_size size, struct torus_coord at,
                              enum torus_port port, uint32_t hops);

/*
 * A shortest path with at most one turn, to the node that lies `away` from its
 * start: x to the east, y to the north, each from 0 and below the side, not
 * {0, 0}. Every turn is to the left, so the nodes around the start fall into
 * four quarters, one for each port, and paths out of different ports share no
 * link. On odd sides the quarters have equally many nodes. A node half way
 * around is reached by going east or north.
 */
struct torus_path torus_direct(struct torus_size size, struct torus_coord away);

/* Links on the path: its hop count d in the models. */
uint32_t torus_path_hops(struct torus_path path);

/* Whether every field is in range: port, turn, 1 <= hops <= side. */
bool torus_path_valid(struct torus_size size, struct torus_path path);

/* The node at which the path ends when it starts at `from`. */
struct torus_coord torus_path_end(struct torus_size size,
                                  struct torus_coord from,
                                  struct torus_path path);

/* The port at which the message arrives at the path's end. */
enum torus_port torus_path_arrival(struct torus_path path);

/* The same links walked from the end back to the start. */
struct torus_path torus_path_reverse(struct torus_path path);

/*
 * A link is undirected and is named by the node on its west or south end:
 * link 2 * index + 0 goes east from it, 2 * index + 1 north. There are
 * 2 * width * height of them (on sides of 1 or 2 some join the same pair).
 */
uint32_t torus_link(struct torus_size size, struct torus_coord at,
                    enum torus_port port);

/*
 * Writes the links of the path from `from`, in order, to links[0 .. capacity);
 * returns how many the path has (links beyond the capacity are not written).
 */
size_t torus_path_links(struct torus_size size, struct torus_coord from,
                        struct torus_path path, uint32_t links[],
                        size_t capacity);

#endif

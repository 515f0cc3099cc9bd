/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Geometry of a two-dimensional torus: coordinates, links and paths. x grows
 * to the east, y to the north; both wrap. All functions are pure: they keep no
 * state and are safe in interrupt handlers.
 */
#ifndef TORUS_TORUS_H
#define TORUS_TORUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ports of a node, counterclockwise: the port to the left of port p is
   (p + 1) % TORUS_PORTS. */
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

#define TORUS_SIDE_MAX 3125u

/* A torus's width and height, in nodes: each 1 to TORUS_SIDE_MAX. */
struct torus_size {
    uint16_t width;
    uint16_t height;
};

/* The coordinates of a node: x < width, y < height. */
struct torus_coord {
    uint16_t x;
    uint16_t y;
};

/*
 * The path of a circuit: `hops` links out of `port`; then, unless `turn` is
 * TORUS_STRAIGHT, `hops_after` links to the left or right of that direction.
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

/* Returns the number of the node at `at`, row by row from the south:
   0 to torus_nodes(size) - 1. torus_coord_of() is the inverse. */
uint32_t torus_index(struct torus_size size, struct torus_coord at);
struct torus_coord torus_coord_of(struct torus_size size, uint32_t index);

/* "east", "north", "west", "south" */
extern const char torus_port_names[TORUS_PORTS][6];

/* Returns the port on the opposite side of a node. A message that a node sends
   out of `port` comes in at that port of its neighbour. */
enum torus_port torus_opposite(enum torus_port port);

/* Returns the port out of which a path goes on after its turn, if it went out
   of `port` before. */
enum torus_port torus_after_turn(enum torus_port port, enum torus_turn turn);

/* Returns the node that lies `hops` links out of `port` from the node `at`;
   hops <= TORUS_SIDE_MAX. */
struct torus_coord torus_step(struct torus_size size, struct torus_coord at,
                              enum torus_port port, uint32_t hops);

/* Returns how far `to` lies from `from`, in hops east and north: away.x <
   width, away.y < height. torus_shift() is the inverse: the node that lies
   `away` from `from`. */
struct torus_coord torus_away(struct torus_size size, struct torus_coord from,
                              struct torus_coord to);
struct torus_coord torus_shift(struct torus_size size, struct torus_coord from,
                               struct torus_coord away);

/* Returns the fewest links to the node that lies `away` from the start, and
   their maximum over all nodes. */
uint32_t torus_hops(struct torus_size size, struct torus_coord away);
uint32_t torus_hops_most(struct torus_size size);

/* Returns the path to the node that lies `away`: out of `first`, then out of
   `second`, a port at a right angle; second's leg may be empty. Without hops if
   `first` has none: there is no such path. */
struct torus_path torus_way(struct torus_size size, struct torus_coord away,
                            enum torus_port first, enum torus_port second);

/* Returns a shortest path to the node that lies `away` out of `port`; without
   hops if there is none. A leg half way around after a turn goes east or
   north. */
struct torus_path torus_ray(struct torus_size size, struct torus_coord away,
                            enum torus_port port);

/* Returns the shortest path to the node that lies `away`: x first; half way
   around east or north. Without hops to the start itself. */
struct torus_path torus_x_first(struct torus_size size,
                                struct torus_coord away);

/*
 * Returns a shortest path with at most one turn to the node that lies away.x
 * hops east and away.y hops north of the start: 0 <= away.x < width, 0 <=
 * away.y < height, not {0, 0}. Every turn is to the left, so the nodes around
 * the start fall into four quarters, one for each port, and paths out of
 * different ports share no link. On odd sides the quarters have equally many
 * nodes. A node half way around is reached by going east or north.
 */
struct torus_path torus_direct(struct torus_size size, struct torus_coord away);

/* Returns the number of links of the path. */
uint32_t torus_path_hops(struct torus_path path);

/* Whether port and turn exist, and each leg has at least one hop and no more
   than the longer side of the torus. */
bool torus_path_valid(struct torus_size size, struct torus_path path);

/* Returns the node at which the path ends if it starts at `from`. */
struct torus_coord torus_path_end(struct torus_size size,
                                  struct torus_coord from,
                                  struct torus_path path);

/* Returns the port at which a message comes in at the path's last node. */
enum torus_port torus_path_arrival(struct torus_path path);

/* Returns the path over the same links from the end to the start. */
struct torus_path torus_path_reverse(struct torus_path path);

/* Returns the path to the same node by the other corner; of a straight path,
   the other way around its ring. */
struct torus_path torus_path_other(struct torus_size size,
                                   struct torus_path path);

/*
 * Returns the number of the link out of `port` of the node `at`. A link has no
 * direction: node i's link to the east has number 2 i, and its link to the
 * north 2 i + 1, so a torus has 2 * width * height links. (On sides of 1 or 2
 * several links join the same two nodes.)
 */
uint32_t torus_link(struct torus_size size, struct torus_coord at,
                    enum torus_port port);

/*
 * Writes the numbers of the path's links to links[], in the order of a walk
 * from the node `from`, at most `capacity` of them. Returns the number of links
 * of the whole path.
 */
size_t torus_path_links(struct torus_size size, struct torus_coord from,
                        struct torus_path path, uint32_t links[],
                        size_t capacity);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "torus/torus.h"

const char torus_port_names[TORUS_PORTS][6] = {"east", "north", "west",
                                               "south"};

uint32_t torus_index(struct torus_size size, struct torus_coord at)
{
    return (uint32_t)at.y * size.width + at.x;
}

struct torus_coord torus_coord_of(struct torus_size size, uint32_t index)
{
    return (struct torus_coord){(uint16_t)(index % size.width),
                                (uint16_t)(index / size.width)};
}

enum torus_port torus_opposite(enum torus_port port)
{
    return (enum torus_port)(((unsigned)port + 2u) % TORUS_PORTS);
}

enum torus_port torus_after_turn(enum torus_port port, enum torus_turn turn)
{
    static const uint8_t quarter_turns[] = {
        [TORUS_STRAIGHT] = 0, [TORUS_LEFT] = 1, [TORUS_RIGHT] = 3};

    return (enum torus_port)(((unsigned)port + quarter_turns[turn]) %
                             TORUS_PORTS);
}

/* Returns the coordinate `hops` above `at`, or below it unless `up`, modulo
   `side`. */
static uint16_t shift(uint16_t at, uint32_t hops, uint16_t side, bool up)
{
    uint32_t away = hops % side;

    return (uint16_t)((up ? at + away : at + side - away) % side);
}

struct torus_coord torus_step(struct torus_size size, struct torus_coord at,
                              enum torus_port port, uint32_t hops)
{
    if (port == TORUS_EAST || port == TORUS_WEST) {
        at.x = shift(at.x, hops, size.width, port == TORUS_EAST);
    } else {
        at.y = shift(at.y, hops, size.height, port == TORUS_NORTH);
    }
    return at;
}

struct torus_coord torus_away(struct torus_size size, struct torus_coord from,
                              struct torus_coord to)
{
    return (struct torus_coord){shift(to.x, from.x, size.width, false),
                                shift(to.y, from.y, size.height, false)};
}

struct torus_coord torus_shift(struct torus_size size, struct torus_coord from,
                               struct torus_coord away)
{
    return (struct torus_coord){shift(from.x, away.x, size.width, true),
                                shift(from.y, away.y, size.height, true)};
}

uint32_t torus_hops_most(struct torus_size size)
{
    return size.width / 2u + size.height / 2u;
}

struct torus_path torus_way(struct torus_size size, struct torus_coord away,
                            enum torus_port first, enum torus_port second)
{
    const uint16_t hops[TORUS_PORTS] = {away.x, away.y,
                                        shift(0, away.x, size.width, false),
                                        shift(0, away.y, size.height, false)};
    struct torus_path path = {.port = (uint8_t)first, .hops = hops[first]};

    if (hops[first] > 0 && hops[second] > 0) {
        path.turn = torus_after_turn(first, TORUS_LEFT) == second ? TORUS_LEFT
                                                                  : TORUS_RIGHT;
        path.hops_after = hops[second];
    }
    return path;
}

/* Returns the hops of the shorter way to a coordinate that lies `away` hops up,
   modulo `side`: positive up, negative down. */
static int32_t steps(uint16_t away, uint16_t side)
{
    return away > side / 2u ? (int32_t)away - side : away;
}

uint32_t torus_hops(struct torus_size size, struct torus_coord away)
{
    int32_t x = steps(away.x, size.width);
    int32_t y = steps(away.y, size.height);

    return (uint32_t)((x < 0 ? -x : x) + (y < 0 ? -y : y));
}

/* Returns the port at a right angle to `port` out of which the shorter way
   goes. */
static enum torus_port shorter_turn(struct torus_size size,
                                    struct torus_coord away,
                                    enum torus_port port)
{
    if (port == TORUS_NORTH || port == TORUS_SOUTH) {
        return steps(away.x, size.width) < 0 ? TORUS_WEST : TORUS_EAST;
    }
    return steps(away.y, size.height) < 0 ? TORUS_SOUTH : TORUS_NORTH;
}

struct torus_path torus_ray(struct torus_size size, struct torus_coord away,
                            enum torus_port port)
{
    struct torus_path path =
        torus_way(size, away, port, shorter_turn(size, away, port));

    if (torus_path_hops(path) > torus_hops(size, away)) {
        path.hops = 0;
    }
    return path;
}

struct torus_path torus_x_first(struct torus_size size, struct torus_coord away)
{
    enum torus_port x = shorter_turn(size, away, TORUS_NORTH);
    struct torus_path path = torus_ray(size, away, x);

    return path.hops > 0 ? path
                         : torus_ray(size, away, shorter_turn(size, away, x));
}

struct torus_path torus_direct(struct torus_size size, struct torus_coord away)
{
    int32_t ahead = steps(away.x, size.width);
    int32_t left = steps(away.y, size.height);
    unsigned port = TORUS_EAST;

    /* Turns by 90 degrees until the node lies ahead of the port, and not to the
       right. */
    while (ahead <= 0 || left < 0) {
        int32_t turned = left;

        left = -ahead;
        ahead = turned;
        port += 1;
    }
    return (struct torus_path){.port = (uint8_t)port,
                               .turn = left > 0 ? TORUS_LEFT : TORUS_STRAIGHT,
                               .hops = (uint16_t)ahead,
                               .hops_after = (uint16_t)left};
}

uint32_t torus_path_hops(struct torus_path path)
{
    return (uint32_t)path.hops +
           (path.turn == TORUS_STRAIGHT ? 0u : path.hops_after);
}

bool torus_path_valid(struct torus_size size, struct torus_path path)
{
    uint16_t side = size.width > size.height ? size.width : size.height;

    if (path.port >= TORUS_PORTS || path.turn > TORUS_RIGHT) {
        return false;
    }
    if (path.hops == 0 || path.hops > side) {
        return false;
    }
    return path.turn == TORUS_STRAIGHT ||
           (path.hops_after > 0 && path.hops_after <= side);
}

struct torus_coord torus_path_end(struct torus_size size,
                                  struct torus_coord from,
                                  struct torus_path path)
{
    enum torus_port port = (enum torus_port)path.port;
    enum torus_turn turn = (enum torus_turn)path.turn;
    struct torus_coord at = torus_step(size, from, port, path.hops);

    if (turn != TORUS_STRAIGHT) {
        at =
            torus_step(size, at, torus_after_turn(port, turn), path.hops_after);
    }
    return at;
}

enum torus_port torus_path_arrival(struct torus_path path)
{
    return torus_opposite(torus_after_turn((enum torus_port)path.port,
                                           (enum torus_turn)path.turn));
}

struct torus_path torus_path_reverse(struct torus_path path)
{
    struct torus_path back = {.port = (uint8_t)torus_path_arrival(path),
                              .turn = path.turn,
                              .hops = path.hops};

    /* A left turn is a right turn on the way back. */
    if (path.turn != TORUS_STRAIGHT) {
        back.turn = path.turn == TORUS_LEFT ? TORUS_RIGHT : TORUS_LEFT;
        back.hops = path.hops_after;
        back.hops_after = path.hops;
    }
    return back;
}

struct torus_path torus_path_other(struct torus_size size,
                                   struct torus_path path)
{
    enum torus_port port = (enum torus_port)path.port;
    enum torus_turn turn = (enum torus_turn)path.turn;
    bool across = port == TORUS_EAST || port == TORUS_WEST;
    unsigned side = across ? size.width : size.height;

    if (turn == TORUS_STRAIGHT) {
        return (struct torus_path){.port = (uint8_t)torus_opposite(port),
                                   .turn = TORUS_STRAIGHT,
                                   .hops = (uint16_t)(side - path.hops)};
    }
    return (struct torus_path){.port = (uint8_t)torus_after_turn(port, turn),
                               .turn = turn == TORUS_LEFT ? TORUS_RIGHT
                                                          : TORUS_LEFT,
                               .hops = path.hops_after,
                               .hops_after = path.hops};
}

uint32_t torus_link(struct torus_size size, struct torus_coord at,
                    enum torus_port port)
{
    if (port == TORUS_WEST || port == TORUS_SOUTH) {
        at = torus_step(size, at, port, 1);
    }
    return 2u * torus_index(size, at) +
           (port == TORUS_NORTH || port == TORUS_SOUTH);
}

size_t torus_path_links(struct torus_size size, struct torus_coord from,
                        struct torus_path path, uint32_t links[],
                        size_t capacity)
{
    enum torus_port port = (enum torus_port)path.port;
    uint32_t hops = torus_path_hops(path);

    for (uint32_t hop = 0; hop < hops; ++hop) {
        if (hop == path.hops) {
            port = torus_after_turn(port, (enum torus_turn)path.turn);
        }
        if (hop < capacity) {
            links[hop] = torus_link(size, from, port);
        }
        from = torus_step(size, from, port, 1);
    }
    return hops;
}

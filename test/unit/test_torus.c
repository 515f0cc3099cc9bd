/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"
#include "torus/torus.h"

/* Worlds in which wrap and neighbours coincide, oblong ones among them. */
static const struct torus_size worlds[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2},
                                           {3, 1}, {1, 3}, {2, 3}, {3, 3},
                                           {4, 3}, {5, 4}, {5, 5}};

#define WORLDS (sizeof worlds / sizeof worlds[0])

static bool same(struct torus_coord a, struct torus_coord b)
{
    return a.x == b.x && a.y == b.y;
}

/* One hop, by comparison at the edges instead of by remainders. */
static struct torus_coord hop(struct torus_size size, struct torus_coord at,
                              unsigned port)
{
    switch (port) {
    case TORUS_EAST:
        at.x = at.x + 1 == size.width ? 0 : (uint16_t)(at.x + 1);
        break;
    case TORUS_NORTH:
        at.y = at.y + 1 == size.height ? 0 : (uint16_t)(at.y + 1);
        break;
    case TORUS_WEST:
        at.x = (uint16_t)((at.x == 0 ? size.width : at.x) - 1);
        break;
    default:
        at.y = (uint16_t)((at.y == 0 ? size.height : at.y) - 1);
        break;
    }
    return at;
}

/* The number of paths that a world's exhaustive tests walk. */
static unsigned path_count(struct torus_size size)
{
    unsigned side = size.width > size.height ? size.width : size.height;

    return TORUS_PORTS * 3u * side * side;
}

static struct torus_path path_of(struct torus_size size, unsigned number)
{
    unsigned side = size.width > size.height ? size.width : size.height;
    struct torus_path path;

    path.port = (uint8_t)(number % TORUS_PORTS);
    number /= TORUS_PORTS;
    path.turn = (uint8_t)(number % 3);
    number /= 3;
    path.hops = (uint16_t)(1 + number % side);
    path.hops_after =
        (uint16_t)(path.turn == TORUS_STRAIGHT ? 0 : 1 + number / side);
    return path;
}

static void index_is_row_major_and_inverts(struct unit *unit)
{
    for (unsigned w = 0; w < WORLDS; ++w) {
        uint32_t expected = 0;

        for (uint16_t y = 0; y < worlds[w].height; ++y) {
            for (uint16_t x = 0; x < worlds[w].width; ++x) {
                struct torus_coord at = {x, y};

                CHECK_EQUAL(unit, torus_index(worlds[w], at), expected);
                CHECK(unit, same(torus_coord_of(worlds[w], expected), at));
                expected += 1;
            }
        }
    }
}

static void index_reaches_the_largest_torus(struct unit *unit)
{
    struct torus_size size = {TORUS_SIDE_MAX, TORUS_SIDE_MAX};
    struct torus_coord last = {TORUS_SIDE_MAX - 1, TORUS_SIDE_MAX - 1};

    CHECK_EQUAL(unit, torus_index(size, last), 9765624);
    CHECK(unit, same(torus_coord_of(size, 9765624), last));
    CHECK_EQUAL(unit, torus_link(size, last, TORUS_NORTH), 2 * 9765624 + 1);
}

static void ports_are_counterclockwise(struct unit *unit)
{
    CHECK_EQUAL(unit, torus_after_turn(TORUS_EAST, TORUS_LEFT), TORUS_NORTH);
    CHECK_EQUAL(unit, torus_after_turn(TORUS_NORTH, TORUS_LEFT), TORUS_WEST);
    CHECK_EQUAL(unit, torus_after_turn(TORUS_WEST, TORUS_LEFT), TORUS_SOUTH);
    CHECK_EQUAL(unit, torus_after_turn(TORUS_SOUTH, TORUS_LEFT), TORUS_EAST);
    CHECK_EQUAL(unit, torus_after_turn(TORUS_EAST, TORUS_RIGHT), TORUS_SOUTH);
    CHECK_EQUAL(unit, torus_opposite(TORUS_EAST), TORUS_WEST);
    CHECK_EQUAL(unit, torus_opposite(TORUS_SOUTH), TORUS_NORTH);
    for (unsigned i = 0; i < TORUS_PORTS; ++i) {
        enum torus_port port = (enum torus_port)i;
        enum torus_port left = torus_after_turn(port, TORUS_LEFT);

        CHECK_EQUAL(unit, torus_after_turn(port, TORUS_STRAIGHT), port);
        CHECK_EQUAL(unit, torus_after_turn(left, TORUS_RIGHT), port);
        CHECK_EQUAL(unit, torus_after_turn(left, TORUS_LEFT),
                    torus_opposite(port));
    }
}

static void steps_wrap_like_single_hops(struct unit *unit)
{
    for (unsigned w = 0; w < WORLDS; ++w) {
        uint32_t nodes = (uint32_t)worlds[w].width * worlds[w].height;

        for (uint32_t i = 0; i < TORUS_PORTS * nodes; ++i) {
            unsigned port = i % TORUS_PORTS;
            struct torus_coord from = torus_coord_of(worlds[w], i / 4);
            struct torus_coord at = from;

            for (uint32_t hops = 0; hops <= 11; ++hops) {
                CHECK(unit, same(torus_step(worlds[w], from,
                                            (enum torus_port)port, hops),
                                 at));
                at = hop(worlds[w], at, port);
            }
        }
    }
}

static void longest_step_wraps(struct unit *unit)
{
    struct torus_size size = {TORUS_SIDE_MAX, TORUS_SIDE_MAX};
    struct torus_coord at = {3124, 0};

    CHECK_EQUAL(unit, torus_step(size, at, TORUS_EAST, 3125).x, 3124);
    CHECK_EQUAL(unit, torus_step(size, at, TORUS_EAST, 3124).x, 3123);
    CHECK_EQUAL(unit, torus_step(size, at, TORUS_SOUTH, 3124).y, 1);
    CHECK_EQUAL(unit, torus_step(size, at, TORUS_WEST, 3125).x, 3124);
}

static void links_are_named_alike_from_both_ends(struct unit *unit)
{
    for (unsigned w = 0; w < WORLDS; ++w) {
        uint32_t nodes = (uint32_t)worlds[w].width * worlds[w].height;

        for (uint32_t i = 0; i < TORUS_PORTS * nodes; ++i) {
            enum torus_port port = (enum torus_port)(i % TORUS_PORTS);
            struct torus_coord at = torus_coord_of(worlds[w], i / 4);
            uint32_t link = torus_link(worlds[w], at, port);

            CHECK(unit, link < 2 * nodes);
            CHECK_EQUAL(unit, link % 2,
                        port == TORUS_NORTH || port == TORUS_SOUTH);
            CHECK_EQUAL(unit, link,
                        torus_link(worlds[w], hop(worlds[w], at, port),
                                   torus_opposite(port)));
            if (port == TORUS_EAST || port == TORUS_NORTH) {
                CHECK_EQUAL(unit, link / 2, i / 4);
            }
        }
    }
}

/* Every path of every small world: end, hop count, links, order. */
static void paths_walk_hop_by_hop(struct unit *unit)
{
    for (unsigned w = 0; w < WORLDS; ++w) {
        struct torus_size size = worlds[w];
        struct torus_coord from = {(uint16_t)(size.width - 1), 0};

        for (unsigned i = 0; i < path_count(size); ++i) {
            struct torus_path path = path_of(size, i);
            uint32_t links[16] = {0};
            struct torus_coord at = from;
            unsigned port = path.port;
            uint32_t hops = (uint32_t)path.hops + path.hops_after;

            CHECK(unit, torus_path_valid(size, path));
            CHECK_EQUAL(unit, torus_path_hops(path), hops);
            CHECK_EQUAL(unit, torus_path_links(size, from, path, links, 16),
                        hops);
            for (uint32_t n = 0; n < hops; ++n) {
                if (n == path.hops) {
                    port = (port + (path.turn == TORUS_LEFT ? 1 : 3)) % 4;
                }
                CHECK_EQUAL(unit, links[n],
                            torus_link(size, at, (enum torus_port)port));
                at = hop(size, at, port);
            }
            CHECK(unit, same(torus_path_end(size, from, path), at));
            CHECK_EQUAL(unit, torus_path_arrival(path), (port + 2) % 4);
        }
    }
}

static void reversed_paths_walk_the_same_links(struct unit *unit)
{
    for (unsigned w = 0; w < WORLDS; ++w) {
        struct torus_size size = worlds[w];
        struct torus_coord from = {0, (uint16_t)(size.height - 1)};

        for (unsigned i = 0; i < path_count(size); ++i) {
            struct torus_path path = path_of(size, i);
            struct torus_path back = torus_path_reverse(path);
            struct torus_path again = torus_path_reverse(back);
            struct torus_coord end = torus_path_end(size, from, path);
            uint32_t there[16] = {0};
            uint32_t return_links[16] = {0};
            size_t hops = torus_path_links(size, from, path, there, 16);

            CHECK(unit, torus_path_valid(size, back));
            CHECK_EQUAL(unit, back.port, torus_path_arrival(path));
            CHECK_EQUAL(unit, torus_path_arrival(back), path.port);
            CHECK(unit, same(torus_path_end(size, end, back), from));
            CHECK_EQUAL(unit,
                        torus_path_links(size, end, back, return_links, 16),
                        hops);
            for (size_t n = 0; n < hops; ++n) {
                CHECK_EQUAL(unit, return_links[n], there[hops - 1 - n]);
            }
            CHECK(unit, again.port == path.port && again.turn == path.turn &&
                            again.hops == path.hops &&
                            again.hops_after == path.hops_after);
        }
    }
}

static void links_stop_at_the_capacity(struct unit *unit)
{
    struct torus_size size = {5, 5};
    struct torus_path path = {TORUS_EAST, TORUS_LEFT, 2, 3};
    struct torus_coord from = {4, 4};
    uint32_t links[4] = {99, 99, 99, 99};

    CHECK_EQUAL(unit, torus_path_links(size, from, path, links, 3), 5);
    CHECK_EQUAL(unit, links[0], 2 * 24);
    CHECK_EQUAL(unit, links[1], 2 * 20);
    CHECK_EQUAL(unit, links[2], 2 * 21 + 1);
    CHECK_EQUAL(unit, links[3], 99);
    CHECK_EQUAL(unit, torus_path_links(size, from, path, links, 0), 5);
}

static void invalid_paths_are_told(struct unit *unit)
{
    static const struct torus_size size = {5, 4};
    static const struct torus_path bad[] = {{4, TORUS_STRAIGHT, 1, 0},
                                            {255, TORUS_STRAIGHT, 1, 0},
                                            {0, 3, 1, 1},
                                            {0, TORUS_STRAIGHT, 0, 0},
                                            {0, TORUS_STRAIGHT, 6, 0},
                                            {0, TORUS_LEFT, 1, 0},
                                            {0, TORUS_LEFT, 1, 6},
                                            {0, TORUS_RIGHT, 0, 1},
                                            {0, TORUS_RIGHT, 65535, 1},
                                            {0, TORUS_RIGHT, 1, 65535}};
    static const struct torus_path good[] = {{0, TORUS_STRAIGHT, 5, 0},
                                             {3, TORUS_LEFT, 5, 5},
                                             {2, TORUS_RIGHT, 1, 1}};

    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        CHECK(unit, !torus_path_valid(size, bad[i]));
    }
    for (unsigned i = 0; i < sizeof good / sizeof good[0]; ++i) {
        CHECK(unit, torus_path_valid(size, good[i]));
    }
}

void test_torus(struct unit *unit)
{
    UNIT_RUN(unit, index_is_row_major_and_inverts);
    UNIT_RUN(unit, index_reaches_the_largest_torus);
    UNIT_RUN(unit, ports_are_counterclockwise);
    UNIT_RUN(unit, steps_wrap_like_single_hops);
    UNIT_RUN(unit, longest_step_wraps);
    UNIT_RUN(unit, links_are_named_alike_from_both_ends);
    UNIT_RUN(unit, paths_walk_hop_by_hop);
    UNIT_RUN(unit, reversed_paths_walk_the_same_links);
    UNIT_RUN(unit, links_stop_at_the_capacity);
    UNIT_RUN(unit, invalid_paths_are_told);
}

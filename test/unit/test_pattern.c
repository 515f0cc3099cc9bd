/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"
#include "torus/pattern.h"

#define SIDE_MAX 25u
#define NODES_MAX (SIDE_MAX * SIDE_MAX)

static void phases_cover_powers_of_five_only(struct unit *unit)
{
    static const uint16_t powers[] = {1, 5, 25, 125, 625, 3125};
    unsigned next = 0;

    for (uint16_t side = 1; side <= TORUS_SIDE_MAX; ++side) {
        struct torus_size size = {side, side};
        int want = -1;

        if (side == powers[next]) {
            want = (int)(2 * next);
            next += next + 1 < sizeof powers / sizeof powers[0];
        }
        CHECK_EQUAL(unit, torus_phases(size), want);
    }
    CHECK_EQUAL(unit, torus_phases((struct torus_size){5, 25}), -1);
    CHECK_EQUAL(unit, torus_phases((struct torus_size){25, 5}), -1);
    CHECK_EQUAL(unit, torus_phases((struct torus_size){5, 1}), -1);
    CHECK_EQUAL(unit, torus_phases((struct torus_size){0, 0}), -1);
}

static void layers_grow_by_five(struct unit *unit)
{
    uint32_t active = 1;

    CHECK_EQUAL(unit, torus_layer_nodes(0), 1);
    for (unsigned layer = 1; layer <= 13; ++layer) {
        CHECK_EQUAL(unit, torus_layer_nodes(layer), 4 * active);
        active += torus_layer_nodes(layer);
    }
    CHECK_EQUAL(unit, active, 1220703125);
}

/* Theory: f out of d then 2f to its left; f straight. f = 5^(k-s). */
static void paths_are_knights_and_crosses(struct unit *unit)
{
    struct torus_size size = {TORUS_SIDE_MAX, TORUS_SIDE_MAX};
    uint16_t far = TORUS_SIDE_MAX;

    for (unsigned phase = 1; phase <= TORUS_PHASES_MAX; ++phase) {
        bool knight = phase % 2 == 1;

        far = knight ? (uint16_t)(far / 5) : far;
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            struct torus_path path =
                torus_phase_path(size, phase, (enum torus_port)port);

            CHECK_EQUAL(unit, path.port, port);
            CHECK_EQUAL(unit, path.turn, knight ? TORUS_LEFT : TORUS_STRAIGHT);
            CHECK_EQUAL(unit, path.hops, far);
            CHECK_EQUAL(unit, torus_path_hops(path), knight ? 3 * far : far);
            CHECK(unit, torus_path_valid(size, path));
        }
    }
}

static void first_knights_end_where_the_paper_says(struct unit *unit)
{
    struct torus_size size = {5, 5};
    struct torus_coord origin = {0, 0};
    static const struct torus_coord ends[TORUS_PORTS] = {
        {1, 2}, {3, 1}, {4, 3}, {2, 4}};

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        struct torus_coord end = torus_path_end(
            size, origin, torus_phase_path(size, 1, (enum torus_port)port));

        CHECK(unit, end.x == ends[port].x && end.y == ends[port].y);
    }
}

/*
 * Grows the scatter from one originator, phase by phase, and checks on the
 * way: nobody is reached twice, no link is used twice in a phase, and
 * torus_role_of agrees.
 */
static void grow(struct unit *unit, uint16_t side, struct torus_coord origin)
{
    static uint8_t layer_of[NODES_MAX];    /* 0xff: not active yet */
    static uint8_t used_in[2 * NODES_MAX]; /* last phase that used it */
    struct torus_size size = {side, side};
    uint32_t nodes = (uint32_t)side * side;
    unsigned phases = (unsigned)torus_phases(size);

    for (uint32_t i = 0; i < nodes; ++i) {
        layer_of[i] = 0xff;
        used_in[2 * i] = 0;
        used_in[2 * i + 1] = 0;
    }
    layer_of[torus_index(size, origin)] = 0;
    for (unsigned phase = 1; phase <= phases; ++phase) {
        uint32_t reached = 0;

        for (uint32_t i = 0; i < nodes * TORUS_PORTS; ++i) {
            struct torus_coord from = torus_coord_of(size, i / 4);
            struct torus_path path =
                torus_phase_path(size, phase, (enum torus_port)(i % 4));
            struct torus_coord to = torus_path_end(size, from, path);
            uint32_t links[3 * SIDE_MAX / 5];
            struct torus_role role;
            size_t hops;

            if (layer_of[i / 4] >= phase) {
                continue;
            }
            CHECK_EQUAL(unit, layer_of[torus_index(size, to)], 0xff);
            layer_of[torus_index(size, to)] = (uint8_t)phase;
            reached += 1;
            role = torus_role_of(size, origin, to);
            CHECK_EQUAL(unit, role.layer, phase);
            CHECK_EQUAL(unit, role.port, i % 4);
            CHECK_EQUAL(unit, torus_index(size, role.parent), i / 4);
            hops = torus_path_links(size, from, path, links,
                                    sizeof links / sizeof links[0]);
            CHECK(unit, hops <= sizeof links / sizeof links[0]);
            for (size_t n = 0; n < hops; ++n) {
                CHECK(unit, used_in[links[n]] != phase);
                used_in[links[n]] = (uint8_t)phase;
            }
        }
        CHECK_EQUAL(unit, reached, torus_layer_nodes(phase));
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        CHECK(unit, layer_of[i] != 0xff);
    }
}

static void every_originator_covers_5x5(struct unit *unit)
{
    struct torus_size size = {5, 5};

    for (uint32_t i = 0; i < 25; ++i) {
        grow(unit, 5, torus_coord_of(size, i));
    }
}

static void originators_at_corners_and_inside_cover_25x25(struct unit *unit)
{
    static const struct torus_coord some[] = {{0, 0}, {24, 24}, {7, 13}};

    for (unsigned i = 0; i < sizeof some / sizeof some[0]; ++i) {
        grow(unit, 25, some[i]);
    }
}

static void originator_is_its_own_parent(struct unit *unit)
{
    for (uint16_t side = 1; side <= 125; side = (uint16_t)(side * 5)) {
        struct torus_size size = {side, side};
        struct torus_coord at = {(uint16_t)(side - 1), (uint16_t)(side / 2)};
        struct torus_role role = torus_role_of(size, at, at);

        CHECK_EQUAL(unit, role.layer, 0);
        CHECK(unit, role.parent.x == at.x && role.parent.y == at.y);
    }
}

void test_pattern(struct unit *unit)
{
    UNIT_RUN(unit, phases_cover_powers_of_five_only);
    UNIT_RUN(unit, layers_grow_by_five);
    UNIT_RUN(unit, paths_are_knights_and_crosses);
    UNIT_RUN(unit, first_knights_end_where_the_paper_says);
    UNIT_RUN(unit, every_originator_covers_5x5);
    UNIT_RUN(unit, originators_at_corners_and_inside_cover_25x25);
    UNIT_RUN(unit, originator_is_its_own_parent);
}

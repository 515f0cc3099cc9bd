/* SPDX-License-Identifier: Apache-2.0 */
/* Every single mistake on 5x5. The originator sits elsewhere in every case. */
#include "test/hal/discover/suite.h"

#include "test/unit/ignore.h"

#define NODES 25u
#define ENDS (4u * NODES)
#define CABLES (2u * NODES)

/* One end of every cable: the east and north ports. */
static uint32_t cable(uint32_t number)
{
    return END(number / 2, number % 2);
}

/* Runs what is wired; then all is right again. */
static void run(struct unit *unit, struct mesh *mesh, const char *what,
                unsigned number)
{
    mesh_reset(mesh);
    mesh->originator = number * 7 % NODES;
    while (mesh->dead[mesh->originator]) {
        mesh->originator = (mesh->originator + 1) % NODES;
    }
    CHECK(unit, mesh_discover(mesh));
    mesh_want(mesh);
    mesh_check(unit, mesh, what, number);
    mesh_wire(mesh);
}

static void missing(struct unit *unit, struct mesh *mesh)
{
    for (uint32_t i = 0; i < CABLES; ++i) {
        mesh_unplug(mesh, cable(i));
        run(unit, mesh, "cable", i);
        CHECK_EQUAL(unit, mesh->wanted_count, 2);
    }
}

/* Nothing comes through in one direction. */
static void deaf(struct unit *unit, struct mesh *mesh)
{
    for (uint32_t end = 0; end < ENDS; ++end) {
        mesh->line[end].cut = true;
        run(unit, mesh, "end", end);
        CHECK_EQUAL(unit, mesh->wanted_count, 2);
    }
}

/* Two cables change places at one end each, in both ways. */
static void swapped(struct unit *unit, struct mesh *mesh)
{
    for (uint32_t i = 0; i < CABLES; ++i) {
        for (uint32_t j = i % unit->stride; j < i; j += unit->stride) {
            uint32_t a = cable(i);
            uint32_t b = cable(j);
            uint32_t a_end = mesh->peer[a];
            uint32_t b_end = mesh->peer[b];

            mesh_plug(mesh, a, b_end);
            mesh_plug(mesh, b, a_end);
            run(unit, mesh, "swap", i * CABLES + j);
            CHECK_EQUAL(unit, mesh->wanted_count, 4);
            mesh_plug(mesh, a, b);
            mesh_plug(mesh, a_end, b_end);
            run(unit, mesh, "crossed swap", i * CABLES + j);
            CHECK_EQUAL(unit, mesh->wanted_count, 4);
        }
    }
}

/* The originator's two cables of a row or column joined behind it, so that no
   link of its lies in a closed square; with delays. */
static void bypassed(struct unit *unit, struct mesh *mesh)
{
    for (uint32_t i = 0; i < ENDS * 5; i += unit->stride) {
        uint32_t a = i % ENDS;
        uint32_t b = a ^ 2;
        uint32_t a_end = mesh->peer[a];
        uint32_t b_end = mesh->peer[b];

        mesh_plug(mesh, a_end, b_end);
        if (i % 2 == 0) {
            mesh_plug(mesh, a, b);
        }
        mesh_reset(mesh);
        mesh->seed = i;
        mesh->delay_us = 1000 * (i / ENDS);
        mesh->originator = a / 4;
        CHECK(unit, mesh_discover(mesh));
        mesh_want(mesh);
        CHECK_EQUAL(unit, mesh->wanted_count, 4);
        mesh_check(unit, mesh, "bypassed", i);
        mesh_wire(mesh);
    }
}

/* A second cable to a neighbour, from any port to any port. */
static void second_cable(struct unit *unit, struct mesh *mesh)
{
    for (uint32_t i = 0; i < ENDS * 9; i += unit->stride) {
        uint32_t end = i / 9;
        uint32_t peer = mesh->peer[end];
        uint32_t a = end / 4 * 4 + (end + 1 + i % 3) % 4;
        uint32_t b = peer / 4 * 4 + (peer + 1 + i / 3 % 3) % 4;

        mesh_plug(mesh, a, b);
        run(unit, mesh, "second cable", i);
        CHECK_EQUAL(unit, mesh->wanted_count, 4);
    }
}

/* A plug that leads back into its own port. */
static void loop(struct unit *unit, struct mesh *mesh)
{
    for (uint32_t end = 0; end < ENDS; ++end) {
        mesh_unplug(mesh, end);
        mesh->peer[end] = end;
        run(unit, mesh, "loop", end);
    }
}

static void dead_node(struct unit *unit, struct mesh *mesh)
{
    for (uint32_t i = 0; i < NODES; ++i) {
        mesh->dead[i] = true;
        run(unit, mesh, "dead", i);
        CHECK_EQUAL(unit, mesh->wanted_count, 4);
    }
}

/* All four cables of a board that was built in another way round. */
static void turned_board(struct unit *unit, struct mesh *mesh)
{
    for (uint32_t i = 0; i < NODES * 3; ++i) {
        uint32_t board = i / 3;
        uint32_t peer[4];

        for (uint32_t port = 0; port < 4; ++port) {
            peer[port] = mesh->peer[END(board, port)];
        }
        for (uint32_t port = 0; port < 4; ++port) {
            mesh_plug(mesh, END(board, (port + 1 + i % 3) % 4), peer[port]);
        }
        if (i * 7 % NODES != board) { /* how it sits is how all sit */
            run(unit, mesh, "turned", i);
        }
        mesh_wire(mesh);
    }
}

/* All faults are counted; the first 32 are listed. */
static void many_faults(struct unit *unit, struct mesh *mesh)
{
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        mesh->seed = seed;
        mesh->delay_us = 1000;
        /* Every link out of the east but a row's: 20 cables. */
        for (uint32_t i = 0; i < NODES; ++i) {
            if (i / 5 != seed % 5) {
                mesh_unplug(mesh, END(i, TORUS_EAST));
            }
        }
        run(unit, mesh, "seed", seed);
        CHECK_EQUAL(unit, mesh->wanted_count, 40);
    }
}

/* Until the originator is ready: others may be out of reach. */
static void run_originator(struct mesh *mesh)
{
    struct discover *d = &mesh->node[mesh->originator];
    struct torus_coord at = {0, 0};

    mesh_reset(mesh);
    ignore(discover_start(d, mesh->size, at, 0));
    for (unsigned i = 0; i < 10000 && !discover_ready(d); ++i) {
        mesh_step(mesh);
    }
}

/* Not always can it be told what is wrong, but that something is. */
static void swapped_on_small_meshes(struct unit *unit)
{
    for (unsigned size = 0; size < 20; ++size) {
        struct mesh *mesh = mesh_new(1 + size % 4, 1 + size / 4);

        for (uint32_t i = 0; i < 2 * mesh->nodes; ++i) {
            for (uint32_t j = i % unit->stride; j < i; j += unit->stride) {
                uint32_t a_end = mesh->peer[cable(i)];
                uint32_t b_end = mesh->peer[cable(j)];

                mesh_plug(mesh, cable(i), b_end);
                mesh_plug(mesh, cable(j), a_end);
                run_originator(mesh);
                CHECK(unit, discover_ready(mesh->node));
                CHECK_EQUAL(unit, mesh->node->error, ERR_OK);
                CHECK(unit, mesh->node->faults > 0);
                mesh_wire(mesh);
            }
        }
        mesh_free(mesh);
    }
}

/* Where a side is 2, two swapped cables close all squares. */
static void twisted(struct unit *unit)
{
    for (uint32_t x = 0; x < 5; ++x) {
        struct mesh *mesh = mesh_new(5, 2);
        struct discover *d = mesh->node;

        mesh_plug(mesh, END(x, TORUS_EAST), END(5 + (x + 1) % 5, TORUS_WEST));
        mesh_plug(mesh, END(5 + x, TORUS_EAST), END((x + 1) % 5, TORUS_WEST));
        run_originator(mesh);
        CHECK_EQUAL(unit, d->faults, 1);
        CHECK_EQUAL(unit, d->fault[0].code, DISCOVER_TWISTED);
        CHECK_EQUAL(unit, d->fault[0].count, 1);
        CHECK_EQUAL(unit, d->nodes, 10);
        mesh_free(mesh);
    }
}

static void (*mistake)(struct unit *unit, struct mesh *mesh);

static void on_5x5(struct unit *unit)
{
    struct mesh *mesh = mesh_new(5, 5);

    mistake(unit, mesh);
    mesh_free(mesh);
}

void test_wiring(struct unit *unit)
{
    static const struct {
        void (*make)(struct unit *unit, struct mesh *mesh);
        const char *name;
    } mistakes[] = {
        {missing, "missing"},           {deaf, "deaf"},
        {swapped, "swapped"},           {bypassed, "bypassed"},
        {second_cable, "second_cable"}, {loop, "loop"},
        {dead_node, "dead_node"},       {turned_board, "turned_board"},
        {many_faults, "many_faults"}};

    for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
        mistake = mistakes[i].make;
        unit_run(unit, on_5x5, mistakes[i].name);
    }
    UNIT_RUN(unit, swapped_on_small_meshes);
    UNIT_RUN(unit, twisted);
}

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

/* ---- mistakes: each makes the number-th of its kind ---- */

static void missing(struct mesh *mesh, uint32_t number)
{
    mesh_unplug(mesh, cable(number));
}

/* Nothing comes through in one direction. */
static void deaf(struct mesh *mesh, uint32_t number)
{
    mesh->line[number].cut = true;
}

/* Two cables change places at one end each, in both ways. */
static void swapped(struct mesh *mesh, uint32_t number)
{
    uint32_t a = cable(number / 2 % CABLES);
    uint32_t b = cable((number / 2 + 1 + number / (2 * CABLES)) % CABLES);
    uint32_t a_end = mesh->peer[a];
    uint32_t b_end = mesh->peer[b];

    mesh_plug(mesh, a, number % 2 == 0 ? b_end : b);
    mesh_plug(mesh, number % 2 == 0 ? b : b_end, a_end);
}

/* The originator's two cables of a row or column joined behind it, so that no
   link of its lies in a closed square; with delays. */
static void bypassed(struct mesh *mesh, uint32_t number)
{
    uint32_t a = number % ENDS;
    uint32_t a_end = mesh->peer[a];
    uint32_t b_end = mesh->peer[a ^ 2];

    mesh_plug(mesh, a_end, b_end);
    if (number % 2 == 0) {
        mesh_plug(mesh, a, a ^ 2);
    }
    mesh->delay_us = 1000 * (number / ENDS);
    mesh->originator = a / 4;
}

/* A second cable to a neighbour, from any port to any port. */
static void second_cable(struct mesh *mesh, uint32_t number)
{
    uint32_t end = number / 9;
    uint32_t peer = mesh->peer[end];

    mesh_plug(mesh, end / 4 * 4 + (end + 1 + number % 3) % 4,
              peer / 4 * 4 + (peer + 1 + number / 3 % 3) % 4);
}

static void dead_node(struct mesh *mesh, uint32_t number)
{
    mesh->dead[number] = true;
}

/* Every link out of the east but a row's: all faults are counted, the first 32
   listed. */
static void many(struct mesh *mesh, uint32_t number)
{
    mesh->delay_us = 1000;
    for (uint32_t i = 0; i < NODES; ++i) {
        if (i / 5 != number % 5) {
            mesh_unplug(mesh, END(i, TORUS_EAST));
        }
    }
}

static const struct {
    void (*make)(struct mesh *mesh, uint32_t number);
    const char *name;
    uint32_t count;  /* of cases */
    uint32_t faults; /* of each */
} mistakes[] = {{missing, "missing", CABLES, 2},
                {deaf, "deaf", ENDS, 2},
                {swapped, "swapped", CABLES * 12, 4},
                {bypassed, "bypassed", ENDS * 3, 4},
                {second_cable, "second cable", ENDS * 3, 4},
                {dead_node, "dead node", NODES, 4},
                {many, "many", 20, 40}};

static void every_mistake(struct unit *unit)
{
    struct mesh *mesh = mesh_new(5, 5);

    for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
        for (uint32_t n = 0; n < mistakes[i].count; n += unit->stride) {
            mesh->seed = n;
            mesh->delay_us = 0;
            mesh->originator = n * 7 % NODES;
            mistakes[i].make(mesh, n);
            while (mesh->dead[mesh->originator]) {
                mesh->originator = (mesh->originator + 1) % NODES;
            }
            mesh_reset(mesh);
            CHECK(unit, mesh_discover(mesh));
            mesh_want(mesh);
            mesh_check(unit, mesh, mistakes[i].name, n);
            CHECK_EQUAL(unit, mesh->wanted_count, mistakes[i].faults);
            mesh_wire(mesh);
        }
    }
    mesh_free(mesh);
}

/* ---- where nodes cannot be told apart ---- */

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

void test_wiring(struct unit *unit)
{
    UNIT_RUN(unit, every_mistake);
    UNIT_RUN(unit, swapped_on_small_meshes);
    UNIT_RUN(unit, twisted);
}

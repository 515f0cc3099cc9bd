/* SPDX-License-Identifier: Apache-2.0 */
/* Right meshes of every size, and sizes that are not the mesh's. */
#include "test/hal/discover/suite.h"

static void run(struct unit *unit, struct mesh *mesh)
{
    mesh_reset(mesh);
    CHECK(unit, mesh_discover(mesh));
    mesh_want(mesh);
    CHECK_EQUAL(unit, mesh->wanted_count, 0);
    mesh_check(unit, mesh, "width", mesh->size.width);
}

/* From every node of every mesh up to 6x6; half of them with delays. */
static void every_size(struct unit *unit)
{
    for (unsigned width = 1; width <= 6; ++width) {
        for (unsigned height = 1; height <= 6; ++height) {
            struct mesh *mesh = mesh_new(width, height);

            for (uint32_t at = 0; at < mesh->nodes; ++at) {
                mesh->originator = at;
                mesh->delay_us = at % 2 * 3000;
                mesh->seed = at;
                run(unit, mesh);
            }
            mesh_free(mesh);
        }
    }
}

static void big_meshes(struct unit *unit)
{
    static const uint8_t size[][2] = {{1, 31}, {31, 2}, {25, 24}};

    for (unsigned i = 0; i < 3; ++i) {
        struct mesh *mesh = mesh_new(size[i][0], size[i][1]);

        mesh->originator = mesh->nodes / 3;
        mesh->delay_us = 1000;
        run(unit, mesh);
        mesh_free(mesh);
    }
}

/* Only the size is found fault with, however many seams it has. */
static void wrong_size(struct unit *unit, struct mesh *mesh, unsigned width,
                       unsigned height)
{
    struct discover *d = &mesh->node[mesh->originator];
    struct torus_size asked = {(uint16_t)width, (uint16_t)height};
    struct torus_coord at = {0, 0};

    mesh_reset(mesh);
    CHECK_EQUAL(unit, discover_start(d, asked, at, 1), ERR_OK);
    CHECK(unit, mesh_run(mesh));
    for (unsigned side = 0; side < 2; ++side) {
        unsigned real = side == 0 ? mesh->size.width : mesh->size.height;

        if (real != (side == 0 ? width : height)) {
            mesh_want_one(mesh,
                          (struct discover_fault){.port = (uint8_t)side,
                                                  .code = DISCOVER_SIZE,
                                                  .count = (uint8_t)real});
        }
    }
    CHECK_EQUAL(unit, d->nodes, mesh->nodes);
    CHECK_EQUAL(unit, d->width, mesh->size.width);
    CHECK_EQUAL(unit, d->height, mesh->size.height);
    CHECK_EQUAL(unit, d->faults, mesh->wanted_count);
    for (uint32_t i = 0; i < mesh->wanted_count && i < d->faults; ++i) {
        CHECK_EQUAL(unit, d->fault[i].code, DISCOVER_SIZE);
        CHECK_EQUAL(unit, d->fault[i].port, mesh->wanted[i].port);
        CHECK_EQUAL(unit, d->fault[i].count, mesh->wanted[i].count);
    }
}

static void every_wrong_size(struct unit *unit)
{
    for (unsigned real = 0; real < 36; ++real) {
        struct mesh *mesh = mesh_new(1 + real % 6, 1 + real / 6);

        for (unsigned asked = real % unit->stride; asked < 36;
             asked += unit->stride) {
            mesh->originator = asked % mesh->nodes;
            mesh->seed = asked;
            mesh->delay_us = asked % 3 * 1000;
            wrong_size(unit, mesh, 1 + asked % 6, 1 + asked / 6);
        }
        mesh_free(mesh);
    }
}

void test_sizes(struct unit *unit)
{
    UNIT_RUN(unit, every_size);
    UNIT_RUN(unit, big_meshes);
    UNIT_RUN(unit, every_wrong_size);
}

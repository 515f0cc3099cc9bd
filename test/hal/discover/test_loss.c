/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that get lost or come late. */
#include "test/hal/discover/suite.h"

static void run(struct unit *unit, struct mesh *mesh, unsigned number)
{
    mesh_reset(mesh);
    mesh->seed = number;
    mesh->originator = number % mesh->nodes;
    CHECK(unit, mesh_discover(mesh));
    mesh_want(mesh);
    mesh_check(unit, mesh, "seed", number);
}

/* Every end of every cable, every number of lost test frames. */
static void one_noisy_line(struct unit *unit)
{
    struct mesh *mesh = mesh_new(5, 5);

    for (uint32_t end = 0; end < 100; ++end) {
        mesh->line[end].tests_to_lose = 1 + end % DISCOVER_TESTS;
        mesh->lost_max = (uint8_t)(end % 3);
        run(unit, mesh, end);
        CHECK_EQUAL(unit, mesh->wanted_count,
                    mesh->line[end].tests_to_lose > mesh->lost_max);
        mesh_wire(mesh);
    }
    mesh_free(mesh);
}

/* Whatever gets lost, the links are what they are; and noisy. */
static void lost_frames(struct unit *unit)
{
    static const uint32_t permille[] = {1, 10, 50, 150};

    for (unsigned size = 0; size < 25; ++size) {
        struct mesh *mesh = mesh_new(1 + size % 5, 1 + size / 5);

        for (uint32_t i = size % unit->stride; i < 40; i += unit->stride) {
            mesh->lost_permille = permille[i % 4];
            mesh->delay_us = i % 5 * 1000;
            run(unit, mesh, i);
        }
        mesh_free(mesh);
    }
}

/* A swapped cable is found all the same. */
static void swapped_and_lost(struct unit *unit)
{
    struct mesh *mesh = mesh_new(5, 5);

    mesh->lost_max = DISCOVER_TESTS;
    mesh->lost_permille = 50;
    mesh->delay_us = 2000;
    for (uint32_t i = 0; i < 200; ++i) {
        uint32_t a = i * 37 % 100;
        uint32_t b = (a + 1 + i) % 100;
        uint32_t a_end = mesh->peer[a];
        uint32_t b_end = mesh->peer[b];

        if (b != a && b != a_end) {
            mesh_plug(mesh, a, b_end);
            mesh_plug(mesh, b, a_end);
        }
        run(unit, mesh, i);
        mesh_wire(mesh);
    }
    mesh_free(mesh);
}

static void big_and_lost(struct unit *unit)
{
    struct mesh *mesh = mesh_new(31, 31);

    mesh->lost_permille = 10;
    mesh->lost_max = 4;
    mesh->delay_us = 1000;
    run(unit, mesh, 77);
    mesh_free(mesh);
}

void test_loss(struct unit *unit)
{
    UNIT_RUN(unit, one_noisy_line);
    UNIT_RUN(unit, lost_frames);
    UNIT_RUN(unit, swapped_and_lost);
    UNIT_RUN(unit, big_and_lost);
}

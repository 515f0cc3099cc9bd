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

static void swap(struct mesh *mesh, uint32_t a, uint32_t b)
{
    uint32_t a_end = mesh->peer[a];
    uint32_t b_end = mesh->peer[b];

    if (b != a && b != a_end) {
        mesh_plug(mesh, a, b_end);
        mesh_plug(mesh, b, a_end);
    }
}

/* Whatever gets lost, the links are what they are; and noisy. On meshes of all
   sizes to 5x5; and two swapped cables of 5x5 are found all the same. */
static void lost_frames(struct unit *unit)
{
    static const uint32_t permille[] = {1, 10, 50, 150};

    for (unsigned size = 0; size < 25; ++size) {
        struct mesh *mesh = mesh_new(1 + size % 5, 1 + size / 5);

        for (uint32_t i = size % unit->stride; i < (size < 24 ? 40 : 200);
             i += unit->stride) {
            mesh->lost_permille = permille[i % 4];
            mesh->delay_us = i % 5 * 1000;
            if (size == 24 && i % 2 == 0) {
                swap(mesh, 37 * i % 100, (37 * i + 31 + i) % 100);
            }
            run(unit, mesh, i);
            mesh_wire(mesh);
        }
        mesh_free(mesh);
    }
}

void test_loss(struct unit *unit)
{
    UNIT_RUN(unit, one_noisy_line);
    UNIT_RUN(unit, lost_frames);
}

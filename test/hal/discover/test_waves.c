/* SPDX-License-Identifier: Apache-2.0 */
/* Waves that replace others, nodes that refuse, straps, and a node's end. */
#include "test/hal/discover/suite.h"

#include "hal/bytes.h"
#include "test/unit/ignore.h"

static void steps(struct mesh *mesh, unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        mesh_step(mesh);
    }
}

/* The tag of the originator whose wave a node is in. */
static uint32_t origin_of(const struct mesh *mesh, uint32_t node)
{
    return bytes_load_u32(mesh->node[node].own + 4);
}

static void check(struct unit *unit, struct mesh *mesh, unsigned number)
{
    mesh->wanted_count = 0;
    mesh_want(mesh);
    mesh_check(unit, mesh, "case", number);
}

static void again(struct unit *unit)
{
    struct mesh *mesh = mesh_new(5, 5);

    for (unsigned i = 0; i < 60; ++i) {
        uint16_t epoch = discover_epoch(&mesh->node[mesh->originator]);

        /* In the midst of a wave, or when it is over; from anywhere. */
        ignore(mesh_start(mesh, i % 3, 9));
        mesh->originator = i * 7 % 25;
        steps(mesh, i % 2 == 0 ? i : 400);
        CHECK(unit, mesh_discover(mesh));
        CHECK(unit, discover_epoch(&mesh->node[mesh->originator]) > epoch);
        check(unit, mesh, i);
    }
    mesh_free(mesh);
}

/* Epochs count round and leave out 0. */
static void epochs_wrap(struct unit *unit)
{
    struct mesh *mesh = mesh_new(3, 2);

    mesh->node[0].config.epoch = UINT16_MAX - 2;
    for (unsigned i = 0; i < 6; ++i) {
        CHECK(unit, mesh_discover(mesh));
        CHECK_EQUAL(unit, discover_epoch(&mesh->node[5]),
                    i < 2 ? 65534 + i : i - 1);
        check(unit, mesh, i);
    }
    mesh_free(mesh);
}

/* Nobody speaks any more when all are ready. */
static void silence_afterwards(struct unit *unit)
{
    struct mesh *mesh = mesh_new(4, 3);
    uint64_t told;

    steps(mesh, 100);
    CHECK_EQUAL(unit, mesh->told, 0);
    mesh_unplug(mesh, END(3, TORUS_NORTH));
    CHECK(unit, mesh_discover(mesh));
    steps(mesh, 400);
    told = mesh->told;
    steps(mesh, 2000);
    CHECK_EQUAL(unit, mesh->told, told);
    mesh_free(mesh);
}

/* The originator was reset and counts from 1 again; or it comes to an epoch
   that the others are in: over, or given another number to begin with. */
static void reset_originator(struct unit *unit)
{
    for (unsigned i = 2; i < 260; i += 3) {
        bool same = i % 2 == 1;
        unsigned before = i / 2 + 1;
        struct mesh *mesh = mesh_new(5, same ? 4 : 5);
        struct discover_config config = mesh->node[3].config;

        mesh->originator = 3;
        mesh->node[3].config.epoch = same ? 0 : 70;
        ignore(mesh_start(mesh, 3, 1));
        steps(mesh, before);
        if (same && !discover_ready(&mesh->node[3])) {
            config.epoch = (uint16_t)(before * 997);
        }
        discover_init(&mesh->node[3], &config, (uint32_t)mesh->now_us);
        CHECK(unit, mesh_discover(mesh));
        steps(mesh, 200);
        CHECK(unit, same || discover_epoch(&mesh->node[3]) > 71);
        check(unit, mesh, i);
        mesh_free(mesh);
    }
}

/* Two start at once: one wave remains, and all are in it. */
static void two_originators(struct unit *unit)
{
    for (uint32_t other = 1; other < 25; ++other) {
        for (unsigned apart = other % 2 * 2; apart < 12; apart += 4) {
            struct mesh *mesh = mesh_new(5, 5);

            ignore(mesh_start(mesh, 0, 0x5A));
            steps(mesh, apart);
            CHECK_EQUAL(unit, mesh_start(mesh, other, 0x5A), ERR_OK);
            CHECK(unit, mesh_run(mesh));
            if (origin_of(mesh, 0) != mesh->node[0].tag) {
                mesh->originator = other;
            }
            for (unsigned i = 0; i < 25; ++i) {
                CHECK_EQUAL(unit, origin_of(mesh, i),
                            mesh->node[mesh->originator].tag);
            }
            check(unit, mesh, other);
            mesh_free(mesh);
        }
    }
}

/* Also one that has been in a wave before. */
static void busy(struct unit *unit)
{
    struct mesh *mesh = mesh_new(5, 5);

    for (uint32_t i = 1; i < 25; ++i) {
        struct discover before;

        mesh->originator = (i + 7) % 25;
        discover_busy(&mesh->node[i], true);
        before = mesh->node[i];
        CHECK_EQUAL(unit, mesh_start(mesh, i, 0), ERR_PORT_BUSY);
        CHECK(unit, mesh_discover(mesh));
        check(unit, mesh, i);
        CHECK_EQUAL(unit, mesh->wanted_count, 4);
        CHECK_EQUAL(unit, discover_epoch(&mesh->node[i]),
                    discover_epoch(&before));
        discover_busy(&mesh->node[i], false);
    }
    mesh_free(mesh);
}

static void straps(struct unit *unit)
{
    struct mesh *mesh = mesh_new(4, 3);
    struct torus_coord strap[12];
    struct torus_coord at;

    for (uint16_t i = 0; i < 12; ++i) {
        strap[i] = (struct torus_coord){i % 4, i / 4};
    }
    mesh->strap = strap;
    mesh_reset(mesh);
    CHECK(unit, discover_at(&mesh->node[6], &at) && at.x == 2 && at.y == 1);
    CHECK(unit, mesh_discover(mesh));
    check(unit, mesh, 0);
    /* Two boards changed places: each where the wave found it. */
    strap[6] = (struct torus_coord){3, 2};
    strap[11] = (struct torus_coord){2, 1};
    mesh_reset(mesh);
    CHECK(unit, mesh_discover(mesh));
    CHECK_EQUAL(unit, mesh->node[0].faults, 2);
    for (unsigned i = 0; i < 2; ++i) {
        const struct discover_fault *fault = &mesh->node[0].fault[i];
        bool first = fault->x == 2 && fault->y == 1;

        CHECK_EQUAL(unit, fault->code, DISCOVER_STRAP);
        CHECK(unit, first || (fault->x == 3 && fault->y == 2));
        CHECK_EQUAL(unit, fault->other_x, first ? 3 : 2);
        CHECK_EQUAL(unit, fault->other_y, first ? 2 : 1);
    }
    CHECK(unit, discover_at(&mesh->node[6], &at) && at.x == 3 && at.y == 2);
    mesh_free(mesh);
}

/* A board stops after so many steps: all others end in bounded time, and the
   originator has a fault, unless it was over before. */
static void death_in_the_middle(struct unit *unit)
{
    struct mesh *mesh = mesh_new(4, 4);

    for (uint32_t i = 0; i < 16 * 80; i += unit->stride) {
        uint32_t dies = i % 16;
        bool over = false;

        mesh_wire(mesh);
        mesh_reset(mesh);
        mesh->originator = (dies + 1 + i / 16 % 15) % 16;
        ignore(mesh_start(mesh, mesh->originator, 0));
        for (uint32_t step = 0; step < i / 16; ++step) {
            mesh_step(mesh);
            over = discover_ready(&mesh->node[mesh->originator]);
        }
        mesh->dead[dies] = true;
        CHECK(unit, mesh_run(mesh));
        CHECK(unit,
              over || mesh->node[mesh->originator].nodes == 16 ||
                  discover_has(&mesh->node[mesh->originator], DISCOVER_FAULTY));
    }
    mesh_free(mesh);
}

/* Without its originator, a wave ends by itself, and says so. */
static void dead_originator(struct unit *unit)
{
    struct mesh *mesh = mesh_new(3, 3);
    struct discover_config config = mesh->node[0].config;

    ignore(mesh_start(mesh, 0, 0));
    steps(mesh, 6);
    mesh->dead[0] = true;
    CHECK(unit, mesh_run(mesh));
    for (uint32_t i = 1; i < 9; ++i) {
        CHECK_EQUAL(unit, mesh->node[i].error, ERR_DEAD_LINK);
        CHECK(unit, discover_has(&mesh->node[i], DISCOVER_FAULTY));
    }
    /* It comes back, and finds them as if nothing had been. */
    mesh->dead[0] = false;
    discover_init(mesh->node, &config, (uint32_t)mesh->now_us);
    CHECK(unit, mesh_discover(mesh));
    check(unit, mesh, 0);
    mesh_free(mesh);
}

void test_waves(struct unit *unit)
{
    UNIT_RUN(unit, again);
    UNIT_RUN(unit, epochs_wrap);
    UNIT_RUN(unit, silence_afterwards);
    UNIT_RUN(unit, reset_originator);
    UNIT_RUN(unit, two_originators);
    UNIT_RUN(unit, busy);
    UNIT_RUN(unit, straps);
    UNIT_RUN(unit, death_in_the_middle);
    UNIT_RUN(unit, dead_originator);
}

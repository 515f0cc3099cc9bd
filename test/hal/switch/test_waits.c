/* SPDX-License-Identifier: Apache-2.0 */
/* How long is waited for answers, and for neighbours. */
#include "hal/switch/internal.h"
#include "test/hal/switch/suite.h"
#include "test/hal/switch/traffic.h"

#include <stdlib.h>

static const struct torus_path straight = {TORUS_EAST, TORUS_STRAIGHT, 1, 0};
static const struct torus_path back = {TORUS_WEST, TORUS_STRAIGHT, 1, 0};

/* As a line at 2 Mbaud, and a board's timer. */
static void be_a_board(struct mesh *mesh)
{
    mesh->byte_us = 5;
    mesh->tick_us = 1000;
    mesh->late_clock = true;
    for (uint32_t node = 0; node < mesh->nodes; ++node) {
        mesh->core[node].config.byte_ns = 5000;
    }
}

static bool message_done(struct mesh *mesh)
{
    const struct switch_message *message = mesh->context;

    return message->state == SWITCH_DONE;
}

/* A node that looks at the clock once a millisecond does not take that for the
   time that an answer took. */
static void clock_that_ticks(struct unit *unit)
{
    static const uint8_t bytes[64];
    const uint32_t lengths[] = {0, 1, 16, 64};

    for (unsigned i = 0; i < 2 * sizeof lengths / sizeof *lengths; ++i) {
        struct mesh *mesh = mesh_make(SQUARE(3), i);
        uint64_t random = i;

        be_a_board(mesh);
        for (unsigned k = 0; k < 300; ++k) {
            struct switch_message ping = {.path = i % 2 == 0 ? straight : KNEE,
                                          .kind = SWITCH_PING,
                                          .segment = {{bytes, lengths[i / 2]}}};

            mesh_run(mesh, NULL, 2000 + mesh_below(&random, 1000));
            mesh->context = &ping;
            mesh_send(mesh, 0, &ping);
            CHECK(unit, mesh_run(mesh, message_done, 100000));
        }
        CHECK_EQUAL(unit, mesh_counters(mesh).retries, 0);
        CHECK_EQUAL(unit, mesh_counters(mesh).retransmitted, 0);
        free(mesh);
    }
}

/* Where an answer may be late, but never is, a lost one is not waited for
   long: from the second message on. */
static void lateness_is_learnt(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, 3000);
    struct mesh *mesh = traffic->mesh;
    struct parcel *parcel;

    for (uint32_t node = 0; node < mesh->nodes; ++node) {
        mesh->core[node].config.slack_us = 800000;
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            mesh->core[node].port[port].source.late_us = 800000 / 16;
        }
    }
    for (unsigned i = 0; i < 5; ++i) {
        traffic_add(traffic, 0, KNEE, 3000, 0);
        CHECK(unit, traffic_run(traffic));
    }
    /* All of it is lost after the set-up, once. */
    parcel = traffic_add(traffic, 0, KNEE, 200, 0);
    mesh_run(mesh, NULL, 2000);
    mesh->line[TORUS_EAST].dead = true;
    mesh_run(mesh, NULL, 2500);
    mesh->line[TORUS_EAST].dead = false;
    mesh->faults = 1;
    CHECK(unit, traffic_run(traffic));
    CHECK_EQUAL(unit, mesh_counters(mesh).retransmitted, 1);
    CHECK(unit,
          parcel->message.done_us - parcel->message.queued_us < 800000 / 16);
    traffic_check(unit, traffic);
}

/* Who has a lot to send lets the neighbour send between, at either end. */
static void neighbour_has_a_turn(struct unit *unit)
{
    const struct torus_path paths[2] = {straight, back};

    for (unsigned end = 0; end < 2; ++end) {
        struct traffic *traffic = traffic_make(SQUARE(3), 7, 2000);
        struct parcel *one;
        unsigned before = 0;

        for (unsigned i = 0; i < 60; ++i) {
            traffic_add(traffic, end, paths[end], 1000, 0);
        }
        one = traffic_add(traffic, 1 - end, paths[1 - end], 10, 20000);
        CHECK(unit, traffic_run(traffic));
        for (unsigned i = 0; i < 60; ++i) {
            before += (int32_t)(one->message.done_us -
                                traffic->parcel[i].message.done_us) > 0;
        }
        CHECK(unit, before < 8);
        traffic_check(unit, traffic);
    }
}

void test_waits(struct unit *unit)
{
    UNIT_RUN(unit, clock_that_ticks);
    UNIT_RUN(unit, lateness_is_learnt);
    UNIT_RUN(unit, neighbour_has_a_turn);
}

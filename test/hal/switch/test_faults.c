/* SPDX-License-Identifier: Apache-2.0 */
/* One fault at a time, everywhere; what is dead; bad lines. */
#include "hal/switch/internal.h"
#include "test/hal/switch/suite.h"
#include "test/hal/switch/traffic.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t knee_lines[] = {
    0 * TORUS_PORTS + TORUS_EAST, 1 * TORUS_PORTS + TORUS_NORTH,
    1 * TORUS_PORTS + TORUS_WEST, 4 * TORUS_PORTS + TORUS_SOUTH};

static const struct torus_path straight = {TORUS_EAST, TORUS_STRAIGHT, 1, 0};
static const struct torus_path back = {TORUS_WEST, TORUS_STRAIGHT, 1, 0};

/* ---- one fault ---- */

/* Runs a message and a peek, one after the other, under one fault: to this byte
   of this line. Result: whether there was one. */
static bool single_fault(struct unit *unit, uint32_t line, uint32_t byte,
                         enum mesh_fault fault, uint8_t change)
{
    bool met = false;

    for (unsigned i = 0; i < 2; ++i) {
        struct traffic *traffic = traffic_make(SQUARE(3), byte, 300);
        struct mesh *mesh = traffic->mesh;
        struct parcel *parcel = traffic_add(traffic, 0, KNEE, 260, 0);

        mesh->single_line = line;
        mesh->single_byte = byte;
        mesh->single = fault;
        mesh->single_change = change;
        if (i == 1) {
            traffic_peek(parcel);
        }
        CHECK(unit, traffic_run(traffic));
        CHECK_EQUAL(unit, parcel->message.error, ERR_OK);
        CHECK(unit, traffic_trouble(traffic) == NULL);
        /* A 0 less or more between frames is no damage. */
        if (i == 0 && mesh->faults > 0 && mesh->single_was != 0) {
            CHECK(unit, mesh_noticed(mesh) > 0);
        }
        met = met || mesh->faults > 0;
        traffic_free(traffic);
    }
    return met;
}

/* Lost, repeated, made 0, all bits or a bit changed. */
static void every_byte_hurt(struct unit *unit)
{
    static const uint8_t changes[] = {0, 0xff, 1, 16, 128};
    uint32_t bytes = 0;

    for (unsigned i = 0; i < 4 * (2 + sizeof changes); ++i) {
        unsigned how = i / 4;
        uint32_t byte = 0;

        while (single_fault(unit, knee_lines[i % 4], byte,
                            how == 0   ? MESH_DROP
                            : how == 1 ? MESH_REPEAT
                                       : MESH_CHANGE,
                            how < 2 ? 0 : changes[how - 2])) {
            byte += unit->stride;
        }
        bytes += byte;
    }
    /* Twice the message and its frames. */
    CHECK(unit, bytes > 600 * (2 + sizeof changes));
}

/* One byte of a long message is lost: the source goes back once, however many
   frames behind it arrive in vain. */
static void one_loss_one_return(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, 6000);

    traffic->mesh->single = MESH_DROP;
    traffic->mesh->single_line = knee_lines[0];
    traffic->mesh->single_byte = 1500;
    traffic_add(traffic, 0, KNEE, 6000, 0);
    CHECK(unit, traffic_run(traffic));
    CHECK_EQUAL(unit, mesh_counters(traffic->mesh).retransmitted, 1);
    traffic_check(unit, traffic);
}

/* A line is dead for longer than a circuit lives. Result: the bytes out of the
   source. */
static uint32_t interrupted(struct unit *unit, uint32_t line, uint32_t bytes,
                            uint32_t after_us)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, bytes);
    struct mesh *mesh = traffic->mesh;
    uint32_t sent;

    traffic_add(traffic, 0, KNEE, bytes, 0);
    mesh_run(mesh, NULL, after_us);
    mesh->line[line].dead = true;
    mesh_run(mesh, NULL, 400000);
    CHECK(unit, traffic->parcel[0].message.state != SWITCH_DONE);
    CHECK(unit, mesh_counters(mesh).retries > 1);
    mesh->line[line].dead = false;
    mesh->faults = 1;
    CHECK(unit, traffic_run(traffic));
    sent = mesh->line[TORUS_EAST].bytes;
    traffic_check(unit, traffic);
    return sent;
}

/* What is there is not sent again. */
static void resumed(struct unit *unit)
{
    CHECK(unit, interrupted(unit, knee_lines[0], 20000, 150000) < 26000);
    CHECK(unit, interrupted(unit, knee_lines[1], 20000, 150000) < 26000);
}

/* The message is delivered, and the source does not hear of it for long. */
static void answer_lost(struct unit *unit)
{
    interrupted(unit, knee_lines[2], 200, 2400);
    interrupted(unit, knee_lines[3], 200, 2400);
}

/* ---- dead links and nodes ---- */

/* The longest that a message takes to fail: header of hal/switch/switch.h. */
static uint64_t bound_us(uint32_t hops)
{
    uint64_t answer_us =
        MESH_SLACK_US + 11u * (256u + 128u * hops + 40u * (hops + 1u));
    uint64_t backoff_us = 64u * 32u * 11u;

    uint64_t try_us = answer_us + backoff_us + 2 * MESH_TICK_US;
    uint64_t tries_us = SWITCH_TRIES * try_us;
    uint64_t vain_us = SWITCH_VAIN_US + 2u * try_us;

    return tries_us > vain_us ? tries_us : vain_us;
}

/* How long a hop holds without a frame; and what is on the way. */
static uint64_t hold_us(uint32_t hops)
{
    return 4u * (MESH_SLACK_US + 11u * (256u + 2048u + 128u * hops)) + 1000u +
           2 * MESH_TICK_US + 500u * MESH_BYTE_US;
}

static bool quiet(struct mesh *mesh)
{
    return mesh_quiet(mesh);
}

static void dead_line(struct unit *unit)
{
    for (unsigned i = 0; i < 4; ++i) {
        struct traffic *traffic = traffic_make(SQUARE(3), i, 300);
        struct parcel *parcel;
        struct parcel *other;

        traffic->mesh->line[knee_lines[i]].dead = true;
        parcel = traffic_add(traffic, 0, KNEE, 260, 0);
        other = traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), 10, 0);
        CHECK(unit, mesh_run(traffic->mesh, traffic_done, 4 * bound_us(2)));
        CHECK_EQUAL(unit, parcel->message.error, ERR_DEAD_LINK);
        CHECK_EQUAL(unit, parcel->message.accepted_us,
                    parcel->message.queued_us);
        CHECK(unit, parcel->message.done_us - parcel->message.queued_us <=
                        bound_us(2));
        CHECK(unit, parcel->message.done_us - parcel->message.queued_us >=
                        SWITCH_VAIN_US);
        /* The link to node 1 is lines 0 and 2. */
        CHECK_EQUAL(unit, other->message.error,
                    i % 2 == 0 ? ERR_DEAD_LINK : ERR_OK);
        CHECK(unit, mesh_run(traffic->mesh, quiet, hold_us(2)));
        CHECK(unit, traffic_wrong(traffic) == NULL);
        CHECK_EQUAL(unit, mesh_counters(traffic->mesh).dead,
                    i % 2 == 0 ? 2 : 1);
        traffic_free(traffic);
    }
}

/* A node dies in the middle of a message: everyone else is free in time. */
static void death_in_the_middle(struct unit *unit)
{
    static const uint32_t victims[] = {0, 1, 4};

    for (uint32_t after_us = 100; after_us < 60000;
         after_us += 700 * unit->stride) {
        struct traffic *traffic = traffic_make(SQUARE(3), after_us, 6000);
        uint32_t victim = victims[after_us % 3];
        struct parcel *parcel = traffic_add(traffic, 0, KNEE, 5000, 0);
        bool done;

        mesh_run(traffic->mesh, NULL, after_us);
        traffic->mesh->dead[victim] = true;
        done = mesh_run(traffic->mesh, traffic_done,
                        bound_us(2) + SWITCH_TRIES * hold_us(2));
        CHECK(unit, done || victim == 0);
        mesh_run(traffic->mesh, NULL, hold_us(2));
        for (uint32_t node = 0; node < traffic->mesh->nodes; ++node) {
            CHECK(unit,
                  node == victim || switch_idle(&traffic->mesh->core[node]));
        }
        CHECK_EQUAL(unit, traffic->wrong, 0);
        CHECK_EQUAL(unit, traffic->mesh->astray, 0);
        CHECK(unit, parcel->delivered <= 1);
        traffic_free(traffic);
    }
}

/* The source forgets its circuit, and the release is lost: its next set-up
   takes the links back at once. */
static void forgotten(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, 6000);
    struct mesh *mesh = traffic->mesh;

    traffic_add(traffic, 0, KNEE, 5000, 0);
    mesh_run(mesh, NULL, 10000);
    mesh->line[TORUS_EAST].dead = true;
    switch_reset(&mesh->core[0]);
    mesh_run(mesh, NULL, 10000);
    mesh->line[TORUS_EAST].dead = false;
    CHECK(unit, !switch_idle(&mesh->core[1]));
    traffic_add(traffic, 0, KNEE, 100, 0);
    CHECK(unit, mesh_run(mesh, traffic_done, 10000));
    CHECK_EQUAL(unit, traffic->parcel[1].message.error, ERR_OK);
    CHECK(unit, traffic_run(traffic));
    CHECK(unit, traffic_wrong(traffic) == NULL);
    traffic_free(traffic);
}

/* ---- bad lines ---- */

/* Bytes on all lines so far. */
static uint32_t line_bytes(const struct mesh *mesh)
{
    uint32_t sum = 0;

    for (uint32_t line = 0; line < mesh->nodes * TORUS_PORTS; ++line) {
        sum += mesh->line[line].bytes;
    }
    return sum;
}

/* So many messages over the KNEE, one after the other. Result: the bytes on
   all lines. */
static uint32_t send_some(struct unit *unit, struct traffic *traffic,
                          unsigned messages)
{
    uint32_t before = line_bytes(traffic->mesh);

    for (unsigned i = 0; i < messages; ++i) {
        traffic_add(traffic, 0, KNEE, 3000, 0);
        CHECK(unit, traffic_run(traffic));
    }
    return line_bytes(traffic->mesh) - before;
}

/* One byte of a hundred changed: what it takes more is bounded, as most of it
   is put right; and nothing, soon after the line is good again. */
static void bad_line(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, 3000);
    struct mesh *mesh = traffic->mesh;
    uint32_t good = send_some(unit, traffic, 10);
    uint32_t bad;

    mesh->fault_ppm[MESH_NONE] = 1;
    mesh->fault_ppm[MESH_CHANGE] = 10000;
    bad = send_some(unit, traffic, 10);
    CHECK(unit, bad < 4 * good);
    CHECK(unit, mesh_counters(mesh).mended > 10 * 3000 / 240);
    mesh->fault_ppm[MESH_CHANGE] = 0;
    send_some(unit, traffic, 2);
    CHECK_EQUAL(unit, send_some(unit, traffic, 10), good);
    traffic_check(unit, traffic);
}

/* Set-ups, releases and answers of a bad line go out twice: all the same each
   message has one circuit, if nothing is lost. */
static void said_twice(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, 3000);
    struct mesh *mesh = traffic->mesh;

    switch_source_turn_bad(&mesh->core[0].port[TORUS_EAST]);
    traffic_add(traffic, 0, KNEE, 2000, 0);
    CHECK(unit, traffic_run(traffic));
    CHECK_EQUAL(unit, mesh_counters(mesh).relayed_circuits, 1);
    CHECK_EQUAL(unit, mesh_counters(mesh).broken, 0);
    CHECK_EQUAL(unit, mesh_counters(mesh).retries, 0);
    CHECK_EQUAL(unit, mesh_counters(mesh).retransmitted, 0);
    mesh->faults = 1; /* what comes a second time is counted as stale */
    traffic_check(unit, traffic);
}

/* The second copy of a set-up whose first was refused begins no circuit, which
   nobody is at the other end of; both want the line, at any time between. */
static void refused_twice(struct unit *unit)
{
    for (uint32_t later_us = 1; later_us < 4000; later_us += 80) {
        struct traffic *traffic = traffic_make(SQUARE(3), 1, 500);
        struct mesh *mesh = traffic->mesh;

        traffic_deafen(traffic);
        traffic->deaf[0] = false;
        mesh->tick_us = 20; /* so programs act almost at once */
        mesh_run(mesh, NULL, 5000);
        switch_source_turn_bad(&mesh->core[0].port[TORUS_EAST]);
        traffic_add(traffic, 0, straight, 500, 0);
        mesh_run(mesh, NULL, later_us);
        traffic->deaf[1] = false;
        traffic_add(traffic, 1, back, 500, 0);
        CHECK(unit, traffic_run(traffic));
        CHECK(unit, traffic_wrong(traffic) == NULL);
        CHECK_EQUAL(unit, mesh_counters(mesh).lost, 0);
        CHECK_EQUAL(unit, mesh_counters(mesh).expired, 0);
        traffic_free(traffic);
    }
}

void test_faults(struct unit *unit)
{
    UNIT_RUN(unit, every_byte_hurt);
    UNIT_RUN(unit, one_loss_one_return);
    UNIT_RUN(unit, resumed);
    UNIT_RUN(unit, answer_lost);
    UNIT_RUN(unit, dead_line);
    UNIT_RUN(unit, death_in_the_middle);
    UNIT_RUN(unit, forgotten);
    UNIT_RUN(unit, bad_line);
    UNIT_RUN(unit, said_twice);
    UNIT_RUN(unit, refused_twice);
}

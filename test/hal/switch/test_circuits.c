/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits on good lines: what each node does, and when. */
#include "test/hal/switch/suite.h"
#include "test/hal/switch/traffic.h"

#include <stdlib.h>
#include <string.h>

static struct switch_counters at(const struct traffic *traffic, uint32_t node,
                                 unsigned port)
{
    return traffic->mesh->core[node].counters[port];
}

/* ---- one circuit ---- */

static void set_up_relay_release(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(5), 1, 1000);
    struct parcel *parcel =
        traffic_add(traffic, 0, LEFT(TORUS_EAST, 1, 2), 500, 0);

    CHECK_EQUAL(unit, parcel->to, 11);
    CHECK(unit, traffic_run(traffic));
    CHECK_EQUAL(unit, at(traffic, 0, TORUS_EAST).sent_messages, 1);
    CHECK_EQUAL(unit, at(traffic, 0, TORUS_EAST).sent_bytes, 500);
    CHECK_EQUAL(unit, at(traffic, 11, TORUS_SOUTH).received_messages, 1);
    CHECK_EQUAL(unit, at(traffic, 11, TORUS_SOUTH).received_bytes, 500);
    CHECK_EQUAL(unit, at(traffic, 1, TORUS_WEST).relayed_circuits, 1);
    CHECK_EQUAL(unit, at(traffic, 6, TORUS_SOUTH).relayed_circuits, 1);
    /* Three frames of data; the acceptance and three answers. */
    CHECK_EQUAL(unit, at(traffic, 1, TORUS_WEST).relayed_frames, 3);
    CHECK_EQUAL(unit, at(traffic, 1, TORUS_NORTH).relayed_frames, 4);
    CHECK_EQUAL(unit, mesh_counters(traffic->mesh).relayed_circuits, 2);
    traffic_check(unit, traffic);
}

/* The relay's line stalls for less than the source waits: what is on the way
   fits into the relay's ring, and nothing is lost or sent again. */
static void back_pressure(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(5), 1, 20000);
    struct mesh *mesh = traffic->mesh;
    const struct switch_port *onward = &mesh->core[1].port[TORUS_EAST];

    traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 3), 20000, 0);
    mesh_run(mesh, NULL, 5000);
    mesh->line[1 * TORUS_PORTS + TORUS_EAST].stalled_us = mesh->now_us + 22000;
    mesh_run(mesh, NULL, 21500);
    CHECK(unit, onward->written - onward->taken > SWITCH_RING_BYTES / 2);
    CHECK(unit, onward->written - onward->taken < SWITCH_RING_BYTES);
    traffic_check(unit, traffic);
}

/* Messages at once, none of which waits for another: so many bytes' time is
   what each takes at most. A hop more costs the set-up's and the answers' way,
   not the message's; the line is never idle while a long one goes; they may
   cross or turn in node 4, the middle of 3x3, or pass it, while it sends and
   receives; and there may be four out of one node. */
static void in_time(struct unit *unit)
{
    static const struct {
        unsigned side;
        uint32_t bytes;
        uint32_t most_bytes;
    } tries[] = {{5, 2000, 2190}, {5, 2000, 2325}, {5, 48000, 50300},
                 {3, 3000, 3450}, {3, 3000, 3450}, {3, 3000, 3450},
                 {5, 3000, 3450}};
    static const struct {
        unsigned try;
        uint32_t from;
        struct torus_path path;
    } messages[] = {{0, 0, {TORUS_EAST, TORUS_STRAIGHT, 1, 0}},
                    {1, 0, {TORUS_EAST, TORUS_STRAIGHT, 4, 0}},
                    {2, 7, {TORUS_WEST, TORUS_LEFT, 1, 2}},
                    {3, 3, {TORUS_EAST, TORUS_STRAIGHT, 2, 0}},
                    {3, 1, {TORUS_NORTH, TORUS_STRAIGHT, 2, 0}},
                    {4, 3, {TORUS_EAST, TORUS_LEFT, 1, 1}},
                    {4, 5, {TORUS_WEST, TORUS_LEFT, 1, 1}},
                    {5, 3, {TORUS_EAST, TORUS_STRAIGHT, 2, 0}},
                    {5, 4, {TORUS_NORTH, TORUS_STRAIGHT, 1, 0}},
                    {5, 1, {TORUS_NORTH, TORUS_STRAIGHT, 1, 0}},
                    {6, 12, {TORUS_EAST, TORUS_LEFT, 1, 2}},
                    {6, 12, {TORUS_NORTH, TORUS_LEFT, 1, 2}},
                    {6, 12, {TORUS_WEST, TORUS_LEFT, 1, 2}},
                    {6, 12, {TORUS_SOUTH, TORUS_LEFT, 1, 2}}};

    for (unsigned n = 0; n < sizeof tries / sizeof *tries; ++n) {
        struct traffic *traffic =
            traffic_make(SQUARE(tries[n].side), 1, tries[n].bytes);

        for (unsigned i = 0; i < sizeof messages / sizeof *messages; ++i) {
            if (messages[i].try == n) {
                traffic_add(traffic, messages[i].from, messages[i].path,
                            tries[n].bytes, 0);
            }
        }
        CHECK(unit, traffic_run(traffic));
        CHECK_EQUAL(unit, mesh_counters(traffic->mesh).refused, 0);
        for (uint32_t i = 0; i < traffic->parcels; ++i) {
            CHECK(unit, duration_us(&traffic->parcel[i]) <
                            tries[n].most_bytes * MESH_BYTE_US);
        }
        traffic_check(unit, traffic);
    }
}

/* One port sends one after the other, in order. */
static void queue_at_a_port(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, 300);

    for (unsigned i = 0; i < 20; ++i) {
        traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 1 + i % 2), 13 * i, 0);
    }
    CHECK(unit, traffic_run(traffic));
    for (unsigned i = 1; i < 20; ++i) {
        CHECK(unit, (int32_t)(traffic->parcel[i].message.done_us -
                              traffic->parcel[i - 1].message.done_us) > 0);
    }
    traffic_check(unit, traffic);
}

/* ---- refusals ---- */

/* While one circuit holds the middle, another waits, and comes through soon
   after. */
static void held_port(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(5), 1, 9000);
    struct parcel *first =
        traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 3), 9000, 0);
    struct parcel *second =
        traffic_add(traffic, 6, LEFT(TORUS_SOUTH, 1, 1), 10, 5000);

    CHECK(unit, traffic_run(traffic));
    CHECK(unit, at(traffic, 1, TORUS_NORTH).refused > 0);
    CHECK_EQUAL(unit, at(traffic, 6, TORUS_SOUTH).retries,
                at(traffic, 1, TORUS_NORTH).refused);
    CHECK(unit,
          (int32_t)(second->message.done_us - first->message.done_us) < 40000);
    traffic_check(unit, traffic);
}

/* Nobody takes it; or it meets itself, since on a ring of one column two hops
   east use the port twice. */
static void patience_ends(struct unit *unit)
{
    for (unsigned i = 0; i < 2; ++i) {
        struct torus_size size = {i == 0 ? 3 : 1, 3};
        struct traffic *traffic = traffic_make(size, 1, 300);
        struct parcel *parcel;

        traffic_deafen(traffic);
        traffic->mesh->core[0].config.patience_us = 200000;
        parcel = traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), 300, 0);
        CHECK(unit, mesh_run(traffic->mesh, traffic_done, 300000));
        CHECK_EQUAL(unit, parcel->message.error, ERR_PORT_BUSY);
        CHECK(unit, duration_us(parcel) >= 200000);
        CHECK(unit, mesh_counters(traffic->mesh).refused >= 10);
        CHECK_EQUAL(unit, mesh_counters(traffic->mesh).dead, 0);
        mesh_run(traffic->mesh, NULL, 100000);
        CHECK(unit, mesh_quiet(traffic->mesh));
        traffic_free(traffic);
    }
}

static bool has_broken(struct mesh *mesh)
{
    return mesh->core[0].counters[TORUS_EAST].broken > 0;
}

/* It counts from the first refusal since the path was last free: a message that
   is refused, goes for as long, breaks, and is refused again, still waits. */
static void patience_begins_anew(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(5), 1, 60000);
    struct mesh *mesh = traffic->mesh;
    struct parcel *parcel =
        traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), 60000, 5000);

    mesh->core[0].config.patience_us = 200000;
    traffic_add(traffic, 6, LEFT(TORUS_SOUTH, 1, 1), 10000, 0);
    mesh_run(mesh, NULL, 400000);
    CHECK(unit, mesh_counters(mesh).refused > 0);
    CHECK_EQUAL(unit, parcel->message.state, SWITCH_ACTIVE);
    mesh->line[TORUS_EAST].dead = true;
    CHECK(unit, mesh_run(mesh, has_broken, 1000000));
    traffic_add(traffic, 6, LEFT(TORUS_SOUTH, 1, 1), 10000, 0);
    mesh_run(mesh, NULL, 5000);
    mesh->line[TORUS_EAST].dead = false;
    CHECK(unit, traffic_run(traffic));
    CHECK(unit, traffic_wrong(traffic) == NULL);
    CHECK_EQUAL(unit, parcel->message.error, ERR_OK);
    traffic_free(traffic);
}

/* ---- meeting ---- */

/* Both ends of one link at once: east and north go first. */
static void meeting(struct unit *unit)
{
    for (uint8_t port = TORUS_EAST; port <= TORUS_NORTH; ++port) {
        struct traffic *traffic = traffic_make(SQUARE(3), port, 2000);
        uint32_t other = port == TORUS_EAST ? 1 : 3;
        struct parcel *first =
            traffic_add(traffic, 0, STRAIGHT(port, 1), 2000, 0);
        struct parcel *second =
            traffic_add(traffic, other, STRAIGHT(port + 2, 1), 2000, 0);

        first->sent = true;
        second->sent = true;
        mesh_send(traffic->mesh, 0, &first->message);
        mesh_send(traffic->mesh, other, &second->message);
        CHECK(unit, traffic_run(traffic));
        CHECK_EQUAL(unit, at(traffic, 0, port).retries, 0);
        CHECK(unit, at(traffic, other, port + 2u).retries > 0);
        CHECK(unit,
              (int32_t)(second->message.done_us - first->message.done_us) > 0);
        traffic_check(unit, traffic);
    }
}

/* ---- the calls ---- */

static void messages_that_cannot_be(struct unit *unit)
{
    static const struct {
        struct torus_path path;
        uint8_t kind;
        uint32_t bytes[2];
        int error;
    } tries[] = {{{0, 0, 1, 0}, 0, {0, 0}, ERR_RANGE},
                 {{0, 0, 1, 0}, SWITCH_PEEK, {0, 0}, ERR_RANGE}, /* no room */
                 {{0, 0, 1, 0}, 1, {UINT32_MAX, 1}, ERR_RANGE},
                 {{0, TORUS_STRAIGHT, 0, 0}, 1, {0, 0}, ERR_NO_ROUTE},
                 {{4, TORUS_STRAIGHT, 1, 0}, 1, {0, 0}, ERR_NO_ROUTE},
                 {{0, 3, 1, 1}, 1, {0, 0}, ERR_NO_ROUTE},
                 {{0, TORUS_LEFT, 1, 0}, 1, {0, 0}, ERR_NO_ROUTE},
                 {{0, TORUS_STRAIGHT, 1u << 14, 0}, 1, {0, 0}, ERR_NO_ROUTE},
                 {{0, TORUS_RIGHT, 1, 1u << 14}, 1, {0, 0}, ERR_NO_ROUTE}};

    for (unsigned i = 0; i < sizeof tries / sizeof *tries; ++i) {
        struct mesh *mesh = mesh_make(SQUARE(2), 1);
        struct switch_message message = {.path = tries[i].path,
                                         .kind = tries[i].kind};

        message.segment[1].bytes = tries[i].bytes[0];
        message.segment[3].bytes = tries[i].bytes[1];
        mesh_send(mesh, 0, &message);
        CHECK_EQUAL(unit, message.state, SWITCH_DONE);
        CHECK_EQUAL(unit, message.error, tries[i].error);
        free(mesh);
    }
}

static void too_long_for_the_buffer(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, 100);
    struct switch_receive *receive = &traffic->receive[2];

    traffic->mesh->tick = NULL; /* the program looks here */
    for (uint32_t bytes = 100; bytes <= 101; ++bytes) {
        struct parcel *parcel =
            traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), bytes, 0);

        mesh_send(traffic->mesh, 0, &parcel->message);
        CHECK(unit, mesh_run(traffic->mesh, traffic_done, 100000) ||
                        parcel->message.state == SWITCH_DONE);
        CHECK_EQUAL(unit, parcel->message.error, ERR_OK);
        CHECK_EQUAL(unit, receive->state, SWITCH_DONE);
        CHECK_EQUAL(unit, receive->error, bytes > 100 ? ERR_BUFFER : ERR_OK);
        CHECK_EQUAL(unit, receive->bytes, bytes);
        CHECK_EQUAL(unit, receive->port, TORUS_WEST);
        CHECK_EQUAL(unit, receive->delivered_kind, parcel->message.kind);
        switch_post(&traffic->mesh->core[2], receive);
    }
    traffic_free(traffic);
}

/* Four neighbours of node 4 send it a message of kind 1 + port each. */
static struct traffic *from_all_sides(uint64_t seed)
{
    struct traffic *traffic = traffic_make(SQUARE(3), seed, 100);
    struct mesh *mesh = traffic->mesh;

    switch_cancel(&mesh->core[4]);
    mesh->tick = NULL;
    for (uint8_t port = 0; port < TORUS_PORTS; ++port) {
        struct torus_path path = STRAIGHT((port + 2u) % 4u, 1);
        struct torus_coord from = torus_step(
            mesh->size, (struct torus_coord){1, 1}, (enum torus_port)port, 1);
        struct parcel *parcel =
            traffic_add(traffic, torus_index(mesh->size, from), path, 50, 0);

        mesh_send(mesh, parcel->from, &parcel->message);
    }
    return traffic;
}

/* Receives of one kind or port, behind one of a kind that never comes: each
   takes its own message, and the rest waits; of two that both want one, one
   stays. */
static void receives_of_kinds_and_ports(struct unit *unit)
{
    static const uint8_t order[] = {3, 1, 4, 2};

    for (uint64_t seed = 0; seed < 8; ++seed) {
        struct traffic *traffic = from_all_sides(seed);
        struct switch_core *core = &traffic->mesh->core[4];
        struct switch_receive never = {.ports = 15, .kind = 99};
        struct switch_receive any = {.ports = 15};
        uint8_t buffer[50];

        switch_post(core, &never);
        for (unsigned i = 0; i < 4; ++i) {
            bool by_kind = (i + seed) % 2 == 0;
            struct switch_receive receive = {
                .buffer = buffer,
                .capacity_bytes = sizeof buffer,
                .ports = (uint8_t)(by_kind ? 15u : 1u << (order[i] - 1u)),
                .kind = by_kind ? order[i] : 0};

            switch_post(core, &receive);
            mesh_run(traffic->mesh, NULL, 100000);
            CHECK_EQUAL(unit, receive.state, SWITCH_DONE);
            CHECK_EQUAL(unit, receive.error, ERR_OK);
            CHECK_EQUAL(unit, receive.delivered_kind, order[i]);
            CHECK_EQUAL(unit, receive.port, order[i] - 1);
            CHECK(unit, memcmp(buffer, traffic->parcel[order[i] - 1].bytes,
                               sizeof buffer) == 0);
        }
        switch_post(core, &any);
        CHECK(unit, never.state == SWITCH_QUEUED && any.state == SWITCH_QUEUED);
        switch_cancel(core); /* takes all of them back */
        CHECK(unit, core->receive == NULL);
        CHECK(unit, never.state == SWITCH_IDLE && any.state == SWITCH_IDLE);
        traffic_free(traffic);
    }
}

/* At every moment the receive is taken back, and the message comes later; or a
   node is reset: all is free again, nothing comes twice. */
static void cancelled_or_reset(struct unit *unit)
{
    for (uint32_t i = 0; i < 320; ++i) {
        struct traffic *traffic = traffic_make(SQUARE(3), i, 500);
        struct switch_core *core = &traffic->mesh->core[i % 2 == 0 ? 2 : i % 3];
        struct parcel *parcel =
            traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), 500, 0);
        bool was_done;

        mesh_run(traffic->mesh, NULL, 50 * (i / 2));
        was_done = traffic->receive[2].state == SWITCH_DONE;
        if (i % 2 == 0) {
            switch_cancel(core);
            CHECK(unit, was_done == (traffic->receive[2].state == SWITCH_DONE));
        } else {
            switch_reset(core);
            CHECK(unit, switch_idle(core));
        }
        CHECK(unit, traffic_run(traffic));
        CHECK(unit, traffic_wrong(traffic) == NULL);
        CHECK(unit, parcel->message.error == ERR_OK ||
                        (core->config.node == 0 &&
                         parcel->message.error == ERR_PORT_BUSY));
        traffic_free(traffic);
    }
}

/* ---- neighbours ---- */

static void tells_that_cannot_be(struct unit *unit)
{
    struct mesh *mesh = mesh_make(SQUARE(3), 1);
    const uint8_t data[SWITCH_TELL_BYTES + 1] = {1};

    CHECK_EQUAL(unit, switch_tell(&mesh->core[0], TORUS_EAST, data, 0),
                ERR_RANGE);
    CHECK_EQUAL(unit, switch_tell(&mesh->core[0], 4, data, 1), ERR_RANGE);
    CHECK_EQUAL(unit,
                switch_tell(&mesh->core[0], TORUS_EAST, data, sizeof data),
                ERR_RANGE);
    free(mesh);
}

/* Beside a circuit, without harm to it; too many at once are refused. */
static void neighbours_beside_a_circuit(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, 9000);
    const uint8_t data[SWITCH_TELL_BYTES] = {1};
    unsigned busy = 0;

    traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), 9000, 0);
    for (unsigned i = 0; i < 3000; ++i) {
        if (i % 10 == 0) {
            mesh_run(traffic->mesh, NULL, 300);
        }
        busy += switch_tell(&traffic->mesh->core[i / 10 % 3],
                            i / 10 % 2 == 0 ? TORUS_EAST : TORUS_WEST, data,
                            sizeof data) != ERR_OK;
    }
    CHECK(unit, busy > 10 && busy < 2900);
    traffic->mesh->faults = 1; /* rings may have overflown */
    traffic_check(unit, traffic);
}

void test_circuits(struct unit *unit)
{
    UNIT_RUN(unit, set_up_relay_release);
    UNIT_RUN(unit, in_time);
    UNIT_RUN(unit, back_pressure);
    UNIT_RUN(unit, queue_at_a_port);
    UNIT_RUN(unit, held_port);
    UNIT_RUN(unit, patience_ends);
    UNIT_RUN(unit, patience_begins_anew);
    UNIT_RUN(unit, meeting);
    UNIT_RUN(unit, messages_that_cannot_be);
    UNIT_RUN(unit, too_long_for_the_buffer);
    UNIT_RUN(unit, receives_of_kinds_and_ports);
    UNIT_RUN(unit, cancelled_or_reset);
    UNIT_RUN(unit, tells_that_cannot_be);
    UNIT_RUN(unit, neighbours_beside_a_circuit);
}

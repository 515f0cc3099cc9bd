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

static uint32_t duration_us(const struct parcel *parcel)
{
    return parcel->message.done_us - parcel->message.queued_us;
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

/* A hop more costs the set-up's and the answers' way, not the message's. */
static void cut_through(struct unit *unit)
{
    uint32_t took_us[5];

    for (uint16_t hops = 1; hops <= 4; ++hops) {
        struct traffic *traffic = traffic_make(SQUARE(5), 1, 2000);
        struct parcel *parcel =
            traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, hops), 2000, 0);

        CHECK(unit, traffic_run(traffic));
        took_us[hops] = duration_us(parcel);
        traffic_check(unit, traffic);
    }
    /* Set-up 29 bytes, acceptance 3, data 3, answer 3, for each hop. */
    CHECK(unit, took_us[4] - took_us[1] < 3 * 45 * MESH_BYTE_US);
    CHECK(unit, took_us[1] < (2000 + 9 * 10 + 100) * MESH_BYTE_US);
}

/* The line is never idle while a long message goes over three hops. */
static void line_is_kept_busy(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(5), 1, 48000);
    struct parcel *parcel =
        traffic_add(traffic, 7, LEFT(TORUS_WEST, 1, 2), 48000, 0);

    CHECK(unit, traffic_run(traffic));
    CHECK(unit, duration_us(parcel) < (48000 + 200 * 10 + 300) * MESH_BYTE_US);
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
    mesh->line[1 * SWITCH_PORTS + TORUS_EAST].stalled_us = mesh->now_us + 22000;
    mesh_run(mesh, NULL, 21500);
    CHECK(unit, onward->written - onward->taken > SWITCH_RING_BYTES / 2);
    CHECK(unit, onward->written - onward->taken < SWITCH_RING_BYTES);
    traffic_check(unit, traffic);
}

/* ---- several at a node ---- */

/* Messages of 3,000 bytes at once, none of which waits for another: that cross
   or turn in node 4, the middle of 3x3; that pass it, while it sends and
   receives; four out of one node. */
static void together(struct unit *unit)
{
    static const struct {
        uint32_t from;
        struct torus_path path;
    } messages[][TORUS_PORTS] = {{{3, {TORUS_EAST, TORUS_STRAIGHT, 2, 0}},
                                  {1, {TORUS_NORTH, TORUS_STRAIGHT, 2, 0}}},
                                 {{3, {TORUS_EAST, TORUS_LEFT, 1, 1}},
                                  {5, {TORUS_WEST, TORUS_LEFT, 1, 1}}},
                                 {{3, {TORUS_EAST, TORUS_STRAIGHT, 2, 0}},
                                  {4, {TORUS_NORTH, TORUS_STRAIGHT, 1, 0}},
                                  {1, {TORUS_NORTH, TORUS_STRAIGHT, 1, 0}}},
                                 {{12, {TORUS_EAST, TORUS_LEFT, 1, 2}},
                                  {12, {TORUS_NORTH, TORUS_LEFT, 1, 2}},
                                  {12, {TORUS_WEST, TORUS_LEFT, 1, 2}},
                                  {12, {TORUS_SOUTH, TORUS_LEFT, 1, 2}}}};

    for (unsigned n = 0; n < sizeof messages / sizeof *messages; ++n) {
        struct traffic *traffic = traffic_make(SQUARE(n == 3 ? 5 : 3), 1, 3000);

        for (unsigned i = 0; i < 4 && messages[n][i].path.hops > 0; ++i) {
            traffic_add(traffic, messages[n][i].from, messages[n][i].path, 3000,
                        0);
        }
        CHECK(unit, traffic_run(traffic));
        CHECK_EQUAL(unit, mesh_counters(traffic->mesh).refused, 0);
        for (uint32_t i = 0; i < traffic->parcels; ++i) {
            CHECK(unit, duration_us(&traffic->parcel[i]) <
                            (3000 + 3000 / 20 + 300) * MESH_BYTE_US);
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

static void slow_receiver(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(5), 1, 300);

    traffic->slow_us = 80000;
    for (uint32_t from = 10; from < 14; ++from) {
        traffic_add(traffic, from, STRAIGHT(TORUS_EAST, 14 - from), 300, 0);
    }
    CHECK(unit, traffic_run(traffic));
    CHECK(unit, mesh_counters(traffic->mesh).refused > 0);
    traffic_check(unit, traffic);
}

static void patience_ends(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, 300);
    struct parcel *parcel;

    traffic_deafen(traffic);
    traffic->mesh->core[0].config.patience_us = 200000;
    parcel = traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), 300, 0);
    CHECK(unit, mesh_run(traffic->mesh, traffic_done, 300000));
    CHECK_EQUAL(unit, parcel->message.error, ERR_PORT_BUSY);
    CHECK(unit, duration_us(parcel) >= 200000);
    CHECK(unit, mesh_counters(traffic->mesh).refused >= 10);
    CHECK_EQUAL(unit, mesh_counters(traffic->mesh).dead, 0);
    traffic_free(traffic);
}

/* On a ring of one column, two hops east use the port twice. */
static void path_over_itself(struct unit *unit)
{
    struct traffic *traffic = traffic_make((struct torus_size){1, 3}, 1, 300);
    struct parcel *parcel;

    traffic->mesh->core[0].config.patience_us = 100000;
    parcel = traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), 300, 0);
    CHECK(unit, mesh_run(traffic->mesh, traffic_done, 200000));
    CHECK_EQUAL(unit, parcel->message.error, ERR_PORT_BUSY);
    CHECK_EQUAL(unit, parcel->delivered, 0);
    mesh_run(traffic->mesh, NULL, 100000);
    CHECK(unit, mesh_quiet(traffic->mesh));
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

/* In the middle of two longer paths, at every distance of time. */
static void meeting_in_the_middle(struct unit *unit)
{
    for (uint32_t late_us = 0; late_us < 3000; late_us += 10) {
        struct traffic *traffic = traffic_make(SQUARE(5), late_us, 500);
        struct parcel *first =
            traffic_add(traffic, 10, STRAIGHT(TORUS_EAST, 4), 500, 0);
        struct parcel *second =
            traffic_add(traffic, 14, STRAIGHT(TORUS_WEST, 4), 500, 0);

        first->sent = true;
        second->sent = true;
        mesh_send(traffic->mesh, 10, &first->message);
        mesh_run(traffic->mesh, NULL, late_us);
        mesh_send(traffic->mesh, 14, &second->message);
        traffic_check(unit, traffic);
    }
}

/* All four ports of all nodes, around the whole torus. */
static void all_against_all(struct unit *unit)
{
    for (uint16_t side = 1; side <= 3; ++side) {
        for (uint64_t seed = 1; seed <= 50; ++seed) {
            struct traffic *traffic = traffic_make(SQUARE(side), seed, 700);

            for (uint32_t i = 0; i < 4u * side * side; ++i) {
                traffic_add(traffic, i / 4, STRAIGHT(i % 4, 1 + seed % side),
                            13 * i, 0);
            }
            traffic_check(unit, traffic);
        }
    }
}

/* Side 1: a port leads to the node itself. Side 2: both sides to the same. */
static void wrap(struct unit *unit)
{
    for (uint8_t port = 0; port < TORUS_PORTS; ++port) {
        for (unsigned n = 0; n < 3; ++n) {
            struct traffic *traffic =
                traffic_make(SQUARE(n < 2 ? 1 : 2), 1, 500);

            traffic_add(traffic, 0,
                        n == 1 ? LEFT(port, 1, 1) : STRAIGHT(port, 1), 500, 0);
            if (n == 2) {
                traffic_add(traffic, 0, STRAIGHT((port + 2u) % 4u, 1), 500, 0);
            }
            traffic_check(unit, traffic);
        }
    }
}

/* ---- the calls ---- */

static int send_error(const struct switch_message *like)
{
    struct mesh *mesh = mesh_make(SQUARE(2), 1);
    struct switch_message message = *like;
    int error;

    mesh_send(mesh, 0, &message);
    error = message.state == SWITCH_DONE ? message.error : 1;
    free(mesh);
    return error;
}

static void messages_that_cannot_be(struct unit *unit)
{
    static const struct torus_path paths[] = {{0, TORUS_STRAIGHT, 0, 0},
                                              {4, TORUS_STRAIGHT, 1, 0},
                                              {0, 3, 1, 1},
                                              {0, TORUS_LEFT, 1, 0},
                                              {0, TORUS_STRAIGHT, 1u << 14, 0},
                                              {0, TORUS_RIGHT, 1, 1u << 14}};
    struct switch_message message = {.path = {0, 0, 1, 0}, .kind = 1};

    CHECK_EQUAL(unit, send_error(&message), 1);
    message.kind = 0;
    CHECK_EQUAL(unit, send_error(&message), ERR_RANGE);
    message.kind = 1;
    message.segment[1].bytes = UINT32_MAX;
    message.segment[3].bytes = 1;
    CHECK_EQUAL(unit, send_error(&message), ERR_RANGE);
    message.segment[1].bytes = 0;
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; ++i) {
        message.path = paths[i];
        CHECK_EQUAL(unit, send_error(&message), ERR_NO_ROUTE);
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

/* Only what the receive asks for, by kind or by port; the rest waits. */
static void only_one_port_or_kind(struct unit *unit)
{
    static const uint8_t order[] = {3, 1, 4, 2};

    for (uint64_t seed = 0; seed < 8; ++seed) {
        struct traffic *traffic = from_all_sides(seed);
        struct switch_receive *receive = &traffic->receive[4];

        for (unsigned i = 0; i < 4; ++i) {
            bool by_kind = (i + seed) % 2 == 0;

            receive->ports = (uint8_t)(by_kind ? 15u : 1u << (order[i] - 1u));
            receive->kind = by_kind ? order[i] : 0;
            switch_post(&traffic->mesh->core[4], receive);
            mesh_run(traffic->mesh, NULL, 100000);
            CHECK_EQUAL(unit, receive->state, SWITCH_DONE);
            CHECK_EQUAL(unit, receive->delivered_kind, order[i]);
            CHECK_EQUAL(unit, receive->port, order[i] - 1);
        }
        traffic_free(traffic);
    }
}

/* Two receives of any kind and one of kind 3, behind one of a kind that never
   comes: each message that comes takes a
   free one, that of kind 3 its own or another, and none is lost; the fourth
   waits until one more is posted. */
static void several_receives(struct unit *unit)
{
    for (uint64_t seed = 0; seed < 8; ++seed) {
        struct traffic *traffic = from_all_sides(seed);
        struct switch_core *core = &traffic->mesh->core[4];
        uint8_t buffer[4][50];
        struct switch_receive never = {.ports = 15, .kind = 99};
        struct switch_receive receive[4] = {{.ports = 15, .kind = 3},
                                            {.ports = 15},
                                            {.ports = 15},
                                            {.ports = 15}};
        unsigned kinds = 0;

        for (unsigned i = 0; i < 4; ++i) {
            receive[i].buffer = buffer[i];
            receive[i].capacity_bytes = sizeof buffer[i];
        }
        switch_post(core, &never);
        for (unsigned i = 0; i < 3; ++i) {
            switch_post(core, &receive[i]);
        }
        mesh_run(traffic->mesh, NULL, 100000);
        CHECK_EQUAL(unit, receive[0].delivered_kind, 3);
        CHECK(unit, core->receive == &never && never.next == NULL);
        switch_post(core, &receive[3]);
        mesh_run(traffic->mesh, NULL, 100000);
        for (unsigned i = 0; i < 4; ++i) {
            const struct switch_receive *of = &receive[i];

            CHECK_EQUAL(unit, of->state, SWITCH_DONE);
            CHECK_EQUAL(unit, of->error, ERR_OK);
            CHECK_EQUAL(unit, of->port, of->delivered_kind - 1);
            CHECK(unit, of->bytes == 50 &&
                            memcmp(buffer[i], traffic->parcel[of->port].bytes,
                                   50) == 0);
            kinds |= 1u << of->delivered_kind;
        }
        CHECK_EQUAL(unit, kinds, 0x1e);
        /* All that are not done are taken back. */
        switch_post(core, &receive[0]);
        switch_post(core, &receive[1]);
        switch_cancel(core);
        CHECK(unit, core->receive == NULL);
        CHECK_EQUAL(unit, never.state, SWITCH_IDLE);
        CHECK_EQUAL(unit, receive[0].state, SWITCH_IDLE);
        CHECK_EQUAL(unit, receive[1].state, SWITCH_IDLE);
        traffic_free(traffic);
    }
}

/* Takes the receive back at every moment: the message comes later. */
static void cancelled(struct unit *unit)
{
    for (uint32_t after_us = 0; after_us < 8000; after_us += 50) {
        struct traffic *traffic = traffic_make(SQUARE(3), after_us, 500);
        bool was_done;

        traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), 500, 0);
        mesh_run(traffic->mesh, NULL, after_us);
        was_done = traffic->receive[2].state == SWITCH_DONE;
        switch_cancel(&traffic->mesh->core[2]);
        CHECK(unit, was_done == (traffic->receive[2].state == SWITCH_DONE));
        CHECK(unit, traffic_run(traffic));
        CHECK(unit, traffic_wrong(traffic) == NULL);
        CHECK_EQUAL(unit, traffic->parcel[0].message.error, ERR_OK);
        traffic_free(traffic);
    }
}

/* Resets a node at every moment: all is free again, nothing comes twice. */
static void reset(struct unit *unit)
{
    for (uint32_t after_us = 0; after_us < 8000; after_us += 50) {
        struct traffic *traffic = traffic_make(SQUARE(3), after_us, 500);
        uint32_t victim = after_us / 50 % 3;
        struct parcel *parcel =
            traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), 500, 0);

        mesh_run(traffic->mesh, NULL, after_us);
        switch_reset(&traffic->mesh->core[victim]);
        CHECK(unit, switch_idle(&traffic->mesh->core[victim]));
        CHECK(unit, traffic_run(traffic));
        CHECK(unit, traffic_wrong(traffic) == NULL);
        CHECK(unit, victim == 0 || parcel->message.error == ERR_OK);
        CHECK(unit, parcel->message.error == ERR_OK ||
                        parcel->message.error == ERR_PORT_BUSY);
        traffic_free(traffic);
    }
}

static void pings(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(3), 1, 10);
    uint32_t took_us[2];

    traffic_deafen(traffic);
    for (uint16_t hops = 1; hops <= 2; ++hops) {
        struct parcel *parcel = traffic_ping(
            traffic, 0, STRAIGHT(TORUS_EAST, hops), 1000u * hops, 0);

        CHECK(unit, mesh_run(traffic->mesh, traffic_done, 100000));
        took_us[hops - 1] = duration_us(parcel);
    }
    /* 1000 bytes more. */
    CHECK(unit, took_us[1] - took_us[0] > 1000 * MESH_BYTE_US);
    CHECK(unit, took_us[1] - took_us[0] < 1100 * MESH_BYTE_US);
    CHECK_EQUAL(unit, at(traffic, 1, TORUS_WEST).received_bytes, 1000);
    CHECK_EQUAL(unit, at(traffic, 2, TORUS_WEST).received_bytes, 2000);
    traffic_check(unit, traffic);
}

/* ---- neighbours ---- */

static void told(struct mesh *mesh, uint32_t node, unsigned port,
                 const uint8_t *data, unsigned bytes)
{
    uint32_t *heard = mesh->context;
    bool right = node == 1 && port == TORUS_WEST;

    for (unsigned i = 0; i < bytes; ++i) {
        right = right && data[i] == (uint8_t)(bytes * i);
    }
    *heard += right ? 1 : 1000;
}

static void neighbours(struct unit *unit)
{
    struct mesh *mesh = mesh_make(SQUARE(3), 1);
    uint32_t heard = 0;
    uint8_t data[SWITCH_TELL_BYTES + 1];

    mesh->told = told;
    mesh->context = &heard;
    for (unsigned bytes = 1; bytes <= SWITCH_TELL_BYTES; ++bytes) {
        for (unsigned i = 0; i < bytes; ++i) {
            data[i] = (uint8_t)(bytes * i);
        }
        CHECK_EQUAL(unit, switch_tell(&mesh->core[0], TORUS_EAST, data, bytes),
                    ERR_OK);
        mesh_run(mesh, NULL, 2000);
        CHECK_EQUAL(unit, heard, bytes);
    }
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
    unsigned told_by[3] = {0};
    unsigned busy = 0;

    traffic_add(traffic, 0, STRAIGHT(TORUS_EAST, 2), 9000, 0);
    for (unsigned i = 0; i < 300; ++i) {
        uint32_t node = i % 3;

        mesh_run(traffic->mesh, NULL, 300);
        for (unsigned again = 0; again < 1 + i % 20; ++again) {
            if (switch_tell(&traffic->mesh->core[node],
                            i % 2 == 0 ? TORUS_EAST : TORUS_WEST, data,
                            sizeof data) == ERR_OK) {
                told_by[node] += 1;
            } else {
                busy += 1;
            }
        }
    }
    CHECK(unit, told_by[0] > 10 && told_by[1] > 10 && told_by[2] > 10);
    CHECK(unit, busy > 10);
    traffic->mesh->faults = 1; /* rings may have overflown */
    traffic_check(unit, traffic);
}

void test_circuits(struct unit *unit)
{
    UNIT_RUN(unit, set_up_relay_release);
    UNIT_RUN(unit, cut_through);
    UNIT_RUN(unit, line_is_kept_busy);
    UNIT_RUN(unit, back_pressure);
    UNIT_RUN(unit, together);
    UNIT_RUN(unit, queue_at_a_port);
    UNIT_RUN(unit, held_port);
    UNIT_RUN(unit, slow_receiver);
    UNIT_RUN(unit, patience_ends);
    UNIT_RUN(unit, path_over_itself);
    UNIT_RUN(unit, meeting);
    UNIT_RUN(unit, meeting_in_the_middle);
    UNIT_RUN(unit, all_against_all);
    UNIT_RUN(unit, wrap);
    UNIT_RUN(unit, messages_that_cannot_be);
    UNIT_RUN(unit, too_long_for_the_buffer);
    UNIT_RUN(unit, only_one_port_or_kind);
    UNIT_RUN(unit, several_receives);
    UNIT_RUN(unit, cancelled);
    UNIT_RUN(unit, reset);
    UNIT_RUN(unit, pings);
    UNIT_RUN(unit, neighbours);
    UNIT_RUN(unit, neighbours_beside_a_circuit);
}

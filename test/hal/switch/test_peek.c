/* SPDX-License-Identifier: Apache-2.0 */
/* Peeks: a node whose program does nothing answers them. */
#include "test/hal/switch/suite.h"
#include "test/hal/switch/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 5u
#define PAGE 7u
#define ROOM (SWITCH_STATUS_BYTES + 8u)
#define UNTOUCHED 0xa5u

/* A peek, its question and room for the answer. */
struct peek {
    struct switch_message message;
    uint8_t page;
    uint8_t reply[ROOM];
};

/* What node n answers: n, the page, then n + 1, n + 2, ...: n + 2 bytes, 64 at
   most. */
static unsigned answer_bytes(uint32_t node)
{
    return node + 2 < SWITCH_STATUS_BYTES ? node + 2 : SWITCH_STATUS_BYTES;
}

static unsigned status(void *context, const uint8_t *question,
                       uint32_t bytes_asked, uint8_t *out)
{
    const struct mesh_end *end = context;
    unsigned bytes = answer_bytes(end->node);

    for (unsigned i = 0; i < bytes; ++i) {
        out[i] = (uint8_t)(end->node + i - (i > 0));
    }
    out[1] = question[0];
    (void)bytes_asked;
    return bytes;
}

/* Nobody's program runs: no tick, no receive. */
static struct mesh *make(uint64_t seed)
{
    struct mesh *mesh = mesh_make(SQUARE(SIDE), seed);

    for (uint32_t node = 0; node < mesh->nodes; ++node) {
        mesh->core[node].config.status = status;
    }
    return mesh;
}

static void send(struct mesh *mesh, struct peek *peek, struct torus_path path)
{
    peek->page = PAGE;
    memset(peek->reply, UNTOUCHED, sizeof peek->reply);
    peek->message = (struct switch_message){.path = path,
                                            .kind = SWITCH_PEEK,
                                            .segment = {{&peek->page, 1}},
                                            .reply = peek->reply};
    mesh_send(mesh, 0, &peek->message);
}

static bool ended(struct mesh *mesh)
{
    const struct peek *peek = mesh->context;

    return peek->message.state == SWITCH_DONE;
}

static bool run(struct mesh *mesh, struct peek *peek, uint64_t for_us)
{
    mesh->context = peek;
    return mesh_run(mesh, ended, for_us);
}

static void send_and_wait(struct unit *unit, struct mesh *mesh,
                          struct peek *peek, struct torus_path path)
{
    send(mesh, peek, path);
    CHECK(unit, run(mesh, peek, 500000));
}

static uint32_t end_of(struct torus_path path)
{
    struct torus_size size = {SIDE, SIDE};

    return torus_index(size,
                       torus_path_end(size, (struct torus_coord){0, 0}, path));
}

/* What is wrong with the answer; NULL: nothing. */
static const char *trouble(const struct peek *peek, uint32_t node)
{
    struct mesh_end end = {NULL, node};
    uint8_t right[ROOM];
    unsigned bytes;

    memset(right, UNTOUCHED, sizeof right);
    bytes = status(&end, &(uint8_t){PAGE}, 1, right);
    if (peek->message.error != ERR_OK) {
        return "it failed";
    }
    if (peek->message.reply_bytes != bytes) {
        return "the answer has another length";
    }
    return memcmp(peek->reply, right, sizeof right) == 0
               ? NULL
               : "the answer has other bytes";
}

static void check(struct unit *unit, const struct peek *peek, uint32_t node)
{
    const char *what = trouble(peek, node);

    if (what != NULL) {
        unit_fail(unit, __FILE__, __LINE__, what);
    }
}

static const struct torus_path knee = {TORUS_EAST, TORUS_LEFT, 2, 2};

/* ---- good lines ---- */

static void every_node(struct unit *unit)
{
    struct mesh *mesh = make(1);

    for (uint16_t x = 0; x < SIDE; ++x) {
        for (uint16_t y = 1; y < SIDE; ++y) {
            struct torus_path path = {TORUS_EAST, TORUS_LEFT, x, y};
            struct peek peek;

            send_and_wait(unit, mesh, &peek,
                          x == 0 ? STRAIGHT(TORUS_NORTH, y) : path);
            check(unit, &peek, (uint32_t)y * SIDE + x);
        }
    }
    CHECK_EQUAL(unit, mesh_counters(mesh).refused, 0);
    CHECK_EQUAL(unit, mesh_counters(mesh).broken, 0);
    CHECK_EQUAL(unit, mesh_counters(mesh).sent_messages, 0);
    CHECK_EQUAL(unit, mesh->core[1].last.count, 0); /* of messages: none */
    mesh_run(mesh, NULL, 100000);
    CHECK(unit, mesh_quiet(mesh));
    free(mesh);
}

static unsigned all_of_it(void *context, const uint8_t *question,
                          uint32_t bytes, uint8_t *out)
{
    (void)context;
    (void)bytes;
    memset(out, question[0], SWITCH_STATUS_BYTES);
    return SWITCH_STATUS_BYTES;
}

/* Of a node that answers as much as it can; of one that answers nothing. */
static void longest_and_shortest_answers(struct unit *unit)
{
    for (unsigned i = 0; i < 2; ++i) {
        unsigned bytes = i == 0 ? SWITCH_STATUS_BYTES : 0;
        struct mesh *mesh = make(1);
        struct peek peek;

        mesh->core[12].config.status = i == 0 ? all_of_it : NULL;
        send_and_wait(unit, mesh, &peek, knee);
        CHECK_EQUAL(unit, peek.message.error, ERR_OK);
        CHECK_EQUAL(unit, peek.message.reply_bytes, bytes);
        CHECK(unit, bytes == 0 || peek.reply[bytes - 1] == PAGE);
        CHECK_EQUAL(unit, peek.reply[bytes], UNTOUCHED);
        free(mesh);
    }
}

static void no_room(struct unit *unit)
{
    struct mesh *mesh = make(1);
    struct switch_message peek = {.path = knee, .kind = SWITCH_PEEK};

    mesh_send(mesh, 0, &peek);
    CHECK_EQUAL(unit, peek.state, SWITCH_DONE);
    CHECK_EQUAL(unit, peek.error, ERR_RANGE);
    free(mesh);
}

/* ---- bad lines ---- */

/* Whether the fault met a byte. */
static bool single_fault(struct unit *unit, uint32_t line, uint32_t byte,
                         enum mesh_fault fault)
{
    struct mesh *mesh = make(byte);
    struct peek peek;
    bool met;

    mesh->single_line = line;
    mesh->single_byte = byte;
    mesh->single = fault;
    mesh->single_change = 0x10;
    send_and_wait(unit, mesh, &peek, knee);
    check(unit, &peek, 12);
    mesh_run(mesh, NULL, 200000);
    CHECK(unit, mesh_quiet(mesh));
    met = mesh->faults > 0;
    free(mesh);
    return met;
}

static void every_byte(struct unit *unit)
{
    static const uint32_t lines[] = {
        0 * SWITCH_PORTS + TORUS_EAST, 2 * SWITCH_PORTS + TORUS_NORTH,
        2 * SWITCH_PORTS + TORUS_WEST, 12 * SWITCH_PORTS + TORUS_SOUTH};
    uint32_t bytes = 0;

    CHECK_EQUAL(unit, end_of(knee), 12);
    for (unsigned i = 0; i < 4; ++i) {
        for (enum mesh_fault fault = MESH_DROP; fault <= MESH_REPEAT; ++fault) {
            uint32_t byte = 0;

            while (single_fault(unit, lines[i], byte, fault)) {
                byte += unit->stride;
            }
            bytes += byte;
        }
    }
    CHECK(unit, bytes > 400);
}

/* 1 % of the bytes of four hops: an answer that comes is right, and most
   come. */
static void random_damage(struct unit *unit)
{
    unsigned came = 0;

    for (uint64_t seed = 1; seed <= 100; ++seed) {
        struct mesh *mesh = make(seed);
        struct peek peek;

        mesh->fault_ppm[MESH_NONE] = 1;
        mesh->fault_ppm[MESH_DROP] = 5000;
        mesh->fault_ppm[MESH_CHANGE] = 5000;
        send(mesh, &peek, knee);
        CHECK(unit, run(mesh, &peek, 10000000));
        if (peek.message.error == ERR_OK) {
            came += 1;
            check(unit, &peek, 12);
        }
        free(mesh);
    }
    CHECK(unit, came > 80);
}

/* ---- questions of several bytes, as commands are ---- */

static const uint8_t question[5] = {0x81, 'R', 'S', 'T', '!'};

/* What a node was asked, whatever came in. */
static uint32_t asked_right;
static uint32_t asked_wrong;

static unsigned note_question(void *context, const uint8_t *got, uint32_t bytes,
                              uint8_t *out)
{
    static const uint8_t zeros[SWITCH_QUESTION_BYTES - sizeof question];
    bool right = bytes == sizeof question &&
                 memcmp(got, question, sizeof question) == 0 &&
                 memcmp(got + sizeof question, zeros, sizeof zeros) == 0;

    (void)context;
    asked_right += right;
    asked_wrong += !right;
    out[0] = 1;
    return 1;
}

static void send_question(struct mesh *mesh, struct peek *peek,
                          const uint8_t *bytes, uint32_t count)
{
    peek->message = (struct switch_message){.path = knee,
                                            .kind = SWITCH_PEEK,
                                            .segment = {{bytes, count}},
                                            .reply = peek->reply};
    mesh_send(mesh, 0, &peek->message);
}

/* A node that acts upon a question that nobody asked would reset itself on a
   bad line: of 300 meshes with 2 % of the bytes hurt none does. */
static void damaged_questions(struct unit *unit)
{
    asked_right = 0;
    asked_wrong = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        struct mesh *mesh = make(seed);
        struct peek peek;

        for (uint32_t node = 0; node < mesh->nodes; ++node) {
            mesh->core[node].config.status = note_question;
        }
        mesh->fault_ppm[MESH_NONE] = 1;
        mesh->fault_ppm[MESH_DROP] = 5000;
        mesh->fault_ppm[MESH_CHANGE] = 10000;
        mesh->fault_ppm[MESH_REPEAT] = 5000;
        send_question(mesh, &peek, question, sizeof question);
        CHECK(unit, run(mesh, &peek, 10000000));
        free(mesh);
    }
    CHECK(unit, asked_right > 150);
    CHECK_EQUAL(unit, asked_wrong, 0);
}

/* Of a longer one the first bytes are there, and how long it is. */
static unsigned note_length(void *context, const uint8_t *got, uint32_t bytes,
                            uint8_t *out)
{
    (void)context;
    asked_right = bytes;
    memcpy(out, got, SWITCH_QUESTION_BYTES);
    return SWITCH_QUESTION_BYTES;
}

static void long_question(struct unit *unit)
{
    static const uint32_t lengths[] = {0, 1, 5, 8, 9, 240, 241, 600};
    static uint8_t bytes[600];

    for (unsigned i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (uint8_t)(i + 1);
    }
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        struct mesh *mesh = make(i + 1);
        struct peek peek;

        mesh->core[12].config.status = note_length;
        send_question(mesh, &peek, bytes, lengths[i]);
        CHECK(unit, run(mesh, &peek, 1000000));
        CHECK_EQUAL(unit, peek.message.error, ERR_OK);
        CHECK_EQUAL(unit, asked_right, lengths[i]);
        for (unsigned k = 0; k < SWITCH_QUESTION_BYTES; ++k) {
            CHECK_EQUAL(unit, peek.reply[k], k < lengths[i] ? k + 1 : 0);
        }
        free(mesh);
    }
}

/* ---- several at once ---- */

/* 2 Mbaud, and the lateness that a board's switch reckons with. */
static struct mesh *make_real(uint64_t seed)
{
    struct mesh *mesh = make(seed);

    mesh->byte_us = 5;
    mesh->tick_us = 1000;
    for (uint32_t node = 0; node < mesh->nodes; ++node) {
        mesh->core[node].config.byte_ns = 5000;
        mesh->core[node].config.slack_us = SWITCH_SLACK_US;
    }
    return mesh;
}

static bool all_ended(struct mesh *mesh)
{
    const struct peek *peek = mesh->context;
    bool all = true;

    for (unsigned port = 0; port < SWITCH_PORTS; ++port) {
        all = all && peek[port].message.state == SWITCH_DONE;
    }
    return all;
}

/* One out of each port takes no longer than one alone, but for a held link. */
static void four_at_once(struct unit *unit)
{
    struct mesh *mesh = make_real(1);
    struct peek peek[SWITCH_PORTS];
    uint64_t since_us = mesh->now_us;

    for (uint8_t port = 0; port < SWITCH_PORTS; ++port) {
        send(mesh, &peek[port], STRAIGHT(port, 2));
    }
    mesh->context = peek;
    CHECK(unit, mesh_run(mesh, all_ended, 1000000));
    CHECK(unit, mesh->now_us - since_us < 5000);
    for (uint8_t port = 0; port < SWITCH_PORTS; ++port) {
        check(unit, &peek[port], end_of(STRAIGHT(port, 2)));
    }
    free(mesh);
}

/* An originator without neighbours, on lines as boards have them. */
static void dead_neighbours(struct unit *unit)
{
    uint64_t most_us = 0;

    for (uint64_t seed = 1; seed <= 50; ++seed) {
        struct mesh *mesh = make_real(seed);
        struct peek peek[SWITCH_PORTS];
        uint64_t since_us = mesh->now_us;

        memset(mesh->dead + 1, true, sizeof mesh->dead - sizeof *mesh->dead);
        for (uint8_t port = 0; port < SWITCH_PORTS; ++port) {
            send(mesh, &peek[port], STRAIGHT(port, 1));
        }
        mesh->context = peek;
        CHECK(unit, mesh_run(mesh, all_ended, 1000000));
        most_us = mesh->now_us - since_us > most_us ? mesh->now_us - since_us
                                                    : most_us;
        free(mesh);
    }
    CHECK(unit, most_us < 250000);
    printf("# four dead neighbours are given up within %u ms at 2 Mbaud\n",
           (unsigned)(most_us / 1000));
}

/* ---- nodes and links that do not answer ---- */

static void dead_node(struct unit *unit)
{
    struct mesh *mesh = make(1);
    struct peek peek;

    mesh->dead[12] = true;
    send_and_wait(unit, mesh, &peek, knee);
    CHECK_EQUAL(unit, peek.message.error, ERR_DEAD_LINK);
    CHECK_EQUAL(unit, peek.message.reply_bytes, 0);
    CHECK_EQUAL(unit, mesh_counters(mesh).dead, 0);
    free(mesh);
}

/* A long message crosses the peek's path. */
static void held_port(struct unit *unit)
{
    static uint8_t bytes[60000];
    static uint8_t buffer[60000];
    struct mesh *mesh = make(1);
    struct switch_message message = {.path = STRAIGHT(TORUS_EAST, 2),
                                     .kind = 1,
                                     .segment = {{bytes, sizeof bytes}}};
    struct switch_receive receive = {
        .buffer = buffer, .capacity_bytes = sizeof buffer, .ports = 15};
    struct peek peek;

    switch_post(&mesh->core[3], &receive);
    mesh_send(mesh, 1, &message);
    mesh_run(mesh, NULL, 10000);
    send_and_wait(unit, mesh, &peek, STRAIGHT(TORUS_EAST, 2));
    CHECK_EQUAL(unit, peek.message.error, ERR_PORT_BUSY);
    CHECK_EQUAL(unit, message.state, SWITCH_ACTIVE);
    free(mesh);
}

/* ---- what waits at the same port ---- */

static bool message_done(struct mesh *mesh)
{
    const struct switch_message *message = mesh->context;

    return message->state == SWITCH_DONE;
}

/* Nobody takes the first of two messages for a while: peeks go ahead of them,
   and both come, in order, once they are wanted. */
static void ahead_of_what_is_refused(struct unit *unit)
{
    struct mesh *mesh = make(1);
    uint8_t data[2] = {11, 22};
    uint8_t got = 0;
    struct switch_message message[2];
    struct switch_receive receive = {
        .buffer = &got, .capacity_bytes = 1, .ports = 15};
    struct peek peek;

    for (unsigned i = 0; i < 2; ++i) {
        message[i] = (struct switch_message){
            .path = knee, .kind = (uint8_t)(1 + i), .segment = {{&data[i], 1}}};
        mesh_send(mesh, 0, &message[i]);
    }
    for (unsigned i = 0; i < 20; ++i) {
        mesh_run(mesh, NULL, 7777);
        send(mesh, &peek, STRAIGHT(TORUS_EAST, 3));
        CHECK(unit, run(mesh, &peek, 60000));
        check(unit, &peek, 3);
    }
    for (unsigned i = 0; i < 2; ++i) {
        switch_post(&mesh->core[12], &receive);
        mesh->context = &message[i];
        CHECK(unit, mesh_run(mesh, message_done, 1000000));
        CHECK_EQUAL(unit, message[i].error, ERR_OK);
        CHECK_EQUAL(unit, got, data[i]);
        CHECK_EQUAL(unit, mesh->core[12].last.count, i + 1);
        CHECK_EQUAL(unit, mesh->core[0].last.count, i + 1);
    }
    CHECK_EQUAL(unit, mesh->core[12].last.kind, 2);
    CHECK_EQUAL(unit, mesh->core[12].last.port, TORUS_SOUTH);
    CHECK(unit, !mesh->core[12].last.sent && mesh->core[0].last.sent);
    CHECK_EQUAL(unit, mesh->core[0].last.port, TORUS_EAST);
    CHECK_EQUAL(unit, mesh->core[0].last.bytes, 1);
    free(mesh);
}

/* Peeks do not reset how long a message is refused. */
static void patience_goes_on(struct unit *unit)
{
    struct mesh *mesh = make(1);
    struct switch_message message = {.path = knee, .kind = 1};
    struct peek peek;

    mesh->core[0].config.patience_us = 200000;
    mesh_send(mesh, 0, &message);
    for (unsigned i = 0; i < 30; ++i) {
        send(mesh, &peek, knee);
        CHECK(unit, run(mesh, &peek, 60000));
        check(unit, &peek, 12);
        mesh_run(mesh, NULL, 10000);
    }
    CHECK_EQUAL(unit, message.state, SWITCH_DONE);
    CHECK_EQUAL(unit, message.error, ERR_PORT_BUSY);
    free(mesh);
}

void test_peek(struct unit *unit)
{
    UNIT_RUN(unit, every_node);
    UNIT_RUN(unit, longest_and_shortest_answers);
    UNIT_RUN(unit, no_room);
    UNIT_RUN(unit, every_byte);
    UNIT_RUN(unit, random_damage);
    UNIT_RUN(unit, damaged_questions);
    UNIT_RUN(unit, long_question);
    UNIT_RUN(unit, four_at_once);
    UNIT_RUN(unit, dead_neighbours);
    UNIT_RUN(unit, dead_node);
    UNIT_RUN(unit, held_port);
    UNIT_RUN(unit, ahead_of_what_is_refused);
    UNIT_RUN(unit, patience_goes_on);
}

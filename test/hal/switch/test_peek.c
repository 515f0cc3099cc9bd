/* SPDX-License-Identifier: Apache-2.0 */
/* Peeks: a node whose program does nothing answers them. Whether the answers
   are right is also judged wherever there is traffic. */
#include "test/hal/switch/suite.h"
#include "test/hal/switch/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 5u
#define FAR LEFT(TORUS_EAST, 2, 2) /* from node 0 to 12 */

/* Nobody's program receives anything. */
static struct traffic *make_deaf(uint64_t seed)
{
    struct traffic *traffic = traffic_make(SQUARE(SIDE), seed, 1);

    traffic_deafen(traffic);
    return traffic;
}

static struct parcel *add_peek(struct traffic *traffic, struct torus_path path)
{
    struct parcel *parcel = traffic_add(traffic, 0, path, 0, 0);

    traffic_peek(parcel);
    return parcel;
}

/* ---- questions and answers of any length ---- */

/* What a node was asked, whatever came in. */
static struct {
    uint32_t bytes;
    uint32_t right;
    uint32_t wrong;
} asked;

/* Answers what it was asked, and more behind it. */
static unsigned answer_longest(void *context, const uint8_t *question,
                               uint32_t bytes, uint8_t *out)
{
    (void)context;
    asked.bytes = bytes;
    memset(out, 0xee, SWITCH_STATUS_BYTES);
    memcpy(out, question, SWITCH_QUESTION_BYTES);
    return SWITCH_STATUS_BYTES;
}

/* Of a longer question the first bytes are there, and how long it is; there may
   be nobody who answers. */
static void lengths(struct unit *unit)
{
    static const uint32_t lengths[] = {0, 1, 5, 8, 9, 240, 241, 600};

    for (unsigned i = 0; i <= sizeof lengths / sizeof *lengths; ++i) {
        bool nobody = i == sizeof lengths / sizeof *lengths;
        uint32_t bytes = nobody ? 1 : lengths[i];
        struct traffic *traffic = make_deaf(i + 1);
        struct parcel *parcel = traffic_add(traffic, 0, FAR, bytes, 0);

        parcel->message.kind = SWITCH_PEEK;
        parcel->message.reply = parcel->reply;
        traffic->mesh->core[12].config.status = nobody ? NULL : answer_longest;
        CHECK(unit, mesh_run(traffic->mesh, traffic_done, 1000000));
        CHECK_EQUAL(unit, parcel->message.error, ERR_OK);
        CHECK_EQUAL(unit, parcel->message.reply_bytes,
                    nobody ? 0 : SWITCH_STATUS_BYTES);
        CHECK_EQUAL(unit, parcel->reply[SWITCH_STATUS_BYTES], 0);
        CHECK_EQUAL(unit, parcel->reply[SWITCH_STATUS_BYTES - 1],
                    nobody ? 0 : 0xee);
        CHECK(unit, nobody || asked.bytes == bytes);
        for (unsigned k = 0; k < SWITCH_QUESTION_BYTES && !nobody; ++k) {
            CHECK_EQUAL(unit, parcel->reply[k],
                        k < bytes ? parcel->bytes[k] : 0);
        }
        traffic_free(traffic);
    }
}

/* A command, behind which there is nothing. */
static const uint8_t command[SWITCH_QUESTION_BYTES] = {0x81, 'R', 'S', 'T',
                                                       '!'};

static unsigned note_command(void *context, const uint8_t *question,
                             uint32_t bytes, uint8_t *out)
{
    bool right =
        bytes == 5 && memcmp(question, command, SWITCH_QUESTION_BYTES) == 0;

    (void)context;
    asked.right += right;
    asked.wrong += !right;
    out[0] = 1;
    return 1;
}

/* A node that acts upon a question that nobody asked would reset itself on a
   bad line: of 300 meshes with 2 % of the bytes hurt none does. */
static void damaged_questions(struct unit *unit)
{
    unsigned came = 0;

    memset(&asked, 0, sizeof asked);
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        struct traffic *traffic = make_deaf(seed);
        struct mesh *mesh = traffic->mesh;
        struct switch_message *message = &add_peek(traffic, FAR)->message;

        message->segment[0] = (struct switch_segment){command, 5};
        for (uint32_t node = 0; node < mesh->nodes; ++node) {
            mesh->core[node].config.status = note_command;
        }
        mesh->fault_ppm[MESH_NONE] = 1;
        mesh->fault_ppm[MESH_DROP] = 5000;
        mesh->fault_ppm[MESH_CHANGE] = 10000;
        mesh->fault_ppm[MESH_REPEAT] = 5000;
        CHECK(unit, mesh_run(mesh, traffic_done, 10000000));
        came += message->error == ERR_OK && message->reply_bytes == 1;
        traffic_free(traffic);
    }
    CHECK(unit, asked.right > 150 && came > 150);
    CHECK_EQUAL(unit, asked.wrong, 0);
}

/* ---- several at once ---- */

/* Out of each port at 2 Mbaud, with the lateness that a board's switch reckons
   with: over two hops they take no longer than one alone, but for a held link;
   an originator's dead neighbours are given up soon. */
static void four_at_once(struct unit *unit)
{
    uint64_t most_us = 0;

    for (uint64_t seed = 0; seed <= 50; ++seed) {
        struct traffic *traffic = make_deaf(seed);
        struct mesh *mesh = traffic->mesh;
        uint64_t took_us;

        mesh->byte_us = 5;
        mesh->tick_us = 1000;
        for (uint32_t node = 0; node < mesh->nodes; ++node) {
            mesh->core[node].config.byte_ns = 5000;
            mesh->core[node].config.slack_us = SWITCH_SLACK_US;
            mesh->dead[node] = node > 0 && seed > 0;
        }
        for (uint8_t port = 0; port < TORUS_PORTS; ++port) {
            add_peek(traffic, STRAIGHT(port, seed == 0 ? 2 : 1));
        }
        took_us = mesh->now_us;
        CHECK(unit, mesh_run(mesh, traffic_done, 1000000));
        took_us = mesh->now_us - took_us;
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            CHECK_EQUAL(unit, traffic->parcel[port].message.error,
                        seed == 0 ? ERR_OK : ERR_DEAD_LINK);
        }
        CHECK(unit, traffic_wrong(traffic) == NULL);
        CHECK(unit, took_us < (seed == 0 ? 7000 : 250000));
        CHECK_EQUAL(unit, mesh_counters(mesh).dead, 0);
        most_us = took_us > most_us ? took_us : most_us;
        traffic_free(traffic);
    }
    printf("# four dead neighbours are given up within %u ms at 2 Mbaud\n",
           (unsigned)(most_us / 1000));
}

/* ---- beside messages ---- */

/* A long message crosses the peek's path. */
static void held_port(struct unit *unit)
{
    struct traffic *traffic = traffic_make(SQUARE(SIDE), 1, 60000);
    struct parcel *parcel =
        traffic_add(traffic, 1, STRAIGHT(TORUS_EAST, 2), 60000, 0);
    struct parcel *peek;

    mesh_run(traffic->mesh, NULL, 10000);
    peek = add_peek(traffic, STRAIGHT(TORUS_EAST, 2));
    mesh_run(traffic->mesh, NULL, 400000);
    CHECK_EQUAL(unit, peek->message.state, SWITCH_DONE);
    CHECK_EQUAL(unit, peek->message.error, ERR_PORT_BUSY);
    CHECK_EQUAL(unit, parcel->message.state, SWITCH_ACTIVE);
    traffic_check(unit, traffic);
}

/* Nobody takes the first of two messages for a while: peeks go ahead of them,
   and both come, in order, once they are wanted. */
static void ahead_of_what_is_refused(struct unit *unit)
{
    struct traffic *traffic = make_deaf(1);
    struct mesh *mesh = traffic->mesh;

    traffic_add(traffic, 0, FAR, 1, 0);
    traffic_add(traffic, 0, FAR, 0, 0);
    for (unsigned i = 0; i < 20; ++i) {
        struct parcel *peek;

        mesh_run(mesh, NULL, 7777);
        peek = add_peek(traffic, STRAIGHT(TORUS_EAST, 3));
        mesh_run(mesh, NULL, 60000);
        CHECK_EQUAL(unit, peek->message.state, SWITCH_DONE);
        CHECK_EQUAL(unit, peek->message.error, ERR_OK);
    }
    CHECK_EQUAL(unit, mesh->core[12].last.count, 0);
    traffic->deaf[12] = false;
    traffic_check(unit, traffic);
}

/* Of a message that is refused for long, whatever is peeked at meanwhile. */
static void patience_goes_on(struct unit *unit)
{
    struct traffic *traffic = make_deaf(1);
    struct parcel *parcel = traffic_add(traffic, 0, FAR, 1, 0);

    traffic->mesh->core[0].config.patience_us = 200000;
    for (unsigned i = 0; i < 30; ++i) {
        struct parcel *peek = add_peek(traffic, FAR);

        mesh_run(traffic->mesh, NULL, 40000);
        CHECK_EQUAL(unit, peek->message.error, ERR_OK);
    }
    CHECK_EQUAL(unit, parcel->message.state, SWITCH_DONE);
    CHECK_EQUAL(unit, parcel->message.error, ERR_PORT_BUSY);
    CHECK(unit, traffic_wrong(traffic) == NULL);
    traffic_free(traffic);
}

void test_peek(struct unit *unit)
{
    UNIT_RUN(unit, lengths);
    UNIT_RUN(unit, damaged_questions);
    UNIT_RUN(unit, four_at_once);
    UNIT_RUN(unit, held_port);
    UNIT_RUN(unit, ahead_of_what_is_refused);
    UNIT_RUN(unit, patience_goes_on);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sends, and parts that the switch sends on by itself. What is in messages of
   jobs is seen by any job on serial boards. */
#include "test/hal/serial/world.h"

#include <string.h>

static void send_now(struct unit *unit, unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        CHECK_EQUAL(unit, send_at(0), ERR_OK);
    }
}

static void sends_go_when_their_time_comes(struct unit *unit)
{
    static const uint32_t gone_us[] = {0, 200, 500};

    CHECK_EQUAL(unit, send_at(500), ERR_OK);
    CHECK_EQUAL(unit, send_at(0), ERR_OK);
    CHECK_EQUAL(unit, send_at(200), ERR_OK);
    CHECK_EQUAL(unit, world.sends, 1);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, world.sends, 3);
    for (unsigned i = 0; i < 3; ++i) {
        CHECK_EQUAL(unit, world.sent_ps[i], gone_us[i] * PS_PER_US);
    }
    /* One in the first place, while nothing else is under way. */
    start();
    CHECK_EQUAL(unit, send_at(250), ERR_OK);
    CHECK_EQUAL(unit, world.sends, 0);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, world.ended, 1);
    CHECK_EQUAL(unit, world.sent_ps[0], 300 * PS_PER_US);
}

static void no_send_takes_time_when_it_is_quiet(struct unit *unit)
{
    CHECK_EQUAL(unit, circuit_quiet(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, world.idles, 0);
    world.error[1] = ERR_DEAD_LINK;
    CHECK_EQUAL(unit, send_at(0), ERR_OK);
    CHECK_EQUAL(unit, send_at(250), ERR_OK);
    CHECK_EQUAL(unit, circuit_quiet(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, world.ended, 3); /* one by both ways */
}

/* One more than there are places waits until one ends, if one does. */
static void one_more_than_there_are_places(struct unit *unit)
{
    send_now(unit, SERIAL_CIRCUIT_SENDS);
    CHECK_EQUAL(unit, world.idles, 0);
    send_now(unit, 1);
    CHECK_EQUAL(unit, world.sends, SERIAL_CIRCUIT_SENDS + 1);
    CHECK(unit, world.idles > 0 && world.idles <= 2);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, world.ended, SERIAL_CIRCUIT_SENDS + 1);
    start();
    world.holds_sends = true;
    world.idles_max = 10;
    send_now(unit, SERIAL_CIRCUIT_SENDS);
    CHECK_EQUAL(unit, send_at(0), ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.sends, SERIAL_CIRCUIT_SENDS);
}

static void the_first_error_is_told_once(struct unit *unit)
{
    world.error[1] = ERR_NO_ROUTE;
    world.error[2] = ERR_DEAD_LINK;
    send_now(unit, 4);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_NO_ROUTE);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
}

/* Each in its turn, even behind the drain; of more than fit the last ones. */
static void each_failure_is_told_once(struct unit *unit)
{
    struct circuit_failure told = {.job = 0};

    CHECK(unit, !circuit_failed(&world.circuit, &told));
    world.error[1] = ERR_NO_ROUTE;
    world.error[2] = ERR_DEAD_LINK;
    world.circuit.job = 77;
    bytes_store_u32(world.memory, 12345);
    bytes_store_u32(world.memory + 4, 678);
    send_now(unit, 4);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_NO_ROUTE);
    CHECK(unit, circuit_failed(&world.circuit, &told));
    CHECK_EQUAL(unit, told.error, ERR_NO_ROUTE);
    CHECK_EQUAL(unit, told.job, 77);
    CHECK_EQUAL(unit, told.kind, 7);
    CHECK_EQUAL(unit, told.path.port, TORUS_EAST);
    CHECK_EQUAL(unit, told.path.hops, 1);
    CHECK_EQUAL(unit, told.hops, CIRCUIT_HOPS_UNKNOWN);
    CHECK_EQUAL(unit, told.units, 12345);
    CHECK_EQUAL(unit, told.first_unit, 678);
    CHECK_EQUAL(unit, told.label, 0);
    CHECK(unit, told.time_ps > 0 && told.time_ps <= now_ps());
    CHECK(unit, circuit_failed(&world.circuit, &told));
    CHECK_EQUAL(unit, told.error, ERR_DEAD_LINK);
    CHECK(unit, !circuit_failed(&world.circuit, &told));
    start();
    memset(world.error, ERR_DEAD_LINK, sizeof world.error);
    for (unsigned i = 0; i < SERIAL_FAILURES + 3; ++i) {
        bytes_store_u32(world.memory, i);
        send_now(unit, 1);
        CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_DEAD_LINK);
    }
    for (unsigned i = 0; i < SERIAL_FAILURES; ++i) {
        CHECK(unit, circuit_failed(&world.circuit, &told));
        CHECK_EQUAL(unit, told.units, 3 + i);
    }
    CHECK(unit, !circuit_failed(&world.circuit, &told));
}

/* By the other way, as if it came by the first one; and what comes behind goes
   there at once. If both are dead, nothing goes. */
static void what_has_no_way_turns(struct unit *unit)
{
    world.has_ways = true;
    world.error[0] = ERR_DEAD_LINK;
    for (unsigned i = 0; i < 2; ++i) {
        send_now(unit, 1);
        CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
        CHECK_EQUAL(unit, world.sends, 2 + i);
        CHECK_EQUAL(unit, world.sent[1 + i]->path.port, TORUS_WEST);
        CHECK_EQUAL(unit, world.sent[1 + i]->path.hops, 2);
        CHECK_EQUAL(unit, world.sent[1 + i]->aside, 2);
    }
    world.has_ways = false;
    send_now(unit, 1);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_DEAD_LINK);
    CHECK_EQUAL(unit, world.sends, 4);
    send_now(unit, 1);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_DEAD_LINK);
    CHECK_EQUAL(unit, world.sends, 4);
}

/* Lost is who does not answer by either way, and whom a message of the job did
   not reach; who is busy is not. */
static void nobody_is_lost_who_answers(struct unit *unit)
{
    static const struct torus_path path = {0, TORUS_STRAIGHT, 1, 0};
    static const unsigned asked = 1u << TORUS_EAST | 1u << TORUS_NORTH;
    unsigned lost = 0;

    CHECK_EQUAL(unit, circuit_ask(&world.circuit, asked, path, &lost), ERR_OK);
    CHECK_EQUAL(unit, lost, 0);
    CHECK_EQUAL(unit, world.sends, 2);
    world.error[2] = ERR_DEAD_LINK;
    world.error[4] = ERR_PORT_BUSY;
    CHECK_EQUAL(unit, circuit_ask(&world.circuit, asked, path, &lost), ERR_OK);
    CHECK_EQUAL(unit, lost, 0);
    CHECK_EQUAL(unit, world.sends, 2 + 3);
    memset(&world.error[5], ERR_DEAD_LINK, 4);
    CHECK_EQUAL(unit, circuit_ask(&world.circuit, asked, path, &lost), ERR_OK);
    CHECK_EQUAL(unit, lost, 1u << TORUS_EAST);
    world.error[world.sends] = ERR_DEAD_LINK;
    send_now(unit, 1);
    CHECK_EQUAL(unit, circuit_ask(&world.circuit, asked, path, &lost), ERR_OK);
    CHECK_EQUAL(unit, lost, 1u << TORUS_EAST);
    CHECK_EQUAL(unit, world.sends, 5 + 5 + 3);
}

/* ---- what the switch sends on by itself ---- */

#define PART_BYTES 68u /* three words, tables of 5 layers, 16 units */
#define PART_LABEL (2u | 4u << 4 | 1u << 8 | 5u << 16 | 10u << 25)

/* What a node of layer 2 gets: 16 units, of which it keeps 3; forms 3 and 4
   have 2 and 1 for each port, and one more for the first of form 3. */
static void store_part(uint8_t *at)
{
    static const uint32_t tables[] = {9, 9, 3, 1, 1, 9, 9, 9, 2, 1};

    bytes_store_u32(at, 16);
    bytes_store_u32(at + 4, 100);
    bytes_store_u32(at + 8, PART_LABEL);
    for (unsigned i = 0; i < 10; ++i) {
        bytes_store_u32(at + 12 + 4 * i, tables[i]);
    }
    for (uint32_t i = 52; i < 52 + 16; ++i) {
        at[i] = (uint8_t)i;
    }
}

static void parts_are_sent_on(struct unit *unit)
{
    static const struct circuit_message straight = {.path = {0, 0, 1, 0},
                                                    .kind = 9};
    static const uint32_t at[] = {7, 10, 12, 14, 3, 4, 5, 6};
    static const uint32_t units[] = {3, 2, 2, 2, 1, 1, 1, 1};
    struct circuit_cut cut = {.form = 3, .unit_bytes = 1};
    struct circuit_failure told = {.units = 0};
    /* As many as there are, thrice; more; fewer than the tables say. */
    static const uint8_t units_told[] = {16, 16, 16, 17, 14, 16};

    for (unsigned n = 0; n < 6; ++n) {
        start();
        cut.job = n == 5 ? 4 : 3; /* it is one of job 3 */
        CHECK_EQUAL(unit, circuit_prepare(&world.circuit, 3, &straight), 0);
        CHECK_EQUAL(unit, circuit_prepare(&world.circuit, 4, &straight), 0);
        circuit_expect(&world.circuit, &cut);
        if (n != 1) { /* else it is not posted */
            circuit_post(&world.circuit, 2u | 1u << 8 | 5u << 16);
        }
        expect(PART_BYTES, 100, 0);
        store_part(world.message + CIRCUIT_HEADER_BYTES);
        world.message[CIRCUIT_HEADER_BYTES] = units_told[n];
        world.message[CIRCUIT_HEADER_BYTES + 10] = n == 2 ? 6 : 5; /* round */
        world.error[6] = ERR_DEAD_LINK;
        CHECK_EQUAL(unit, receive(), ERR_OK);
        CHECK_EQUAL(unit, circuit_drain(&world.circuit),
                    n == 0 ? ERR_DEAD_LINK : ERR_OK);
        CHECK_EQUAL(unit, world.sends, n == 0 ? 8 + 1 : 0);
        CHECK_EQUAL(unit, circuit_failed(&world.circuit, &told), n == 0);
        CHECK(unit, n > 0 || (told.path.port == 2 && told.units == units[6] &&
                              told.first_unit == 100 + at[6] &&
                              CIRCUIT_LABEL_FORM(told.label) == 4));
        for (unsigned i = 0; i + 1 < world.sends; ++i) {
            const struct switch_message *message = world.sent[i];
            const uint8_t *head = message->segment[1].data;

            CHECK_EQUAL(unit, bytes_load_u32(head), units[i]);
            CHECK_EQUAL(unit, bytes_load_u32(head + 4), 100 + at[i]);
            CHECK_EQUAL(unit, bytes_load_u32(head + 8),
                        (3 + i / 4) | 4u << 4 | i % 4 << 8 | 5u << 16 |
                            10u << 25);
            CHECK(unit,
                  message->segment[2].data == world.delivery.payload + 12);
            CHECK_EQUAL(unit, message->segment[2].bytes, 40);
            CHECK_EQUAL(
                unit, bytes_load_u16(message->segment[0].data + CIRCUIT_AT_JOB),
                3);
            CHECK(unit, message->segment[3].data ==
                            world.delivery.payload + 52 + at[i]);
            CHECK_EQUAL(unit, message->segment[3].bytes, units[i]);
        }
        check_locks(unit);
    }
}

static void a_close_ends_what_does_not_end(struct unit *unit)
{
    CHECK_EQUAL(unit, send_at(0), ERR_OK);
    circuit_close(&world.circuit);
    CHECK_EQUAL(unit, world.resets, 0);
    CHECK_EQUAL(unit, world.ended, 1);
    world.holds_sends = true;
    world.idles_max = world.idles + 10;
    CHECK_EQUAL(unit, send_at(0), ERR_OK);
    circuit_close(&world.circuit);
    CHECK_EQUAL(unit, world.resets, 1);
}

void test_sends(struct unit *unit)
{
    RUN(no_send_takes_time_when_it_is_quiet);
    RUN(sends_go_when_their_time_comes);
    RUN(one_more_than_there_are_places);
    RUN(the_first_error_is_told_once);
    RUN(each_failure_is_told_once);
    RUN(what_has_no_way_turns);
    RUN(nobody_is_lost_who_answers);
    RUN(parts_are_sent_on);
    RUN(a_close_ends_what_does_not_end);
}

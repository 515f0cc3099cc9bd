/* SPDX-License-Identifier: Apache-2.0 */
/* Receives: the host's messages, the clock, deadlines, buffers. */
#include "test/hal/serial/world.h"

#include <string.h>

/* ---- the host's messages ---- */

static void a_drain_waits_for_the_host(struct unit *unit)
{
    const struct circuit_message message = {.kind = 8,
                                            .shared = {world.memory, 40}};

    world.host_takes_us = 700;
    CHECK_EQUAL(unit, circuit_send(&world.circuit, TO_HOST, &message), 0);
    CHECK_EQUAL(unit, circuit_send(&world.circuit, TO_HOST, &message),
                ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.mailbox.out_bytes, 40);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 700);
}

/* ---- receives ---- */

static void the_first_message_sets_the_clock(struct unit *unit)
{
    uint64_t set_us;

    expect(40, 5000, 300);
    CHECK_EQUAL(unit, receive(), ERR_OK);
    CHECK_EQUAL(unit, world.delivery.bytes, 40);
    CHECK_EQUAL(unit, world.delivery.kind, 9);
    CHECK_EQUAL(unit, world.delivery.job, 3);
    CHECK_EQUAL(unit, world.delivery.port, TORUS_NORTH);
    set_us = 5000 + (CIRCUIT_HEADER_BYTES + 40) * BYTE_NS / 1000;
    CHECK_EQUAL(unit, now_us(), set_us);
    /* No later one does, until the mesh is told anew. */
    expect(40, 900000, (uint32_t)set_us + 200);
    CHECK_EQUAL(unit, receive(), ERR_OK);
    CHECK_EQUAL(unit, now_us(), set_us + 200);
    CHECK_EQUAL(unit, started_us(), set_us + 200);
    world.serial.synchronised = false;
    expect(0, 900000, 0);
    CHECK_EQUAL(unit, receive(), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 900000 + CIRCUIT_HEADER_BYTES * BYTE_NS / 1000);
}

/* Crystals differ: the next job's first message sets it again, an errand of a
   job of another number does not. */
static void each_job_sets_the_clock(struct unit *unit)
{
    static const struct {
        uint16_t job;
        uint8_t kind;
        bool sets;
    } messages[] = {{3, 9, true},  {3, 9, false}, {4, 9, true},
                    {4, 9, false}, {0, 9, false}, {5, SERIAL_ERRAND, false},
                    {5, 9, true}};

    for (unsigned i = 0; i < sizeof messages / sizeof *messages; ++i) {
        expect(8, 100000 * (i + 1), 0);
        bytes_store_u16(world.message + CIRCUIT_AT_JOB, messages[i].job);
        world.message[CIRCUIT_AT_KIND] = messages[i].kind;
        CHECK_EQUAL(unit, receive(), ERR_OK);
        CHECK_EQUAL(unit, now_us() >= 100000 * (i + 1), messages[i].sets);
    }
}

/* The header's time is modulo 2^32 us; a clock may be ahead. */
static void the_clock_is_set_back_too(struct unit *unit)
{
    world.clock.base_ps = ((1ull << 32) + 4000) * PS_PER_US;
    expect(0, 3000, 0);
    CHECK_EQUAL(unit, receive(), ERR_OK);
    CHECK_EQUAL(unit, now_ps() / PS_PER_US,
                (1ull << 32) + 3000 + CIRCUIT_HEADER_BYTES * BYTE_NS / 1000);
}

static void a_message_of_another_mesh(struct unit *unit)
{
    for (unsigned i = 0; i < 4; ++i) {
        world.circuit.job = i == 3 ? 4 : 0;
        expect(8, 5000, 0);
        bytes_store_u32(world.message + CIRCUIT_AT_MESH, MESH + (i == 0));
        bytes_store_u32(world.message + CIRCUIT_AT_LENGTH, 8 - (i == 1));
        world.message_bytes -= i == 2 ? 9 : 0;
        CHECK_EQUAL(unit, receive(), ERR_FOREIGN);
    }
    CHECK(unit, !world.serial.synchronised);
    CHECK(unit, now_us() < 5000);
}

/* Whoever sends it may compute for minutes: only the node ends the wait. */
static void a_message_that_does_not_come(struct unit *unit)
{
    for (unsigned i = 0; i < 2; ++i) {
        world.circuit.job = i == 0 ? 3 : CIRCUIT_ANY_JOB;
        world.idles_max = world.idles + 500000000u / IDLE_US;
        CHECK_EQUAL(unit, receive(), ERR_PORT_BUSY);
        CHECK_EQUAL(unit, world.idles, world.idles_max + 1);
        CHECK_EQUAL(unit, world.cancels, i + 1);
        check_locks(unit);
    }
}

/* Whether or not there is a job; at once, if it has passed. */
static void a_deadline_ends_a_receive(struct unit *unit)
{
    static const uint32_t deadlines_us[] = {0, 1, 450, 2000};

    for (unsigned i = 0; i < 8; ++i) {
        uint32_t deadline_us = deadlines_us[i / 2];

        start();
        world.circuit.job = i % 2 == 0 ? 3 : CIRCUIT_ANY_JOB;
        CHECK_EQUAL(unit, receive_until(deadline_us), ERR_TIMEOUT);
        CHECK(unit, now_us() >= deadline_us);
        CHECK(unit, now_us() <= deadline_us + IDLE_US);
        CHECK_EQUAL(unit, world.cancels, 1);
        check_locks(unit);
    }
}

/* What comes by the deadline is delivered, also if its last byte comes in when
   the time is up and the receive not yet taken back: its sender has been told
   that it arrived. What comes later is the next receive's. */
static void a_deadline_and_a_message(struct unit *unit)
{
    static const uint32_t arrives_us[] = {300, 450, 1000};

    for (unsigned i = 0; i < 3; ++i) {
        start();
        expect(20, 777, arrives_us[i]);
        world.interrupts = arrives_us[i] == 450;
        if (arrives_us[i] > 450) {
            CHECK_EQUAL(unit, receive_until(450), ERR_TIMEOUT);
        }
        CHECK_EQUAL(unit, receive_until(arrives_us[i] > 450 ? 2000 : 450),
                    ERR_OK);
        CHECK_EQUAL(unit, world.delivery.bytes, 20);
        CHECK_EQUAL(unit, world.cancels, arrives_us[i] > 300);
        check_locks(unit);
    }
}

/* ---- receives ahead ---- */

#define AHEAD_MASK (0xfu | CIRCUIT_ONLY(9))

static int ahead(unsigned place)
{
    return circuit_receive_ahead(&world.circuit, AHEAD_MASK,
                                 world.memory + 512 + 64 * place, 64);
}

static int receive_ahead(uint32_t deadline_us)
{
    return circuit_receive_until(&world.circuit, &world.delivery, AHEAD_MASK,
                                 world.memory, 512, deadline_us * PS_PER_US);
}

/* A message comes while the node computes, and is there when it is asked for
   without a wait; the other receive waits on, past a deadline too. */
static void messages_come_ahead(struct unit *unit)
{
    uint8_t *at[2];

    world.circuit.job = 3;
    CHECK_EQUAL(unit, ahead(0), ERR_OK);
    CHECK_EQUAL(unit, ahead(1), ERR_OK);
    CHECK_EQUAL(unit, receive_ahead(0), ERR_TIMEOUT);
    CHECK_EQUAL(unit, world.idles, 0);
    for (unsigned i = 0; i < 2; ++i) {
        expect(8 + i, 0, 0);
        deliver();
        CHECK_EQUAL(unit, receive_ahead(0), ERR_OK);
        CHECK_EQUAL(unit, world.delivery.bytes, 8 + i);
        at[i] = world.delivery.payload - CIRCUIT_HEADER_BYTES;
        CHECK(unit,
              at[i] == world.memory + 512 || at[i] == world.memory + 512 + 64);
    }
    CHECK(unit, at[0] != at[1]);
    CHECK_EQUAL(unit, world.idles, 0);
    CHECK_EQUAL(unit, world.cancels, 0);
    /* None is ahead: the buffer of the call is used. */
    expect(8, 0, 0);
    CHECK_EQUAL(unit, receive_ahead(1000), ERR_OK);
    CHECK(unit, world.delivery.payload == world.memory + CIRCUIT_HEADER_BYTES);
}

static void receives_ahead_are_taken_back(struct unit *unit)
{
    CHECK_EQUAL(unit, ahead(0), ERR_OK);
    CHECK_EQUAL(unit, ahead(1), ERR_OK);
    expect(8, 0, 300);
    CHECK_EQUAL(unit,
                circuit_receive(&world.circuit, &world.delivery,
                                0xfu | CIRCUIT_ONLY(8), world.memory, 512),
                ERR_OK);
    CHECK_EQUAL(unit, world.cancels, 1);
    CHECK(unit, world.delivery.payload == world.memory + CIRCUIT_HEADER_BYTES);
    CHECK_EQUAL(unit, ahead(0), ERR_OK);
    circuit_close(&world.circuit);
    CHECK(unit, world.receive == NULL);
}

static void receives_ahead_that_are_none(struct unit *unit)
{
    CHECK_EQUAL(unit,
                circuit_receive_ahead(&world.circuit, AHEAD_MASK,
                                      world.memory + MEMORY_BYTES - 32, 64),
                ERR_BUFFER);
    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        CHECK_EQUAL(unit, ahead(i), ERR_OK);
    }
    CHECK_EQUAL(unit, ahead(CIRCUIT_AHEAD_MAX), ERR_PORT_BUSY);
}

/* What came and was not taken is the job before's. */
static void receives_ahead_of_the_job_before(struct unit *unit)
{
    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        world.serial.receive[i].state = SWITCH_DONE;
    }
    CHECK_EQUAL(unit, circuit_open(&world.circuit, &world.serial, &world.clock),
                ERR_OK);
    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        CHECK_EQUAL(unit, ahead(i), ERR_OK);
    }
}

/* ---- buffers ---- */

static void buffers_that_are_none(struct unit *unit)
{
    const struct {
        uint8_t *buffer;
        uint32_t bytes;
        int error;
    } tries[] = {
        {world.memory, MEMORY_BYTES, ERR_OK},
        {world.memory, MEMORY_BYTES + 1, ERR_BUFFER},
        {world.memory + 8, MEMORY_BYTES, ERR_BUFFER},
        {world.memory, CIRCUIT_HEADER_BYTES - 1, ERR_BUFFER},
        {world.aside, ASIDE_BYTES, ERR_OK},
        {world.aside + 8, ASIDE_BYTES, ERR_BUFFER},
    };

    for (unsigned i = 0; i < sizeof tries / sizeof *tries; ++i) {
        start();
        expect(8, 0, 0);
        CHECK_EQUAL(unit,
                    circuit_receive(&world.circuit, &world.delivery, 0xf,
                                    tries[i].buffer, tries[i].bytes),
                    tries[i].error);
        CHECK_EQUAL(unit, world.receive != NULL, 0);
    }
}

static void nobody_orders(struct unit *unit)
{
    world.idles_max = 3;
    CHECK_EQUAL(unit, receive_host(), ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.mailbox.in, MAILBOX_CLOSED);
}

/* The answer's clock begins at clock_started_ps(): when the order's last byte
   has come, neither with the message before it nor with the first byte. */
static void an_order_starts_the_clock(struct unit *unit)
{
    static const uint8_t order[] = {1, 2, 3, 4, 5};
    const struct given given = {order, sizeof order, 6, 700};

    world.serial.synchronised = true;
    world.serial.timed_job = 3;
    expect(40, 5000, 200);
    CHECK_EQUAL(unit, receive(), ERR_OK);
    CHECK_EQUAL(unit, started_us(), 200);
    world.gives = &given;
    world.gives_count = 1;
    CHECK_EQUAL(unit, receive_host(), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 700);
    CHECK_EQUAL(unit, started_us(), 700);
    CHECK_EQUAL(unit, world.delivery.bytes, sizeof order);
    CHECK_EQUAL(unit, world.delivery.port, CIRCUIT_HOST);
    CHECK_EQUAL(unit, world.delivery.kind, 6);
    CHECK_EQUAL(unit, world.delivery.job, 4);
    CHECK(unit, memcmp(world.delivery.payload, order, sizeof order) == 0);
    CHECK_EQUAL(unit, circuit_settle(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 2700);
    CHECK_EQUAL(unit, started_us(), 700);
}

/* Others set theirs by it: a result or demand that has waited does not, also if
   it is the first message since the mesh was told anew. */
static void an_order_is_the_clock(struct unit *unit)
{
    static const uint8_t order[] = {1, 2, 3, 4, 5};
    const struct given given = {order, sizeof order, 6, 700};

    world.gives = &given;
    world.gives_count = 1;
    CHECK_EQUAL(unit, receive_host(), ERR_OK);
    expect(40, 100, 900);
    bytes_store_u16(world.message + CIRCUIT_AT_JOB, world.delivery.job);
    CHECK_EQUAL(unit, receive(), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 900);
}

static void settling_takes_two_milliseconds(struct unit *unit)
{
    CHECK_EQUAL(unit, circuit_settle(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 2000);
    world.idles_max = world.idles + 3;
    CHECK_EQUAL(unit, circuit_settle(&world.circuit), ERR_PORT_BUSY);
}

void test_receives(struct unit *unit)
{
    RUN(a_drain_waits_for_the_host);
    RUN(the_first_message_sets_the_clock);
    RUN(each_job_sets_the_clock);
    RUN(the_clock_is_set_back_too);
    RUN(a_message_of_another_mesh);
    RUN(a_message_that_does_not_come);
    RUN(a_deadline_ends_a_receive);
    RUN(a_deadline_and_a_message);
    RUN(messages_come_ahead);
    RUN(receives_ahead_are_taken_back);
    RUN(receives_ahead_that_are_none);
    RUN(receives_ahead_of_the_job_before);
    RUN(buffers_that_are_none);
    RUN(nobody_orders);
    RUN(an_order_starts_the_clock);
    RUN(an_order_is_the_clock);
    RUN(settling_takes_two_milliseconds);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of other nodes' hosts, hal/serial/errand.h, that do not go well: those
   that do are test/mesh/test_serial_originators.py's. */
#include "test/hal/serial/world.h"

#include <string.h>

#define ORDER_BYTES 24u

static const struct torus_path there = {TORUS_EAST, TORUS_LEFT, 1, 2};
static const struct torus_path beside = {TORUS_WEST, TORUS_STRAIGHT, 1, 0};

/* An order, and errands behind it, the last of which comes first. */
static struct {
    uint8_t data[80];
    uint32_t bytes;
} errands;

static void begin_errands(uint32_t order_bytes)
{
    memset(&errands, 7, sizeof errands);
    errands.bytes = order_bytes;
}

static void add_errand(struct torus_path path, unsigned errand)
{
    serial_errand_store(errands.data + errands.bytes, path,
                        (enum serial_errand)errand, 6);
    errands.bytes += SERIAL_ERRAND_BYTES;
}

/* The host gives them, and hears with what error they end after so many were
   done; no order comes of it. */
static void check_answer(struct unit *unit, int error, uint32_t done)
{
    const struct given given = {errands.data, errands.bytes, SERIAL_ERRAND, 0};

    world.gives = &given;
    world.gives_count = 1;
    world.gets = true;
    world.idles_max = world.idles + 40;
    CHECK_EQUAL(unit, receive_host(), ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.gots, 1);
    CHECK_EQUAL(unit, world.got_kind, SERIAL_ERRAND);
    CHECK_EQUAL(unit, world.got_bytes, SERIAL_ANSWER_BYTES);
    CHECK_EQUAL(unit, (int32_t)bytes_load_u32(world.got), error);
    CHECK_EQUAL(unit, bytes_load_u32(world.got + 4), done);
}

static void one_that_does_not_begin(struct unit *unit)
{
    world.error[1] = ERR_DEAD_LINK;
    begin_errands(ORDER_BYTES);
    add_errand(there, SERIAL_ERRAND_LEAD);
    add_errand(there, SERIAL_ERRAND_START);
    add_errand(beside, SERIAL_ERRAND_START);
    add_errand(there, SERIAL_ERRAND_START);
    check_answer(unit, ERR_DEAD_LINK, 1);
    CHECK_EQUAL(unit, world.sends, 2 + 1); /* one by both ways */
    start();
    world.error[0] = ERR_DEAD_LINK;
    begin_errands(0);
    add_errand(there, SERIAL_ERRAND_FETCH);
    check_answer(unit, ERR_DEAD_LINK, 0);
}

static void errands_of_nonsense(struct unit *unit)
{
    static const struct {
        struct torus_path path;
        uint8_t errand;
        uint8_t bytes;
        int error;
    } tries[] = {{{TORUS_EAST, TORUS_STRAIGHT, 1, 0}, 9, 8, ERR_FIELD},
                 {{TORUS_EAST, TORUS_STRAIGHT, 1, 0}, 2, 7, ERR_LENGTH},
                 {{9, TORUS_STRAIGHT, 1, 0}, 1, 8, ERR_NO_ROUTE},
                 {{TORUS_EAST, 7, 1, 0}, 2, 8, ERR_NO_ROUTE},
                 {{TORUS_EAST, TORUS_STRAIGHT, 0, 0}, 3, 8, ERR_NO_ROUTE},
                 {{TORUS_EAST, TORUS_STRAIGHT, 6, 0}, 3, 8, ERR_NO_ROUTE}};

    for (unsigned i = 0; i < sizeof tries / sizeof *tries; ++i) {
        start();
        begin_errands(0);
        add_errand(tries[i].path, tries[i].errand);
        errands.bytes = tries[i].bytes;
        check_answer(unit, tries[i].error, 0);
        CHECK_EQUAL(unit, world.sends, 0);
        world.serial.ordered = SERIAL_ORDERED_BY_MESH;
        expect(errands.bytes, 0, 0);
        world.message[CIRCUIT_AT_KIND] = SERIAL_ERRAND;
        memcpy(world.message + CIRCUIT_HEADER_BYTES, errands.data, 8);
        CHECK_EQUAL(unit, receive_host(), ERR_FIELD); /* is no START */
    }
}

/* Only errands in front of the last one that is not there either. */
static void errands_without_an_end(struct unit *unit)
{
    begin_errands(0);
    add_errand(there, SERIAL_ERRAND_START);
    check_answer(unit, ERR_LENGTH, 1);
}

/* Over the mesh: in a job, somewhere else in memory, or another errand: a
   message as any. */
static void errands_that_make_no_originator(struct unit *unit)
{
    for (unsigned i = 0; i < 4; ++i) {
        start();
        begin_errands(ORDER_BYTES);
        add_errand(there, i == 0 ? SERIAL_ERRAND_START : SERIAL_ERRAND_ORDER);
        world.circuit.job = i == 1 ? 3 : CIRCUIT_ANY_JOB;
        expect(errands.bytes, 0, 0);
        world.message[CIRCUIT_AT_KIND] = SERIAL_ERRAND;
        memcpy(world.message + CIRCUIT_HEADER_BYTES, errands.data, 80);
        CHECK_EQUAL(unit,
                    circuit_receive(&world.circuit, &world.delivery, 0xf,
                                    world.memory + (i == 2 ? 8 : 0), 512),
                    i == 3 ? ERR_KIND : ERR_OK);
        CHECK_EQUAL(unit, world.serial.ordered,
                    i == 3 ? SERIAL_ORDERED_BY_MESH : SERIAL_NOT_ORDERED);
    }
}

void test_errands(struct unit *unit)
{
    RUN(one_that_does_not_begin);
    RUN(errands_of_nonsense);
    RUN(errands_without_an_end);
    RUN(errands_that_make_no_originator);
}

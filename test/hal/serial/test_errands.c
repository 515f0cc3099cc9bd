/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of other nodes' hosts: hal/serial/errand.h. */
#include "test/hal/serial/world.h"

#include <string.h>

#define ORDER_BYTES 24u

static const struct torus_path there = {TORUS_EAST, TORUS_LEFT, 1, 2};
static const struct torus_path beside = {TORUS_WEST, TORUS_STRAIGHT, 1, 0};

/* Bytes of an order, then errands, the first of which is the last. */
struct errands {
    uint8_t data[80];
    uint32_t bytes;
};

static void add_errand(struct errands *errands, struct torus_path path,
                       enum serial_errand errand)
{
    serial_errand_store(errands->data + errands->bytes, path, errand, 6);
    errands->bytes += SERIAL_ERRAND_BYTES;
}

static struct errands order_before(uint32_t bytes)
{
    struct errands errands = {.bytes = bytes};

    for (uint32_t i = 0; i < bytes; ++i) {
        errands.data[i] = (uint8_t)(i + 1);
    }
    return errands;
}

static struct errands one_errand(uint32_t bytes_before, struct torus_path path,
                                 enum serial_errand errand)
{
    struct errands errands = order_before(bytes_before);

    add_errand(&errands, path, errand);
    return errands;
}

/* This comes next over the mesh, to who waits for it. */
static void comes(const struct errands *errands)
{
    static struct given given;

    given = (struct given){errands->data, errands->bytes, SERIAL_ERRAND};
    world.comes = &given;
    world.comes_count = 1;
}

/* The node waits for its order, whatever else has come. */
static void check_waits(struct unit *unit)
{
    world.idles_max = world.idles + 5;
    CHECK_EQUAL(unit, receive_host(), ERR_PORT_BUSY);
    world.idles_max = 1000;
}

/* The host gives these errands, and waits for what comes of them. */
static int order_with(const struct errands *errands)
{
    const struct given given = {errands->data, errands->bytes, SERIAL_ERRAND};

    world.gives = &given;
    world.gives_count = 1;
    world.gets = true;
    world.idles_max = world.idles + 40;
    return receive_host();
}

/* Message number `i` was sent over that path, and ended with this errand. */
static void check_sent(struct unit *unit, unsigned i, struct torus_path path,
                       const uint8_t *errand)
{
    CHECK(unit, i < world.sends);
    CHECK_EQUAL(unit, world.errand_path[i].port, path.port);
    CHECK_EQUAL(unit, world.errand_path[i].hops_after, path.hops_after);
    CHECK(unit, memcmp(world.errand[i], errand, SERIAL_ERRAND_BYTES) == 0);
}

static void check_answer(struct unit *unit, int error, uint32_t done)
{
    CHECK_EQUAL(unit, world.gots, 1);
    CHECK_EQUAL(unit, world.got_kind, SERIAL_ERRAND);
    CHECK_EQUAL(unit, world.got_bytes, SERIAL_ANSWER_BYTES);
    CHECK_EQUAL(unit, (int32_t)bytes_load_u32(world.got), error);
    CHECK_EQUAL(unit, bytes_load_u32(world.got + 4), done);
}

static void an_order_is_passed_on(struct unit *unit)
{
    struct errands errands =
        one_errand(ORDER_BYTES, there, SERIAL_ERRAND_ORDER);

    /* It waits for the next message, which does not come. */
    CHECK_EQUAL(unit, order_with(&errands), ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.sends, 1);
    CHECK_EQUAL(unit, bytes_load_u16(world.serial.send[0].header + 2), 4);
    CHECK_EQUAL(unit, world.sent[0]->segment[2].bytes, errands.bytes);
    CHECK(unit, memcmp(world.sent[0]->segment[2].data, errands.data,
                       errands.bytes) == 0);
    check_sent(unit, 0, there, errands.data + ORDER_BYTES);
    check_answer(unit, ERR_OK, 0);
}

static void others_begin_before_the_own_order(struct unit *unit)
{
    struct errands errands = order_before(ORDER_BYTES);

    add_errand(&errands, (struct torus_path){.hops = 0}, SERIAL_ERRAND_LEAD);
    add_errand(&errands, beside, SERIAL_ERRAND_START);
    add_errand(&errands, there, SERIAL_ERRAND_START);
    CHECK_EQUAL(unit, order_with(&errands), ERR_OK);
    CHECK_EQUAL(unit, world.ended, 2);
    check_sent(unit, 0, there, errands.data + ORDER_BYTES + 16);
    check_sent(unit, 1, beside, errands.data + ORDER_BYTES + 8);
    CHECK_EQUAL(unit, world.gots, 0);
    CHECK_EQUAL(unit, world.delivery.kind, 6);
    CHECK_EQUAL(unit, world.delivery.job, 4);
    CHECK_EQUAL(unit, world.delivery.bytes, ORDER_BYTES);
    CHECK_EQUAL(unit, world.delivery.port, CIRCUIT_HOST);
    CHECK(unit, memcmp(world.delivery.payload, errands.data, ORDER_BYTES) == 0);
}

static void one_that_does_not_begin(struct unit *unit)
{
    struct errands errands = order_before(ORDER_BYTES);

    world.error[1] = ERR_DEAD_LINK;
    add_errand(&errands, (struct torus_path){.hops = 0}, SERIAL_ERRAND_LEAD);
    add_errand(&errands, there, SERIAL_ERRAND_START);
    add_errand(&errands, beside, SERIAL_ERRAND_START);
    add_errand(&errands, there, SERIAL_ERRAND_START);
    CHECK_EQUAL(unit, order_with(&errands), ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.sends, 2);
    check_answer(unit, ERR_DEAD_LINK, 1);
}

static void a_report_is_fetched(struct unit *unit)
{
    static const uint8_t report[] = "what the other one reports";
    const struct given told = {report, sizeof report, SERIAL_REPORT};
    struct errands errands = one_errand(0, there, SERIAL_ERRAND_FETCH);

    world.comes = &told;
    world.comes_count = 1;
    CHECK_EQUAL(unit, order_with(&errands), ERR_PORT_BUSY);
    check_sent(unit, 0, there, errands.data);
    CHECK_EQUAL(unit, world.sent[0]->segment[2].bytes, 8);
    CHECK_EQUAL(unit, world.gots, 1);
    CHECK_EQUAL(unit, world.got_kind, SERIAL_REPORT);
    CHECK_EQUAL(unit, world.got_bytes, sizeof report);
    CHECK(unit, memcmp(world.got, report, sizeof report) == 0);
    start();
    world.error[0] = ERR_DEAD_LINK;
    CHECK_EQUAL(unit, order_with(&errands), ERR_PORT_BUSY);
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
                 {{TORUS_EAST, TORUS_STRAIGHT, 1, 0}, 0, 8, ERR_FIELD},
                 {{TORUS_EAST, TORUS_STRAIGHT, 1, 0}, 2, 7, ERR_LENGTH},
                 {{9, TORUS_STRAIGHT, 1, 0}, 1, 8, ERR_NO_ROUTE},
                 {{TORUS_EAST, 7, 1, 0}, 2, 8, ERR_NO_ROUTE},
                 {{TORUS_EAST, TORUS_STRAIGHT, 0, 0}, 3, 8, ERR_NO_ROUTE},
                 {{TORUS_EAST, TORUS_STRAIGHT, 6, 0}, 3, 8, ERR_NO_ROUTE}};

    for (unsigned i = 0; i < sizeof tries / sizeof *tries; ++i) {
        struct errands errands = order_before(0);

        start();
        serial_errand_store(errands.data, tries[i].path,
                            (enum serial_errand)tries[i].errand, 6);
        errands.bytes = tries[i].bytes;
        CHECK_EQUAL(unit, order_with(&errands), ERR_PORT_BUSY);
        CHECK_EQUAL(unit, world.sends, 0);
        check_answer(unit, tries[i].error, 0);
    }
}

/* Only errands in front of the last one that is not there either. */
static void errands_without_an_end(struct unit *unit)
{
    struct errands errands = one_errand(0, there, SERIAL_ERRAND_START);

    CHECK_EQUAL(unit, order_with(&errands), ERR_PORT_BUSY);
    check_answer(unit, ERR_LENGTH, 1);
}

static int take_order(const struct errands *errands)
{
    comes(errands);
    return receive();
}

static void send_report(struct unit *unit)
{
    const struct circuit_message message = {.kind = 4,
                                            .head = {world.memory, 8},
                                            .shared = {world.memory + 8, 3},
                                            .body = {{world.memory + 16, 5}}};

    CHECK_EQUAL(unit, circuit_send(&world.circuit, TO_HOST, &message), 0);
}

static void an_order_over_the_mesh(struct unit *unit)
{
    struct errands errands =
        one_errand(ORDER_BYTES, there, SERIAL_ERRAND_ORDER);
    struct errands begin = one_errand(0, there, SERIAL_ERRAND_START);
    struct errands fetch = one_errand(0, there, SERIAL_ERRAND_FETCH);
    const struct switch_message *sent;

    CHECK_EQUAL(unit, take_order(&errands), ERR_KIND);
    CHECK_EQUAL(unit, world.serial.ordered, SERIAL_ORDERED_BY_MESH);
    check_waits(unit);
    comes(&begin);
    CHECK_EQUAL(unit, receive_host(), ERR_OK);
    CHECK_EQUAL(unit, world.delivery.kind, 6);
    CHECK_EQUAL(unit, world.delivery.job, 3);
    CHECK_EQUAL(unit, world.delivery.port, CIRCUIT_HOST);
    CHECK_EQUAL(unit, world.delivery.bytes, ORDER_BYTES);
    CHECK_EQUAL(unit, started_us(), now_us());
    CHECK(unit, memcmp(world.delivery.payload, errands.data, ORDER_BYTES) == 0);
    world.circuit.job = 3;
    comes(&fetch);
    send_report(unit);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
    sent = world.sent[0];
    CHECK_EQUAL(unit, world.sends, 1);
    CHECK_EQUAL(unit, sent->kind, SERIAL_REPORT);
    CHECK_EQUAL(unit, sent->path.port, TORUS_SOUTH);
    CHECK_EQUAL(unit, sent->path.hops, 2);
    CHECK_EQUAL(unit, sent->path.hops_after, 1);
    CHECK(unit, sent->segment[1].data == world.memory);
    CHECK_EQUAL(unit, sent->segment[1].bytes, 8);
    CHECK_EQUAL(unit, sent->segment[2].bytes, 3);
    CHECK(unit, sent->segment[3].data == world.memory + 16);
    CHECK_EQUAL(unit, sent->segment[3].bytes, 5);
    CHECK_EQUAL(unit, world.mailbox.out, MAILBOX_EMPTY);
}

/* An errand without an order: the node's own host has it. */
static void an_order_of_a_host_of_its_own(struct unit *unit)
{
    static const uint8_t own[] = {7, 7, 7};
    const struct given gives = {own, sizeof own, 1};
    struct errands errands = one_errand(0, there, SERIAL_ERRAND_ORDER);
    struct errands begin = one_errand(0, there, SERIAL_ERRAND_START);

    CHECK_EQUAL(unit, take_order(&errands), ERR_KIND);
    CHECK_EQUAL(unit, world.serial.ordered, SERIAL_ORDERED_BY_HOST);
    world.gives = &gives;
    world.gives_count = 1;
    check_waits(unit);
    world.gives = &gives;
    world.gives_count = 1;
    comes(&begin);
    CHECK_EQUAL(unit, receive_host(), ERR_OK);
    CHECK_EQUAL(unit, world.delivery.kind, 1);
    CHECK_EQUAL(unit, world.delivery.bytes, sizeof own);
    CHECK_EQUAL(unit, world.comes_count, 0);
    send_report(unit);
    CHECK_EQUAL(unit, world.mailbox.out, MAILBOX_OFFERED);
    CHECK_EQUAL(unit, world.mailbox.out_bytes, 16);
    CHECK_EQUAL(unit, world.sends, 0);
}

/* In a job, somewhere else in memory, or another errand: a message as any. */
static void errands_that_make_no_originator(struct unit *unit)
{
    struct errands errands =
        one_errand(ORDER_BYTES, there, SERIAL_ERRAND_ORDER);
    struct errands begin = one_errand(0, there, SERIAL_ERRAND_START);

    for (unsigned i = 0; i < 3; ++i) {
        start();
        world.circuit.job = i == 1 ? 3 : CIRCUIT_ANY_JOB;
        comes(i == 0 ? &begin : &errands);
        CHECK_EQUAL(unit,
                    circuit_receive(&world.circuit, &world.delivery, 0xf,
                                    world.memory + (i == 2 ? 8 : 0), 512),
                    ERR_OK);
        CHECK_EQUAL(unit, world.delivery.kind, SERIAL_ERRAND);
        CHECK_EQUAL(unit, world.serial.ordered, SERIAL_NOT_ORDERED);
    }
}

void test_errands(struct unit *unit)
{
    RUN(an_order_is_passed_on);
    RUN(others_begin_before_the_own_order);
    RUN(one_that_does_not_begin);
    RUN(a_report_is_fetched);
    RUN(errands_of_nonsense);
    RUN(errands_without_an_end);
    RUN(an_order_over_the_mesh);
    RUN(an_order_of_a_host_of_its_own);
    RUN(errands_that_make_no_originator);
}

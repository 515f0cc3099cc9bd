/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fabric may be freed in every state, with messages in every place: the
 * address sanitizer's checks are the test. Cookies are the caller's.
 */
#include "test/qemu/fabric/suite.h"

/* A mesh with a queue, a circuit that is held and one that waits. */
static struct fabric *busy_mesh(uint64_t running)
{
    struct fabric *fabric = suite_mesh(5, 5);

    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t node = 0; node < 2; ++node) {
            suite_send(fabric, &(struct suite_send){
                                   .node = node,
                                   .ready_ps = 10u * node,
                                   .path = {TORUS_EAST, TORUS_STRAIGHT, 2, 0},
                                   .bytes = 40 + i});
        }
    }
    suite_end_others(fabric, 25, running);
    return fabric;
}

static void nothing(struct unit *unit)
{
    fabric_free(NULL);
    fabric_free(suite_mesh(1, 1));
    fabric_free(suite_mesh(5, 5));
    CHECK(unit, true);
}

static void requests_in_queues(struct unit *unit)
{
    fabric_free(busy_mesh(1u << 20));
    CHECK(unit, true);
}

/* Up to the first request of a running node, or beyond several circuits. */
static void circuits_held(struct unit *unit)
{
    static const uint64_t until_ps[] = {1, 11, 1500, 3000, 50000};

    for (unsigned i = 0; i < 5; ++i) {
        struct fabric *fabric = busy_mesh(1u << 20);
        struct actions actions;

        /* Node 20's drain moves mesh time on to the end of its own send. */
        suite_send(fabric, &(struct suite_send){
                               .node = 20,
                               .path = {TORUS_EAST, TORUS_STRAIGHT, 1, 0},
                               .ready_ps = until_ps[i],
                               .bytes = 1});
        fabric_drain(fabric, 20, 0);
        suite_advance(fabric, &actions);
        CHECK_EQUAL(unit, actions.count, 1);
        fabric_free(fabric);
    }
}

/* Handed over at the grant, with its circuit still held. */
static void taken_from_a_held_circuit(struct unit *unit)
{
    struct fabric *fabric = busy_mesh(1u << 2);
    struct actions actions;

    fabric_receive(fabric, 2, 0, 1u << TORUS_WEST);
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.count, 1);
    CHECK_EQUAL(unit, actions.last, FABRIC_WAIT);
    fabric_free(fabric);
}

static void never_received(struct unit *unit)
{
    struct fabric *fabric = busy_mesh(0);
    struct actions actions;

    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.last, FABRIC_STUCK);
    fabric_free(fabric);
}

static void from_and_to_the_host(struct unit *unit)
{
    struct fabric *fabric = busy_mesh(1u << 5);
    struct fabric_message message = {.bytes = 3};
    int order;

    fabric_from_host(fabric, 5, 0, 7, &order);
    fabric_from_host(fabric, 6, 0, 7, &order);
    fabric_send(fabric, 5, NODE_PORT_HOST, &message);
    fabric_send(fabric, 5, NODE_PORT_HOST, &message);
    fabric_free(fabric);
    CHECK(unit, true);
}

/* Many circuits: the tables grow. */
static void tables_grow(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(25, 25);
    struct actions actions;
    uint32_t count;

    for (uint32_t node = 0; node < 625; ++node) {
        for (uint8_t port = 0; port < TORUS_PORTS; ++port) {
            suite_send(fabric,
                       &(struct suite_send){.node = node,
                                            .path = {port, TORUS_LEFT, 1, 2},
                                            .bytes = node});
        }
    }
    for (uint32_t node = 0; node < 625; ++node) {
        fabric_end(fabric, node, 0);
    }
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.last, FABRIC_STUCK);
    (void)fabric_circuits(fabric, &count);
    CHECK_EQUAL(unit, count, 2500);
    fabric_free(fabric);
}

void test_memory(struct unit *unit)
{
    UNIT_RUN(unit, nothing);
    UNIT_RUN(unit, requests_in_queues);
    UNIT_RUN(unit, from_and_to_the_host);
    UNIT_RUN(unit, never_received);
    UNIT_RUN(unit, tables_grow);
    UNIT_RUN(unit, taken_from_a_held_circuit);
    UNIT_RUN(unit, circuits_held);
}

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

/* Nothing; requests in queues; circuits that are held or wait, up to the first
   request of a running node, and beyond several circuits; one of which a
   message was taken already; messages that nobody receives, or that are the
   host's. */
static void freed_in_any_state(struct unit *unit)
{
    static const uint64_t until_ps[] = {1, 11, 1500, 3000, 50000};
    struct fabric_message message = {.bytes = 3};
    struct fabric *fabric;
    struct actions actions;
    int order;

    fabric_free(NULL);
    fabric_free(suite_mesh(1, 1));
    fabric_free(suite_mesh(5, 5));
    fabric_free(busy_mesh(1u << 20));
    for (unsigned i = 0; i < 5; ++i) {
        /* Node 20's drain moves mesh time on to the end of its own send. */
        fabric = busy_mesh(1u << 20);
        suite_send(fabric, &(struct suite_send){
                               .node = 20,
                               .path = {TORUS_EAST, TORUS_STRAIGHT, 1, 0},
                               .ready_ps = until_ps[i],
                               .bytes = 1});
        fabric_drain(fabric, 20, 0);
        suite_expect(unit, fabric, &actions, 1);
        fabric_free(fabric);
    }
    fabric = busy_mesh(1u << 2);
    fabric_receive(fabric, 2, 0, 1u << TORUS_WEST);
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.last, FABRIC_WAIT);
    fabric_free(fabric);
    fabric = busy_mesh(0);
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.last, FABRIC_STUCK);
    fabric_free(fabric);
    fabric = busy_mesh(1u << 5);
    fabric_from_host(fabric, 5, 0, 7, &order);
    fabric_from_host(fabric, 6, 0, 7, &order);
    fabric_send(fabric, 5, NODE_PORT_HOST, &message);
    fabric_send(fabric, 5, NODE_PORT_HOST, &message);
    fabric_free(fabric);
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
    UNIT_RUN(unit, freed_in_any_state);
    UNIT_RUN(unit, tables_grow);
}

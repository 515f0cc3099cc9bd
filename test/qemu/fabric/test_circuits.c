/* SPDX-License-Identifier: Apache-2.0 */
/* Exact times, records and counters of circuits that meet no other. */
#include "test/qemu/fabric/suite.h"

#define PATH(port, hops)                                                       \
    {                                                                          \
        (port), TORUS_STRAIGHT, (hops), 0                                      \
    }

/* Sends one message over `path` in a 5 x 5 mesh and checks all about it. */
static void check_one(struct unit *unit, uint32_t source,
                      struct torus_path path, uint32_t bytes,
                      uint32_t destination, unsigned arrival)
{
    struct fabric *fabric = suite_mesh(5, 5);
    const struct circuit_record *circuit;
    const struct node_counters *counters;
    struct actions actions;
    uint64_t held_ps = HELD_PS(torus_path_hops(path), bytes);

    suite_send(fabric, &(struct suite_send){.node = source,
                                            .ready_ps = 500,
                                            .path = path,
                                            .bytes = bytes,
                                            .cookie = 77});
    suite_end_others(fabric, 25, 1u << destination);
    fabric_receive(fabric, destination, 0, 1u << arrival);
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.last, FABRIC_WAIT);
    CHECK_EQUAL(unit, actions.count, 1);
    CHECK_EQUAL(unit, actions.step[0], FABRIC_DELIVER);
    CHECK_EQUAL(unit, actions.action[0].time_ps, 500 + held_ps);
    CHECK_EQUAL(unit, (uintptr_t)actions.action[0].cookie, 77);
    CHECK_EQUAL(unit, actions.action[0].node, destination);
    CHECK_EQUAL(unit, actions.action[0].source, source);
    CHECK_EQUAL(unit, actions.action[0].bytes, bytes);
    CHECK_EQUAL(unit, actions.action[0].port, arrival);
    CHECK_EQUAL(unit, actions.action[0].status, ERR_OK);
    CHECK(unit, !actions.action[0].damaged);
    fabric_end(fabric, destination, actions.action[0].time_ps);
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.last, FABRIC_STUCK);

    circuit = suite_circuit(fabric, source, path.port, bytes);
    CHECK(unit, circuit != NULL);
    if (circuit != NULL) {
        CHECK_EQUAL(unit, circuit->destination, destination);
        CHECK_EQUAL(unit, circuit->arrival, arrival);
        CHECK_EQUAL(unit, circuit->hops, torus_path_hops(path));
        CHECK_EQUAL(unit, circuit->kind, (uint8_t)(bytes + 1));
        CHECK_EQUAL(unit, circuit->phase, (uint8_t)(bytes + 2));
        CHECK_EQUAL(unit, circuit->request_ps, 500);
        CHECK_EQUAL(unit, circuit->grant_ps, 500);
        CHECK_EQUAL(unit, circuit->end_ps, 500 + held_ps);
    }
    counters = fabric_counters(fabric, source, path.port);
    CHECK_EQUAL(unit, counters->sent_messages, 1);
    CHECK_EQUAL(unit, counters->sent_bytes, bytes);
    CHECK_EQUAL(unit, counters->busy_ps, held_ps);
    CHECK_EQUAL(unit, counters->stalls, 0);
    CHECK_EQUAL(unit, counters->stall_ps, 0);
    CHECK_EQUAL(unit, counters->errors, 0);
    counters = fabric_counters(fabric, destination, arrival);
    CHECK_EQUAL(unit, counters->received_messages, 1);
    CHECK_EQUAL(unit, counters->received_bytes, bytes);
    CHECK_EQUAL(unit, fabric_conflicts(fabric), 0);
    fabric_free(fabric);
}

/* One hop; a knight's move and back; over wrap links; all the way round. */
static void one_circuit(struct unit *unit)
{
    static const struct {
        uint32_t source;
        struct torus_path path;
        uint32_t bytes;
        uint32_t destination;
        unsigned arrival;
    } cases[] = {{12, PATH(TORUS_EAST, 1), 100, 13, TORUS_WEST},
                 {12, PATH(TORUS_NORTH, 1), 1, 17, TORUS_SOUTH},
                 {12, PATH(TORUS_WEST, 1), 0, 11, TORUS_EAST},
                 {12, PATH(TORUS_SOUTH, 1), 7, 7, TORUS_NORTH},
                 {0, {TORUS_EAST, TORUS_LEFT, 1, 2}, 1000, 11, TORUS_SOUTH},
                 {11, {TORUS_SOUTH, TORUS_RIGHT, 2, 1}, 1000, 0, TORUS_EAST},
                 {4, PATH(TORUS_EAST, 1), 9, 0, TORUS_WEST},
                 {0, PATH(TORUS_WEST, 1), 9, 4, TORUS_EAST},
                 {22, PATH(TORUS_NORTH, 2), 9, 7, TORUS_SOUTH},
                 {2, PATH(TORUS_SOUTH, 1), 9, 22, TORUS_NORTH},
                 {6, PATH(TORUS_NORTH, 5), 9, 6, TORUS_SOUTH}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) {
        check_one(unit, cases[i].source, cases[i].path, cases[i].bytes,
                  cases[i].destination, cases[i].arrival);
    }
}

/* The wrap link is one link from both of its ends. */
static void wrap_link_is_shared(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 1);
    const struct circuit_record *second;
    struct actions actions;

    suite_send(fabric, &(struct suite_send){
                           .node = 4, .path = PATH(TORUS_EAST, 1), .bytes = 5});
    suite_send(fabric, &(struct suite_send){.node = 0,
                                            .ready_ps = 1,
                                            .path = PATH(TORUS_WEST, 1),
                                            .bytes = 6});
    suite_end_others(fabric, 5, 0);
    suite_advance(fabric, &actions);
    second = suite_circuit(fabric, 0, TORUS_WEST, 6);
    CHECK(unit, second != NULL && second->grant_ps == HELD_PS(1, 5));
    CHECK_EQUAL(unit, fabric_conflicts(fabric), 1);
    fabric_free(fabric);
}

/* A port's sends go one after the other, a later one's gap after the end. */
static void queue_and_gap(struct unit *unit)
{
    static const struct suite_send send[] = {
        {.path = PATH(TORUS_EAST, 1), .bytes = 10, .gap_ps = 99},
        {.path = PATH(TORUS_EAST, 2), .bytes = 11},
        {.path = PATH(TORUS_EAST, 1), .bytes = 12, .gap_ps = 300},
        {.path = PATH(TORUS_EAST, 1),
         .bytes = 13,
         .gap_ps = 5,
         .ready_ps = 90000},
        {.path = PATH(TORUS_EAST, 1), .bytes = 14, .ready_ps = 1},
    };
    struct fabric *fabric = suite_mesh(5, 5);
    const struct circuit_record *circuit;
    struct actions actions;
    uint32_t count;
    uint64_t due_ps[5];

    for (unsigned i = 0; i < 5; ++i) {
        suite_send(fabric, &send[i]);
    }
    suite_end_others(fabric, 25, 0);
    suite_advance(fabric, &actions);
    due_ps[0] = 0; /* a gap has no meaning before the first */
    due_ps[1] = HELD_PS(1, 10);
    due_ps[2] = due_ps[1] + HELD_PS(2, 11) + 300;
    due_ps[3] = 90000;
    due_ps[4] = due_ps[3] + HELD_PS(1, 13);
    circuit = fabric_circuits(fabric, &count);
    CHECK_EQUAL(unit, count, 5);
    for (unsigned i = 0; i < 5 && i < count; ++i) {
        CHECK_EQUAL(unit, circuit[i].bytes, send[i].bytes);
        CHECK_EQUAL(unit, circuit[i].request_ps, due_ps[i]);
        CHECK_EQUAL(unit, circuit[i].grant_ps, due_ps[i]);
    }
    CHECK_EQUAL(unit, fabric_counters(fabric, 0, TORUS_EAST)->sent_messages, 5);
    CHECK_EQUAL(unit, fabric_conflicts(fabric), 0);
    fabric_free(fabric);
}

/* The gap counts from the port's last send also when that is long over. */
static void gap_of_a_later_send(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    const struct circuit_record *later;
    struct actions actions;
    uint64_t over_ps = HELD_PS(1, 1);

    suite_send(fabric,
               &(struct suite_send){.path = PATH(TORUS_EAST, 1), .bytes = 1});
    suite_end_others(fabric, 25, 1);
    fabric_drain(fabric, 0, 2);
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.action[0].time_ps, over_ps);
    suite_send(fabric, &(struct suite_send){.ready_ps = over_ps + 3,
                                            .path = PATH(TORUS_EAST, 1),
                                            .bytes = 2,
                                            .gap_ps = 40});
    fabric_end(fabric, 0, over_ps + 3);
    suite_advance(fabric, &actions);
    later = suite_circuit(fabric, 0, TORUS_EAST, 2);
    CHECK(unit, later != NULL && later->grant_ps == over_ps + 40);
    fabric_free(fabric);
}

static void four_ports_at_once(struct unit *unit)
{
    static const uint32_t end[] = {11, 8, 19, 22};
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    for (uint8_t port = 0; port < TORUS_PORTS; ++port) {
        suite_send(fabric,
                   &(struct suite_send){.ready_ps = 50,
                                        .path = {port, TORUS_LEFT, 1, 2},
                                        .bytes = 100u + port});
    }
    suite_end_others(fabric, 25, 0);
    suite_advance(fabric, &actions);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        const struct circuit_record *circuit =
            suite_circuit(fabric, 0, port, 100 + port);

        CHECK(unit, circuit != NULL);
        if (circuit != NULL) {
            CHECK_EQUAL(unit, circuit->grant_ps, 50);
            CHECK_EQUAL(unit, circuit->end_ps, 50 + HELD_PS(3, 100 + port));
            CHECK_EQUAL(unit, circuit->destination, end[port]);
        }
    }
    CHECK_EQUAL(unit, fabric_conflicts(fabric), 0);
    fabric_free(fabric);
}

static void large_numbers(struct unit *unit)
{
    struct fabric_config config = suite_config(5, 5);
    struct fabric *fabric;
    const struct circuit_record *circuit;
    struct actions actions;

    config.transfer_ps = 1900000;
    config.startup_ps = 20000000;
    fabric = fabric_new(&config);
    suite_send(fabric, &(struct suite_send){.ready_ps = 1ull << 50,
                                            .path = PATH(TORUS_EAST, 1),
                                            .bytes = 16777216});
    suite_end_others(fabric, 25, 0);
    suite_advance(fabric, &actions);
    circuit = suite_circuit(fabric, 0, TORUS_EAST, 16777216);
    CHECK(unit, circuit != NULL &&
                    circuit->end_ps == (1ull << 50) + 20000000 + HOP_PS +
                                           16777216ull * 1900000);
    fabric_free(fabric);
}

void test_circuits(struct unit *unit)
{
    UNIT_RUN(unit, one_circuit);
    UNIT_RUN(unit, wrap_link_is_shared);
    UNIT_RUN(unit, queue_and_gap);
    UNIT_RUN(unit, gap_of_a_later_send);
    UNIT_RUN(unit, four_ports_at_once);
    UNIT_RUN(unit, large_numbers);
}

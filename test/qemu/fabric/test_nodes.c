/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes wait for, and what becomes of messages that are lost. */
#include "hal/circuit.h"
#include "test/qemu/fabric/suite.h"

#define EAST_1                                                                 \
    {                                                                          \
        TORUS_EAST, TORUS_STRAIGHT, 1, 0                                       \
    }
#define WEST_1                                                                 \
    {                                                                          \
        TORUS_WEST, TORUS_STRAIGHT, 1, 0                                       \
    }
#define NORTH_1                                                                \
    {                                                                          \
        TORUS_NORTH, TORUS_STRAIGHT, 1, 0                                      \
    }
#define ALL_PORTS 0xfu

/* Node 12 of a 5 x 5 mesh, with 11 on its west, 13 east and 7 south. */
#define CENTRE 12u

static void send(struct fabric *fabric, uint32_t node, uint64_t ready_ps,
                 struct torus_path path, uint32_t bytes)
{
    suite_send(fabric, &(struct suite_send){.node = node,
                                            .ready_ps = ready_ps,
                                            .path = path,
                                            .bytes = bytes,
                                            .cookie = bytes});
}

/* A single port's message is handed over at its grant: mesh time need not
   have come as far. */
static void one_port_is_handed_over_early(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    /* Node 3 is still running, since time 0. */
    send(fabric, 11, 0, (struct torus_path)EAST_1, 100);
    suite_end_others(fabric, 25, 1u << CENTRE | 1u << 3);
    fabric_receive(fabric, CENTRE, 20, 1u << TORUS_WEST);
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.last, FABRIC_WAIT);
    CHECK_EQUAL(unit, actions.count, 0); /* node 3 may ask for it at 0 */
    CHECK(unit, fabric_is_running(fabric, 3));
    CHECK(unit, !fabric_is_running(fabric, CENTRE));
    send(fabric, 3, 1, (struct torus_path)EAST_1, 1);
    fabric_drain(fabric, 3, 1);
    suite_expect(unit, fabric, &actions, 2);
    CHECK_EQUAL(unit, actions.step[0], FABRIC_DELIVER);
    CHECK_EQUAL(unit, actions.action[0].node, CENTRE);
    CHECK_EQUAL(unit, actions.action[0].time_ps, HELD_PS(1, 100));
    CHECK_EQUAL(unit, actions.step[1], FABRIC_DRAINED);
    CHECK_EQUAL(unit, actions.action[1].node, 3);
    CHECK_EQUAL(unit, actions.action[1].time_ps, 1 + HELD_PS(1, 1));
    fabric_free(fabric);
}

/* A node that asks for 30 bytes of a message goes on when they are there, or at
   its own time if that is later; one that waits on two ports, when all are. */
static void a_head_is_handed_over_first(struct unit *unit)
{
    static const struct {
        unsigned ports;
        uint64_t asks_ps;
        uint64_t goes_on_ps;
    } cases[] = {{1u << TORUS_WEST, 20, HELD_PS(1, 30)},
                 {1u << TORUS_WEST, HELD_PS(1, 40), HELD_PS(1, 40)},
                 {1u << TORUS_WEST, HELD_PS(1, 100) + 7, HELD_PS(1, 100) + 7},
                 {1u << TORUS_WEST | 1u << TORUS_EAST, 20, HELD_PS(1, 100)}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct fabric *fabric = suite_mesh(5, 5);
        uint64_t asks_ps = cases[i].asks_ps;
        struct actions actions;

        send(fabric, 11, 0, (struct torus_path)EAST_1, 100);
        suite_end_others(fabric, 25, 1u << CENTRE);
        fabric_receive(fabric, CENTRE, asks_ps,
                       cases[i].ports | CIRCUIT_HEAD(30));
        suite_expect(unit, fabric, &actions, 1);
        CHECK_EQUAL(unit, actions.action[0].time_ps, cases[i].goes_on_ps);
        CHECK_EQUAL(unit, actions.action[0].complete_ps,
                    asks_ps > HELD_PS(1, 100) ? asks_ps : HELD_PS(1, 100));
        fabric_free(fabric);
    }
}

/* A message that is shorter than the head which is asked for is handed over
   whole. */
static void a_short_message_has_no_head(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    send(fabric, 11, 0, (struct torus_path)EAST_1, 30);
    suite_end_others(fabric, 25, 1u << CENTRE);
    fabric_receive(fabric, CENTRE, 0, 1u << TORUS_WEST | CIRCUIT_HEAD(30));
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.action[0].time_ps, HELD_PS(1, 30));
    CHECK_EQUAL(unit, actions.action[0].complete_ps, HELD_PS(1, 30));
    fabric_free(fabric);
}

/* Who comes late to a message goes on at its own time. */
static void late_receiver(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    send(fabric, 11, 0, (struct torus_path)EAST_1, 1);
    suite_end_others(fabric, 25, 1u << CENTRE);
    suite_expect(unit, fabric, &actions, 0);
    fabric_receive(fabric, CENTRE, 5000, 1u << TORUS_WEST);
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.action[0].time_ps, 5000);
    fabric_free(fabric);
}

/* A port's messages are taken in the order of their arrivals; a port that is
   not in the mask keeps its own. */
static void ports_are_apart(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;
    static const uint32_t due_bytes[] = {2, 3, 1};
    static const unsigned ports[] = {TORUS_WEST, TORUS_WEST, TORUS_SOUTH};

    send(fabric, 7, 0, (struct torus_path)NORTH_1, 1);
    send(fabric, 11, 0, (struct torus_path)EAST_1, 2);
    send(fabric, 11, 0, (struct torus_path)EAST_1, 3);
    suite_end_others(fabric, 25, 1u << CENTRE);
    for (unsigned i = 0; i < 3; ++i) {
        fabric_receive(fabric, CENTRE, 9000, 1u << ports[i]);
        suite_expect(unit, fabric, &actions, 1);
        CHECK_EQUAL(unit, actions.action[0].bytes, due_bytes[i]);
        CHECK_EQUAL(unit, actions.action[0].port, ports[i]);
    }
    fabric_free(fabric);
}

/* The earliest arrival among several ports, though another one was granted
   first, and though the receiver asked before, between or after. */
static void earliest_of_several(struct unit *unit)
{
    static const uint64_t asks_ps[] = {0, HELD_PS(1, 500) + 40, 100000};

    for (unsigned i = 0; i < 3; ++i) {
        struct fabric *fabric = suite_mesh(5, 5);
        struct actions actions;
        static const uint32_t due_bytes[] = {5, 500, 4};
        const uint64_t due_ps[] = {30 + HELD_PS(1, 5), HELD_PS(1, 500),
                                   7000 + HELD_PS(1, 4)};
        uint64_t time_ps = asks_ps[i];

        send(fabric, 11, 0, (struct torus_path)EAST_1, 500);
        send(fabric, 13, 30, (struct torus_path)WEST_1, 5);
        send(fabric, 7, 7000, (struct torus_path)NORTH_1, 4);
        suite_end_others(fabric, 25, 1u << CENTRE);
        for (unsigned k = 0; k < 3; ++k) {
            fabric_receive(fabric, CENTRE, time_ps, ALL_PORTS);
            suite_expect(unit, fabric, &actions, 1);
            CHECK_EQUAL(unit, actions.action[0].bytes, due_bytes[k]);
            time_ps = time_ps > due_ps[k] ? time_ps : due_ps[k];
            CHECK_EQUAL(unit, actions.action[0].time_ps, time_ps);
        }
        fabric_free(fabric);
    }
}

/* With several ports, none is served while an earlier arrival is possible. */
static void several_wait_for_mesh_time(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    send(fabric, 11, 0, (struct torus_path)EAST_1, 500);
    suite_end_others(fabric, 25, 1u << CENTRE | 1u << 13);
    fabric_receive(fabric, CENTRE, 0, ALL_PORTS);
    suite_expect(unit, fabric, &actions, 0);
    send(fabric, 13, 200, (struct torus_path)WEST_1, 5);
    fabric_end(fabric, 13, 200);
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.action[0].bytes, 5);
    fabric_free(fabric);
}

/* Two arrivals in one picosecond on two ports: which comes first must not
   depend on when, on the host, the receiver asked. */
static uint32_t first_of_two(bool asks_first)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;
    uint32_t first;

    /* 13 sends into the east port, 7 into the south port. */
    send(fabric, 13, 0, (struct torus_path)WEST_1, 50);
    send(fabric, 7, 0, (struct torus_path)NORTH_1, 50);
    /* Brings the centre to a time when both are there. */
    fabric_from_host(fabric, CENTRE, 9000, 1, NULL);
    suite_end_others(fabric, 25, 1u << CENTRE | 1u << 3);
    fabric_receive(fabric, CENTRE, 0, MESH_HOST);
    suite_advance(fabric, &actions);
    if (asks_first) {
        fabric_receive(fabric, CENTRE, 9000, ALL_PORTS);
        fabric_end(fabric, 3, 0);
        suite_advance(fabric, &actions);
    } else {
        fabric_end(fabric, 3, 0);
        suite_advance(fabric, &actions);
        fabric_receive(fabric, CENTRE, 9000, ALL_PORTS);
        suite_advance(fabric, &actions);
    }
    first = actions.count == 1 ? actions.action[0].port : NODE_PORTS;
    fabric_free(fabric);
    return first;
}

static void two_arrivals_at_once(struct unit *unit)
{
    uint32_t first = first_of_two(true);

    CHECK(unit, first < NODE_PORTS);
    CHECK_EQUAL(unit, first_of_two(false), first);
}

/* Mesh time goes on as far as the earliest node that runs, while it runs. */
static void progress_behind_running_nodes(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    fabric_from_host(fabric, CENTRE, 9000, 1, NULL);
    send(fabric, 1, 100, (struct torus_path)EAST_1, 5);
    suite_end_others(fabric, 25, 1u << CENTRE | 1u << 2 | 1u << 3);
    fabric_receive(fabric, CENTRE, 0, MESH_HOST);
    fabric_receive(fabric, 2, 0, 1u << TORUS_WEST);
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.action[0].node, CENTRE);
    fabric_end(fabric, 3, 0);
    suite_advance(fabric, &actions);
    CHECK(unit, fabric_is_running(fabric, CENTRE));
    CHECK_EQUAL(unit, actions.count, 1);
    CHECK_EQUAL(unit, actions.action[0].node, 2);
    fabric_free(fabric);
}

static void from_host(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;
    int order;

    fabric_from_host(fabric, CENTRE, 70, 1234, &order);
    suite_end_others(fabric, 25, 1u << CENTRE);
    fabric_receive(fabric, CENTRE, 5, MESH_HOST | ALL_PORTS);
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.step[0], FABRIC_DELIVER);
    CHECK_EQUAL(unit, actions.action[0].port, NODE_PORT_HOST);
    CHECK_EQUAL(unit, actions.action[0].time_ps, 70);
    CHECK_EQUAL(unit, actions.action[0].bytes, 1234);
    CHECK(unit, actions.action[0].cookie == &order);
    fabric_free(fabric);
}

/* To the host: no circuit, no time, but in the order of the port's queue. */
static void to_host(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;
    uint32_t count;

    for (uintptr_t i = 1; i <= 2; ++i) {
        struct fabric_message message = {
            .ready_ps = 400 * i, .cookie = (void *)i, .bytes = 8};

        fabric_send(fabric, CENTRE, NODE_PORT_HOST, &message);
    }
    suite_end_others(fabric, 25, 1u << CENTRE);
    fabric_drain(fabric, CENTRE, 900);
    suite_expect(unit, fabric, &actions, 3);
    for (uint32_t i = 0; i < 2; ++i) {
        CHECK_EQUAL(unit, actions.step[i], FABRIC_TO_HOST);
        CHECK_EQUAL(unit, (uintptr_t)actions.action[i].cookie, i + 1);
        CHECK_EQUAL(unit, actions.action[i].source, CENTRE);
        CHECK_EQUAL(unit, actions.action[i].bytes, 8);
        CHECK_EQUAL(unit, actions.action[i].time_ps, 400 * (i + 1));
    }
    CHECK_EQUAL(unit, actions.step[2], FABRIC_DRAINED);
    CHECK_EQUAL(unit, actions.action[2].time_ps, 900);
    CHECK_EQUAL(unit, actions.action[2].status, ERR_OK);
    (void)fabric_circuits(fabric, &count);
    CHECK_EQUAL(unit, count, 0);
    fabric_free(fabric);
}

static void drain(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    suite_end_others(fabric, 25, 1u << CENTRE);
    fabric_drain(fabric, CENTRE, 33); /* nothing queued */
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.step[0], FABRIC_DRAINED);
    CHECK_EQUAL(unit, actions.action[0].time_ps, 33);
    CHECK_EQUAL(unit, actions.action[0].status, ERR_OK);
    send(fabric, CENTRE, 40, (struct torus_path)NORTH_1, 900);
    send(fabric, CENTRE, 41, (struct torus_path)EAST_1, 1);
    send(fabric, CENTRE, 42, (struct torus_path)EAST_1, 2);
    fabric_drain(fabric, CENTRE, 50);
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.action[0].time_ps, 40 + HELD_PS(1, 900));
    fabric_drain(fabric, CENTRE, 900000); /* long over */
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.action[0].time_ps, 900000);
    fabric_free(fabric);
}

static void stuck(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    suite_end_others(fabric, 25, 1u << 1 | 1u << 2);
    /* Each waits for the other; a message lies on a port of neither mask. */
    send(fabric, 1, 0, (struct torus_path)EAST_1, 3);
    fabric_receive(fabric, 1, 10, 1u << TORUS_EAST);
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.last, FABRIC_WAIT);
    fabric_receive(fabric, 2, 10, 1u << TORUS_EAST | 1u << TORUS_NORTH);
    suite_expect(unit, fabric, &actions, 0);
    CHECK_EQUAL(unit, actions.last, FABRIC_STUCK);
    CHECK(unit, !fabric_is_running(fabric, 1));
    CHECK(unit, !fabric_has_ended(fabric, 1));
    CHECK(unit, fabric_has_ended(fabric, 3));
    fabric_free(fabric);
}

/* Its port goes on, its drain tells it, and only once. */
static void dead_link(struct unit *unit)
{
    struct fabric_config config = suite_config(5, 5);
    struct fabric *fabric;
    const struct circuit_record *circuit;
    struct actions actions;
    uint32_t count;
    struct torus_path knight = {TORUS_EAST, TORUS_LEFT, 1, 2};

    config.dead_link =
        torus_link(config.size, (struct torus_coord){3, 3}, TORUS_NORTH) + 1;
    fabric = fabric_new(&config);
    send(fabric, CENTRE, 5, knight, 10); /* 13, 18, 23: over the dead link */
    send(fabric, CENTRE, 6, (struct torus_path)EAST_1, 11);
    send(fabric, CENTRE, 7, (struct torus_path)NORTH_1, 12);
    suite_end_others(fabric, 25, 1u << CENTRE);
    fabric_drain(fabric, CENTRE, 8);
    suite_expect(unit, fabric, &actions, 2);
    CHECK_EQUAL(unit, actions.step[0], FABRIC_FAILED);
    CHECK_EQUAL(unit, actions.action[0].status, ERR_DEAD_LINK);
    CHECK_EQUAL(unit, actions.action[0].time_ps, 5);
    CHECK_EQUAL(unit, (uintptr_t)actions.action[0].cookie, 10);
    CHECK_EQUAL(unit, actions.action[0].source, CENTRE);
    CHECK_EQUAL(unit, actions.step[1], FABRIC_DRAINED);
    CHECK_EQUAL(unit, actions.action[1].status, ERR_DEAD_LINK);
    CHECK_EQUAL(unit, actions.action[1].time_ps, 7 + HELD_PS(1, 12));
    circuit = fabric_circuits(fabric, &count);
    CHECK_EQUAL(unit, count, 2);
    CHECK_EQUAL(unit, circuit[0].bytes, 11);
    CHECK_EQUAL(unit, circuit[0].grant_ps, 6);
    CHECK_EQUAL(unit, fabric_counters(fabric, CENTRE, TORUS_EAST)->errors, 1);
    CHECK_EQUAL(unit,
                fabric_counters(fabric, CENTRE, TORUS_EAST)->sent_messages, 1);
    CHECK_EQUAL(unit, fabric_counters(fabric, CENTRE, TORUS_NORTH)->errors, 0);
    fabric_drain(fabric, CENTRE, 8000);
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.action[0].status, ERR_OK);
    fabric_free(fabric);
}

/* Link 0 is named 1: a dead_link of 0 is none. */
static void first_link_dead(struct unit *unit)
{
    struct fabric_config config = suite_config(5, 5);
    struct fabric *fabric;
    struct actions actions;

    config.dead_link = 1;
    fabric = fabric_new(&config);
    send(fabric, 1, 0, (struct torus_path)WEST_1, 1);
    suite_end_others(fabric, 25, 0);
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.step[0], FABRIC_FAILED);
    fabric_free(fabric);
}

static void third_is_damaged(struct unit *unit)
{
    struct fabric_config config = suite_config(5, 5);
    struct fabric *fabric;
    struct actions actions;
    uint64_t time_ps = 0;

    config.corrupt_message = 3;
    fabric = fabric_new(&config);
    for (uint32_t i = 1; i <= 4; ++i) {
        send(fabric, 11, 0, (struct torus_path)EAST_1, i);
    }
    suite_end_others(fabric, 25, 1u << CENTRE);
    for (uint32_t i = 1; i <= 4; ++i) {
        fabric_receive(fabric, CENTRE, time_ps, 1u << TORUS_WEST);
        suite_expect(unit, fabric, &actions, 1);
        CHECK_EQUAL(unit, actions.action[0].bytes, i);
        CHECK_EQUAL(unit, actions.action[0].damaged, i == 3);
        time_ps = actions.action[0].time_ps;
    }
    fabric_free(fabric);
}

void test_nodes(struct unit *unit)
{
    UNIT_RUN(unit, one_port_is_handed_over_early);
    UNIT_RUN(unit, a_head_is_handed_over_first);
    UNIT_RUN(unit, a_short_message_has_no_head);
    UNIT_RUN(unit, late_receiver);
    UNIT_RUN(unit, ports_are_apart);
    UNIT_RUN(unit, earliest_of_several);
    UNIT_RUN(unit, several_wait_for_mesh_time);
    UNIT_RUN(unit, two_arrivals_at_once);
    UNIT_RUN(unit, progress_behind_running_nodes);
    UNIT_RUN(unit, from_host);
    UNIT_RUN(unit, to_host);
    UNIT_RUN(unit, drain);
    UNIT_RUN(unit, stuck);
    UNIT_RUN(unit, dead_link);
    UNIT_RUN(unit, first_link_dead);
    UNIT_RUN(unit, third_is_damaged);
}

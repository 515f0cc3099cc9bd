/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that use fewer than four ports at once, and switches that store and
   forward: expectations worked out by hand. */
#include "test/qemu/fabric/suite.h"

#define SENDS_MAX 8u
#define ONE_HOP(port)                                                          \
    {                                                                          \
        (port), TORUS_STRAIGHT, 1, 0                                           \
    }
#define HELD(bytes) HELD_PS(1, bytes)

/* What is queued, in this order, and when it is to be asked for and granted:
   both at `due_ps` unless another node's circuit is in the way. */
struct deal {
    struct suite_send send; /* its bytes name it */
    uint64_t due_ps;
    uint64_t grant_ps; /* 0: at due_ps */
};

/* Carries the sends out on a ring of ten by five nodes. */
static struct fabric *carry_out(unsigned ports_at_once, const struct deal *deal,
                                unsigned count)
{
    struct fabric_config config = suite_config(10, 5);
    struct fabric *fabric;
    struct actions actions;

    config.ports_at_once = (uint8_t)ports_at_once;
    fabric = fabric_new(&config);
    for (unsigned i = 0; i < count; ++i) {
        suite_send(fabric, &deal[i].send);
    }
    suite_end_others(fabric, 50, 0);
    suite_advance(fabric, &actions);
    return fabric;
}

static void check(struct unit *unit, unsigned ports_at_once,
                  const struct deal *deal, unsigned count)
{
    struct fabric *fabric = carry_out(ports_at_once, deal, count);
    uint64_t conflicts = 0;
    uint32_t circuits;

    (void)fabric_circuits(fabric, &circuits);
    CHECK_EQUAL(unit, circuits, count);
    for (unsigned i = 0; i < count; ++i) {
        const struct suite_send *send = &deal[i].send;
        const struct circuit_record *circuit =
            suite_circuit(fabric, send->node, send->path.port, send->bytes);
        uint64_t grant_ps =
            deal[i].grant_ps != 0 ? deal[i].grant_ps : deal[i].due_ps;

        conflicts += grant_ps > deal[i].due_ps;
        CHECK(unit, circuit != NULL);
        if (circuit != NULL) {
            CHECK_EQUAL(unit, circuit->request_ps, deal[i].due_ps);
            CHECK_EQUAL(unit, circuit->grant_ps, grant_ps);
        }
    }
    CHECK_EQUAL(unit, fabric_conflicts(fabric), conflicts);
    fabric_free(fabric);
}

#define SEND(port, bytes_of)                                                   \
    {                                                                          \
        .path = ONE_HOP(port), .bytes = (bytes_of)                             \
    }
#define SEND_AND(port, bytes_of, more)                                         \
    {                                                                          \
        .path = ONE_HOP(port), .bytes = (bytes_of), more                       \
    }

/* The first without bytes ends a case. */
static const struct {
    unsigned ports_at_once;
    struct deal deal[SENDS_MAX];
} cases[] = {
    /* East and north at 0; west when north, the shorter one, has ended; south
       when east has. */
    {2,
     {{SEND(TORUS_EAST, 90), 0, 0},
      {SEND(TORUS_NORTH, 20), 0, 0},
      {SEND(TORUS_WEST, 70), HELD(20), 0},
      {SEND(TORUS_SOUTH, 10), HELD(90), 0},
      {SEND(TORUS_EAST, 5), HELD(20) + HELD(70), 0}}},
    /* The third waits for its own port, though the other one is free, and the
       fourth for the third; but not where all four may send. */
    {2,
     {{SEND(TORUS_EAST, 90), 0, 0},
      {SEND(TORUS_NORTH, 10), 0, 0},
      {SEND(TORUS_EAST, 20), HELD(90), 0},
      {SEND(TORUS_WEST, 30), HELD(90), 0}}},
    {4,
     {{SEND(TORUS_EAST, 90), 0, 0},
      {SEND(TORUS_NORTH, 10), 0, 0},
      {SEND(TORUS_EAST, 20), HELD(90), 0},
      {SEND(TORUS_WEST, 30), 0, 0}}},
    {0,
     {{SEND(TORUS_EAST, 90), 0, 0},
      {SEND(TORUS_NORTH, 10), 0, 0},
      {SEND(TORUS_EAST, 20), HELD(90), 0},
      {SEND(TORUS_WEST, 30), 0, 0}}},
    /* A send that is not ready holds up the next one, which is. */
    {2,
     {{SEND_AND(TORUS_EAST, 10, .ready_ps = 7000), 7000, 0},
      {SEND(TORUS_NORTH, 11), 7000, 0},
      {SEND_AND(TORUS_WEST, 12, .ready_ps = 90000), 90000, 0},
      {SEND(TORUS_SOUTH, 13), 90000, 0}}},
    /* A gap counts from the end of the port's own last send, and holds up those
       of the other ports. */
    {1,
     {{SEND(TORUS_EAST, 10), 0, 0},
      {SEND_AND(TORUS_NORTH, 90, .gap_ps = 555), HELD(10), 0},
      {SEND_AND(TORUS_EAST, 11, .gap_ps = 3000), HELD(10) + 3000, 0},
      {SEND_AND(TORUS_WEST, 12, .gap_ps = 1), HELD(10) + 3000 + HELD(11), 0}}},
    /* A send that waits for another node's circuit has not started: nothing
       behind it starts, and it takes no circuit from those under way. */
    {2,
     {{SEND_AND(TORUS_EAST, 300, .node = 1), 0, 0},
      {{.path = {TORUS_EAST, TORUS_STRAIGHT, 2, 0}, .bytes = 10, .ready_ps = 5},
       5,
       HELD(300)},
      {SEND(TORUS_NORTH, 11), HELD(300), 0},
      {SEND(TORUS_WEST, 12), HELD(300) + HELD(11), 0}}}};

static void fewer_ports_than_four(struct unit *unit)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) {
        unsigned count = 0;

        while (count < SENDS_MAX && cases[i].deal[count].send.bytes > 0) {
            count += 1;
        }
        check(unit, cases[i].ports_at_once, cases[i].deal, count);
    }
}

/* Four sends at once, then four more: one after the other. */
static void one_port(struct unit *unit)
{
    struct deal deal[SENDS_MAX] = {0};
    uint64_t due_ps = 50;

    for (unsigned i = 0; i < SENDS_MAX; ++i) {
        deal[i].send = (struct suite_send){
            .ready_ps = 50, .path = ONE_HOP(i % TORUS_PORTS), .bytes = 100 - i};
        deal[i].due_ps = due_ps;
        due_ps += HELD(100 - i);
    }
    check(unit, 1, deal, SENDS_MAX);
}

/* A send that is lost starts, and ends, at once. */
static void dead_link_gives_way(struct unit *unit)
{
    struct fabric_config config = suite_config(5, 5);
    const struct suite_send send[] = {
        {.path = ONE_HOP(TORUS_EAST), .bytes = 10, .ready_ps = 20},
        {.path = ONE_HOP(TORUS_NORTH), .bytes = 11},
        {.path = ONE_HOP(TORUS_EAST), .bytes = 12, .gap_ps = 100},
        {.path = ONE_HOP(TORUS_WEST), .bytes = 13},
    };
    const struct circuit_record *circuit;
    struct fabric *fabric;
    struct actions actions;
    uint32_t count;

    config.ports_at_once = 1;
    config.dead_link =
        torus_link(config.size, (struct torus_coord){0, 0}, TORUS_EAST) + 1;
    fabric = fabric_new(&config);
    for (unsigned i = 0; i < 4; ++i) {
        suite_send(fabric, &send[i]);
    }
    suite_end_others(fabric, 25, 1);
    fabric_drain(fabric, 0, 30);
    suite_expect(unit, fabric, &actions, 3);
    CHECK_EQUAL(unit, actions.step[0], FABRIC_FAILED);
    CHECK_EQUAL(unit, actions.action[0].time_ps, 20);
    CHECK_EQUAL(unit, actions.step[1], FABRIC_FAILED);
    CHECK_EQUAL(unit, actions.action[1].time_ps, 20 + HELD(11));
    CHECK_EQUAL(unit, actions.step[2], FABRIC_DRAINED);
    CHECK_EQUAL(unit, actions.action[2].time_ps, 20 + HELD(11) + HELD(13));
    CHECK_EQUAL(unit, actions.action[2].status, ERR_DEAD_LINK);
    circuit = fabric_circuits(fabric, &count);
    CHECK_EQUAL(unit, count, 2);
    CHECK_EQUAL(unit, circuit[0].grant_ps, 20);
    CHECK_EQUAL(unit, circuit[1].grant_ps, 20 + HELD(11));
    fabric_free(fabric);
}

/* When the only such circuit was granted; UINT64_MAX: there is none. */
static uint64_t granted_ps(const struct fabric *fabric, uint32_t node,
                           unsigned port, uint32_t bytes)
{
    const struct circuit_record *circuit =
        suite_circuit(fabric, node, port, bytes);

    return circuit != NULL ? circuit->grant_ps : UINT64_MAX;
}

/* The host port is not one of the four; nor do nodes count each other's. */
static void host_and_other_nodes_do_not_count(struct unit *unit)
{
    struct fabric_config config = suite_config(5, 5);
    struct fabric_message report = {.ready_ps = 4, .bytes = 3};
    struct fabric *fabric;
    struct actions actions;

    config.ports_at_once = 1;
    fabric = fabric_new(&config);
    for (uint32_t i = 0; i < 2; ++i) {
        suite_send(fabric, &(struct suite_send){.path = ONE_HOP(TORUS_EAST),
                                                .bytes = 50 + i});
        suite_send(fabric, &(struct suite_send){.node = 12,
                                                .path = ONE_HOP(TORUS_EAST),
                                                .bytes = 60 + i});
    }
    fabric_send(fabric, 0, NODE_PORT_HOST, &report);
    fabric_send(fabric, 0, NODE_PORT_HOST, &report);
    suite_end_others(fabric, 25, 0);
    suite_expect(unit, fabric, &actions, 2);
    for (unsigned i = 0; i < actions.count; ++i) {
        CHECK_EQUAL(unit, actions.step[i], FABRIC_TO_HOST);
        CHECK_EQUAL(unit, actions.action[i].time_ps, 4);
    }
    CHECK_EQUAL(unit, granted_ps(fabric, 0, TORUS_EAST, 51), HELD(50));
    CHECK_EQUAL(unit, granted_ps(fabric, 12, TORUS_EAST, 60), 0);
    CHECK_EQUAL(unit, granted_ps(fabric, 12, TORUS_EAST, 61), HELD(60));
    fabric_free(fabric);
}

/* A node that speaks again when its circuits are long over. */
static void later_sends(struct unit *unit)
{
    struct fabric_config config = suite_config(5, 5);
    struct fabric *fabric;
    struct actions actions;

    config.ports_at_once = 1;
    fabric = fabric_new(&config);
    suite_end_others(fabric, 25, 1);
    suite_send(fabric,
               &(struct suite_send){.path = ONE_HOP(TORUS_EAST), .bytes = 10});
    fabric_drain(fabric, 0, 1);
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.action[0].time_ps, HELD(10));
    suite_send(fabric, &(struct suite_send){.ready_ps = 9000,
                                            .path = ONE_HOP(TORUS_NORTH),
                                            .bytes = 11});
    suite_send(fabric, &(struct suite_send){.ready_ps = 9001,
                                            .path = ONE_HOP(TORUS_EAST),
                                            .bytes = 12});
    fabric_drain(fabric, 0, 9002);
    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.action[0].time_ps, 9000 + HELD(11) + HELD(12));
    CHECK_EQUAL(unit, granted_ps(fabric, 0, TORUS_NORTH, 11), 9000);
    fabric_free(fabric);
}

/* Freed with sends in the shared queue, asked for and not. */
static void freed_in_the_middle(struct unit *unit)
{
    struct fabric_config config = suite_config(5, 5);
    struct fabric *fabric;

    config.ports_at_once = 2;
    fabric = fabric_new(&config);
    for (uint8_t i = 0; i < 8; ++i) {
        suite_send(fabric,
                   &(struct suite_send){.path = ONE_HOP(i % TORUS_PORTS)});
    }
    fabric_free(fabric);
    CHECK(unit, true);
}

/* ---- store and forward ---- */

/* How long a node's only circuit is held. */
static uint64_t held_ps(const struct fabric_config *config,
                        struct torus_path path, uint32_t bytes)
{
    struct fabric *fabric = fabric_new(config);
    struct actions actions;
    uint64_t time_ps;

    suite_send(fabric, &(struct suite_send){.path = path, .bytes = bytes});
    suite_end_others(fabric, 25, 0);
    suite_advance(fabric, &actions);
    time_ps = fabric_counters(fabric, 0, path.port)->busy_ps;
    fabric_free(fabric);
    return time_ps;
}

static void every_hop_takes_it_all(struct unit *unit)
{
    struct fabric_config config = suite_config(5, 5);
    const struct torus_path knight = {TORUS_EAST, TORUS_LEFT, 1, 2};
    const struct torus_path round = {TORUS_NORTH, TORUS_STRAIGHT, 5, 0};

    config.store_and_forward = true;
    CHECK_EQUAL(unit,
                held_ps(&config, (struct torus_path)ONE_HOP(TORUS_WEST), 7),
                1000 + 10 + 7 * 3);
    CHECK_EQUAL(unit, held_ps(&config, knight, 100), 3 * (1000 + 10 + 300));
    CHECK_EQUAL(unit, held_ps(&config, round, 0), 5 * (1000 + 10));
    config.store_and_forward = false;
    CHECK_EQUAL(unit, held_ps(&config, knight, 100), 1000 + 30 + 300);
}

/* The whole path is held until the end. */
static void holds_the_whole_path(struct unit *unit)
{
    struct fabric_config config = suite_config(10, 1);
    struct fabric *fabric;
    struct actions actions;
    const struct circuit_record *second;

    config.store_and_forward = true;
    fabric = fabric_new(&config);
    suite_send(fabric,
               &(struct suite_send){.path = {TORUS_EAST, TORUS_STRAIGHT, 3, 0},
                                    .bytes = 10});
    suite_send(fabric, &(struct suite_send){.node = 1,
                                            .ready_ps = 2,
                                            .path = ONE_HOP(TORUS_EAST),
                                            .bytes = 11});
    suite_end_others(fabric, 10, 0);
    suite_advance(fabric, &actions);
    second = suite_circuit(fabric, 1, TORUS_EAST, 11);
    CHECK(unit, second != NULL && second->grant_ps == 3 * HELD(10));
    CHECK_EQUAL(unit, fabric_conflicts(fabric), 1);
    fabric_free(fabric);
}

/* ---- the end of time ---- */

/* Times that do not fit stay at the last one, and the mesh comes to its end:
   a message that is due there arrives, the drain is told. */
static void times_do_not_wrap(struct unit *unit)
{
    static const struct {
        uint64_t startup_ps;
        uint64_t transfer_ps;
        uint64_t hop_delay_ps;
        uint64_t ready_ps;
        bool store_and_forward;
    } row[] = {
        {1, 1ull << 42, 0, 0, true}, /* of 2^22 bytes, 3 times: 3 * 2^64 */
        {1, 1ull << 41, 0, 0, true}, /* too long by its 3 hops only */
        {1, 1ull << 41, 0, 1ull << 63, false},
        {1ull << 63, 1ull << 41, 0, 0, false},
        {1ull << 63, 0, 0, 0, true},
        {1, 0, 1ull << 63, 0, false},
        {1, 0, 0, UINT64_MAX, false},
    };

    for (unsigned i = 0; i < sizeof row / sizeof *row; ++i) {
        struct fabric_config config = {.size = {5, 5},
                                       .startup_ps = row[i].startup_ps,
                                       .transfer_ps = row[i].transfer_ps,
                                       .hop_delay_ps = row[i].hop_delay_ps,
                                       .store_and_forward =
                                           row[i].store_and_forward};
        struct fabric *fabric = fabric_new(&config);
        struct actions actions;

        for (unsigned k = 0; k < 2; ++k) {
            suite_send(fabric, &(struct suite_send){
                                   .ready_ps = row[i].ready_ps,
                                   .gap_ps = 1ull << 63,
                                   .path = {TORUS_EAST, TORUS_LEFT, 1, 2},
                                   .bytes = (1u << 22) - k});
        }
        suite_end_others(fabric, 25, 1 | 1u << 11);
        fabric_drain(fabric, 0, 0);
        fabric_receive(fabric, 11, 0, 1u << TORUS_SOUTH);
        suite_expect(unit, fabric, &actions, 1);
        CHECK_EQUAL(unit, actions.step[0], FABRIC_DELIVER);
        CHECK(unit, actions.action[0].time_ps == UINT64_MAX - 1);
        fabric_end(fabric, 11, actions.action[0].time_ps);
        suite_expect(unit, fabric, &actions, 1);
        CHECK_EQUAL(unit, actions.step[0], FABRIC_DRAINED);
        CHECK(unit, actions.action[0].time_ps == UINT64_MAX - 1);
        fabric_free(fabric);
    }
}

void test_ports(struct unit *unit)
{
    UNIT_RUN(unit, one_port);
    UNIT_RUN(unit, fewer_ports_than_four);
    UNIT_RUN(unit, dead_link_gives_way);
    UNIT_RUN(unit, host_and_other_nodes_do_not_count);
    UNIT_RUN(unit, later_sends);
    UNIT_RUN(unit, freed_in_the_middle);
    UNIT_RUN(unit, every_hop_takes_it_all);
    UNIT_RUN(unit, holds_the_whole_path);
    UNIT_RUN(unit, times_do_not_wrap);
}

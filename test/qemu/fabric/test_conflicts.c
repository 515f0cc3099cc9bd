/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits that want the same link, on a ring of ten nodes. */
#include "test/qemu/fabric/suite.h"

#define RING_NODES 10u

/* A circuit asked for, and when it is to be granted. */
struct wish {
    uint32_t node;
    uint64_t ready_ps;
    uint8_t port;
    uint16_t hops;
    uint32_t bytes; /* different in every wish of a case */
    uint64_t grant_ps;
};

/* Runs the wishes, in the order given or backwards, and checks all grants. */
static void check_wishes(struct unit *unit, const struct wish *wish,
                         unsigned count, uint64_t conflicts, bool backwards)
{
    struct fabric *fabric = suite_mesh(RING_NODES, 1);
    struct actions actions;

    for (unsigned i = 0; i < count; ++i) {
        const struct wish *w = &wish[backwards ? count - 1 - i : i];

        suite_send(fabric, &(struct suite_send){
                               .node = w->node,
                               .ready_ps = w->ready_ps,
                               .path = {w->port, TORUS_STRAIGHT, w->hops, 0},
                               .bytes = w->bytes});
    }
    suite_end_others(fabric, RING_NODES, 0);
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.last, FABRIC_STUCK);
    for (unsigned i = 0; i < count; ++i) {
        const struct wish *w = &wish[i];
        const struct circuit_record *circuit =
            suite_circuit(fabric, w->node, w->port, w->bytes);
        const struct node_counters *counters =
            fabric_counters(fabric, w->node, w->port);

        CHECK(unit, circuit != NULL);
        if (circuit != NULL) {
            CHECK_EQUAL(unit, circuit->request_ps, w->ready_ps);
            CHECK_EQUAL(unit, circuit->grant_ps, w->grant_ps);
            CHECK_EQUAL(unit, circuit->end_ps,
                        w->grant_ps + HELD_PS(w->hops, w->bytes));
        }
        CHECK_EQUAL(unit, counters->stalls, w->grant_ps > w->ready_ps);
        CHECK_EQUAL(unit, counters->stall_ps, w->grant_ps - w->ready_ps);
        CHECK_EQUAL(unit, counters->busy_ps, HELD_PS(w->hops, w->bytes));
    }
    CHECK_EQUAL(unit, fabric_conflicts(fabric), conflicts);
    fabric_free(fabric);
}

/* Grants of what follows a circuit of these hops and bytes from time 0. */
#define AFTER(hops, bytes) HELD_PS(hops, bytes)
#define WISHES_MAX 5u
#define EAST TORUS_EAST
#define WEST TORUS_WEST

/* The first without bytes ends a case. */
static const struct {
    uint64_t conflicts;
    struct wish wish[WISHES_MAX + 1];
} cases[] = {
    /* The second waits. */
    {1, {{0, 0, EAST, 3, 10, 0}, {2, 400, EAST, 2, 11, AFTER(3, 10)}}},
    /* Asked for in the very picosecond of the release: no conflict. */
    {0, {{5, 0, EAST, 1, 10, 0}, {4, AFTER(1, 10), EAST, 3, 11, AFTER(1, 10)}}},
    {1,
     {{5, 0, EAST, 1, 10, 0},
      {4, AFTER(1, 10) - 1, EAST, 3, 11, AFTER(1, 10)}}},
    /* Three wait for one link: oldest first, not lowest node first. */
    {3,
     {{3, 0, EAST, 1, 10, 0},
      {1, 300, EAST, 3, 11, AFTER(1, 10) + AFTER(3, 12) + AFTER(2, 13)},
      {2, 100, EAST, 3, 12, AFTER(1, 10)},
      {4, 200, WEST, 2, 13, AFTER(1, 10) + AFTER(3, 12)}}},
    /* Equal times: by node, then port. Nodes 2 and 3 face each other. */
    {1, {{3, 7, WEST, 1, 11, 7 + AFTER(1, 10)}, {2, 7, EAST, 1, 10, 7}}},
    {2,
     {{3, 0, EAST, 1, 9, 0},
      {4, 7, WEST, 1, 12, AFTER(1, 9) + AFTER(2, 10)},
      {2, 7, EAST, 2, 10, AFTER(1, 9)}}},
    /* One node's east and west ports reach all round to the same link. */
    {1, {{0, 7, WEST, 6, 11, 7 + AFTER(5, 10)}, {0, 7, EAST, 5, 10, 7}}},
    /* Each one waits for the one before, which itself had to wait. */
    {3,
     {{0, 0, EAST, 2, 10, 0},
      {1, 10, EAST, 2, 11, AFTER(2, 10)},
      {2, AFTER(2, 10) + 5, EAST, 2, 12, AFTER(2, 10) + AFTER(2, 11)},
      {3, AFTER(2, 10) + AFTER(2, 11), EAST, 2, 13,
       AFTER(2, 10) + AFTER(2, 11) + AFTER(2, 12)}}},
    /* A circuit that waits holds nothing: others pass over its links. */
    {2,
     {{0, 0, EAST, 2, 10, 0},
      {1, 1, EAST, 2, 11, 2 + AFTER(2, 12)},
      {2, 2, EAST, 2, 12, 2},
      {3, 3, EAST, 2, 13, 4 + AFTER(2, 14)},
      {4, 4, EAST, 2, 14, 4}}},
    /* Two circuits end together; the one that needs both links gets them, since
       it asked before the one that needs the first link only. */
    {2,
     {{0, 0, EAST, 1, 10, 0},
      {1, 3, EAST, 1, 9, 3}, /* 3 ps later, a byte less */
      {2, 50, WEST, 2, 11, AFTER(1, 10)},
      {9, 60, EAST, 2, 12, AFTER(1, 10) + AFTER(2, 11)}}},
    /* The same, one picosecond apart: a link that is free is not kept back. */
    {2,
     {{0, 0, EAST, 1, 10, 0},
      {1, 4, EAST, 1, 9, 4},
      {2, 50, WEST, 2, 11, AFTER(1, 10) + AFTER(2, 12)},
      {9, 60, EAST, 2, 12, AFTER(1, 10)}}},
    /* One release lets two go that do not meet. */
    {2,
     {{2, 0, EAST, 4, 10, 0},
      {3, 70, WEST, 2, 11, AFTER(4, 10)},
      {5, 60, EAST, 2, 12, AFTER(4, 10)}}},
    /* Waits three times for the same link: counted once, the time in full. */
    {3,
     {{4, 0, EAST, 1, 10, 0},
      {5, 5, WEST, 1, 11, AFTER(1, 10)},
      {3, 6, EAST, 2, 12, AFTER(1, 10) + AFTER(1, 11)},
      {6, 7, WEST, 2, 13, AFTER(1, 10) + AFTER(1, 11) + AFTER(2, 12)}}}};

static void who_waits_and_who_goes(struct unit *unit)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i) {
        unsigned count = 0;

        while (cases[i].wish[count].bytes > 0) {
            count += 1;
        }
        for (unsigned backwards = 0; backwards < 2; ++backwards) {
            check_wishes(unit, cases[i].wish, count, cases[i].conflicts,
                         backwards != 0);
        }
    }
}

/* A queued send asks only when its port is free: waiting is no stall. */
static void queue_behind_a_stall(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(RING_NODES, 1);
    const struct circuit_record *circuit;
    const struct node_counters *counters;
    struct actions actions;
    uint32_t count;

    suite_send(fabric,
               &(struct suite_send){.node = 1,
                                    .path = {TORUS_EAST, TORUS_STRAIGHT, 1, 0},
                                    .bytes = 10});
    for (uint32_t i = 0; i < 2; ++i) {
        suite_send(fabric, &(struct suite_send){
                               .node = 0,
                               .ready_ps = 4,
                               .path = {TORUS_EAST, TORUS_STRAIGHT, 2, 0},
                               .bytes = 20 + i});
    }
    suite_end_others(fabric, RING_NODES, 0);
    suite_advance(fabric, &actions);
    circuit = fabric_circuits(fabric, &count);
    CHECK_EQUAL(unit, count, 3);
    CHECK_EQUAL(unit, circuit[1].grant_ps, AFTER(1, 10));
    CHECK_EQUAL(unit, circuit[2].request_ps, AFTER(1, 10) + AFTER(2, 20));
    CHECK_EQUAL(unit, circuit[2].grant_ps, circuit[2].request_ps);
    counters = fabric_counters(fabric, 0, TORUS_EAST);
    CHECK_EQUAL(unit, counters->stalls, 1);
    CHECK_EQUAL(unit, counters->stall_ps, AFTER(1, 10) - 4);
    CHECK_EQUAL(unit, counters->busy_ps, AFTER(2, 20) + AFTER(2, 21));
    fabric_free(fabric);
}

void test_conflicts(struct unit *unit)
{
    UNIT_RUN(unit, who_waits_and_who_goes);
    UNIT_RUN(unit, queue_behind_a_stall);
}

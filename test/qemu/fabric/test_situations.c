/* SPDX-License-Identifier: Apache-2.0 */
/* What the order property cannot see: how far the mesh goes while nodes run,
   what the host asks of it, and times at the end of 64 bits. */
#include "test/qemu/fabric/suite.h"

#include "hal/circuit.h"
#include "qemu/fabric/fabric.h"
#include "qemu/fabric/event_queue.h"
#include "qemu/fabric/watchdog.h"
#include "test/lib/fake_clock.h"

#include <stdlib.h>

#define MESH_HOST (1u << NODE_PORT_HOST)
#define FROM_WEST (1u << TORUS_WEST)

/* One hop takes 1010 ps and 3 more for each byte. */
static struct fabric *mesh_of(uint32_t running)
{
    struct fabric_config config = {.size = {5, 5},
                                   .profile.startup_ps = 1000,
                                   .profile.transfer_ps = 3,
                                   .profile.hop_delay_ps = 10};
    struct fabric *fabric = fabric_new(&config);

    for (uint32_t node = 0; node < 25; ++node) {
        if ((running >> node & 1u) == 0) {
            fabric_end(fabric, node, 0);
        }
    }
    return fabric;
}

/* To the next node on the east. */
static void send_east(struct fabric *fabric, uint32_t node, uint32_t bytes)
{
    struct fabric_message message = {.path = {TORUS_EAST, TORUS_STRAIGHT, 1, 0},
                                     .bytes = bytes};

    fabric_send(fabric, node, TORUS_EAST, &message);
}

/* The next action is this one, at this time. */
static void expect(struct unit *unit, struct fabric *fabric,
                   enum fabric_step step, uint32_t node, uint64_t time_ps)
{
    struct fabric_action action = {.node = node, .time_ps = time_ps};

    CHECK_EQUAL(unit, fabric_next(fabric, &action), step);
    CHECK_EQUAL(unit, action.node, node);
    CHECK(unit, action.time_ps == time_ps);
}

/* A single port's message is handed over at its grant: mesh time need not have
   come as far. One of several ports is not, while an earlier one is possible.
 */
static void handed_over_while_others_run(struct unit *unit)
{
    for (unsigned ports = 1; ports <= 2; ++ports) {
        struct fabric *fabric = mesh_of(1u << 12 | 1u << 3);

        send_east(fabric, 11, 100);
        fabric_receive(fabric, 12, 20,
                       ports == 1 ? FROM_WEST : FROM_WEST | MESH_HOST,
                       FABRIC_NEVER_PS);
        expect(unit, fabric, FABRIC_WAIT, 12, 0); /* 3 may ask for it at 0 */
        CHECK(unit, fabric_is_running(fabric, 3));
        CHECK(unit, !fabric_is_running(fabric, 12));
        send_east(fabric, 3, 0);
        fabric_drain(fabric, 3, 1);
        if (ports == 1) {
            expect(unit, fabric, FABRIC_DELIVER, 12, 1310);
            expect(unit, fabric, FABRIC_DRAINED, 3, 1010);
        } else {
            expect(unit, fabric, FABRIC_DRAINED, 3, 1010);
            fabric_end(fabric, 3, 1310);
            expect(unit, fabric, FABRIC_DELIVER, 12, 1310);
        }
        CHECK_EQUAL(unit, fabric_time_ps(fabric), ports == 1 ? 1010 : 1310);
        fabric_free(fabric);
    }
}

/* Each waits for the other; a message lies on a port that neither asks. */
static void stuck(struct unit *unit)
{
    struct fabric *fabric = mesh_of(1u << 1 | 1u << 2);

    send_east(fabric, 1, 3);
    fabric_receive(fabric, 1, 10, 1u << TORUS_EAST, FABRIC_NEVER_PS);
    expect(unit, fabric, FABRIC_WAIT, 0, 0);
    fabric_receive(fabric, 2, 10, 1u << TORUS_EAST | 1u << TORUS_NORTH,
                   FABRIC_NEVER_PS);
    expect(unit, fabric, FABRIC_STUCK, 0, 0);
    CHECK(unit, !fabric_is_running(fabric, 1));
    CHECK(unit, !fabric_has_ended(fabric, 1));
    CHECK(unit, fabric_has_ended(fabric, 3));
    fabric_count_error(fabric, 3, 2);
    CHECK_EQUAL(unit, fabric_counters(fabric, 3, 2)->errors, 1);
    fabric_free(fabric);
    fabric_free(NULL);
}

static void from_host(struct unit *unit)
{
    struct fabric *fabric = mesh_of(1u << 12);
    struct fabric_action action;
    int order;

    fabric_from_host(fabric, 12, 70, 1234, 0, &order);
    fabric_receive(fabric, 12, 5, MESH_HOST | FROM_WEST, FABRIC_NEVER_PS);
    CHECK_EQUAL(unit, fabric_next(fabric, &action), FABRIC_DELIVER);
    CHECK_EQUAL(unit, action.port, NODE_PORT_HOST);
    CHECK_EQUAL(unit, action.time_ps, 70);
    CHECK_EQUAL(unit, action.bytes, 1234);
    CHECK(unit, action.cookie == &order);
    fabric_free(fabric);
}

/* A call from the host ends a receive that waits for others; the next one that
   asks for calls has it. */
static void call_from_host(struct unit *unit)
{
    struct fabric *fabric = mesh_of(1u << 12);
    struct fabric_action action;
    int order;

    fabric_from_host(fabric, 12, 70, 1234, CIRCUIT_KIND_CALL, &order);
    fabric_receive(fabric, 12, 5, FROM_WEST, FABRIC_NEVER_PS);
    CHECK_EQUAL(unit, fabric_next(fabric, &action), FABRIC_TIMED_OUT);
    CHECK_EQUAL(unit, action.status, ERR_CALLED);
    CHECK_EQUAL(unit, action.time_ps, 70);
    fabric_receive(fabric, 12, 75,
                   MESH_HOST | FROM_WEST | CIRCUIT_ONLY(CIRCUIT_KIND_CALL),
                   FABRIC_NEVER_PS);
    CHECK_EQUAL(unit, fabric_next(fabric, &action), FABRIC_DELIVER);
    CHECK_EQUAL(unit, action.port, NODE_PORT_HOST);
    CHECK_EQUAL(unit, action.time_ps, 75);
    CHECK(unit, action.cookie == &order);
    fabric_free(fabric);
}

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
        struct fabric_config config = {
            .size = {1, 3},
            .profile.startup_ps = row[i].startup_ps,
            .profile.transfer_ps = row[i].transfer_ps,
            .profile.hop_delay_ps = row[i].hop_delay_ps,
            .store_and_forward = row[i].store_and_forward};
        struct fabric *fabric = fabric_new(&config);

        for (unsigned k = 0; k < 2; ++k) {
            struct fabric_message message = {
                .ready_ps = row[i].ready_ps,
                .gap_ps = 1ull << 63,
                .path = {TORUS_NORTH, TORUS_STRAIGHT, 3, 0},
                .bytes = (1u << 22) - k};

            fabric_send(fabric, 1, TORUS_NORTH, &message);
        }
        fabric_end(fabric, 0, 0);
        fabric_end(fabric, 2, 0);
        fabric_receive(fabric, 1, 0, 1u << TORUS_SOUTH, FABRIC_NEVER_PS);
        expect(unit, fabric, FABRIC_DELIVER, 1, UINT64_MAX - 1);
        fabric_drain(fabric, 1, 0);
        expect(unit, fabric, FABRIC_DRAINED, 1, UINT64_MAX - 1);
        fabric_free(fabric);
    }
}

/* Events that come and go by chance: each is the first of those left. */
static void events_come_in_order(struct unit *unit)
{
    struct event_queue queue = {.count = 0};
    uint64_t chance = 1;

    for (uint32_t step = 0; step < 20000; ++step) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        if (queue.count == 0 || chance >> 63 != 0) {
            event_queue_add(&queue, (struct event){.time_ps = chance >> 32 & 7,
                                                   .order = chance >> 40 & 3});
        } else {
            struct event first = event_queue_remove(&queue);
            bool sound = true;

            for (size_t i = 0; i < queue.count; ++i) {
                sound &= 4 * first.time_ps + first.order <=
                         4 * queue.event[i].time_ps + queue.event[i].order;
            }
            CHECK(unit, sound);
        }
    }
    event_queue_free(&queue);
}

/* A program that was stopped for a day counts one look; who rings or is silent
   without progress is told at the limit. */
static void the_watchdog_counts_what_it_sees(struct unit *unit)
{
    uint64_t now_ns = HOST_CLOCK_S_NS;
    struct watchdog watchdog = {.limit_ns = HOST_CLOCK_S_NS, .seen_ns = now_ns};

    fake_clock_set(now_ns, now_ns);
    CHECK(unit, !watchdog_barks(&watchdog));
    now_ns += 86400 * HOST_CLOCK_S_NS;
    fake_clock_set(now_ns, now_ns);
    CHECK(unit, !watchdog_barks(&watchdog));
    for (unsigned i = 0; i < 1000; ++i) {
        bool barks = watchdog_barks(&watchdog);

        CHECK_EQUAL(unit, barks, i >= 800);
        now_ns += HOST_CLOCK_MS_NS;
        fake_clock_set(now_ns, now_ns);
    }
    watchdog_feed(&watchdog);
    CHECK(unit, !watchdog_barks(&watchdog));
}

void test_situations(struct unit *unit)
{
    UNIT_RUN(unit, the_watchdog_counts_what_it_sees);
    UNIT_RUN(unit, handed_over_while_others_run);
    UNIT_RUN(unit, stuck);
    UNIT_RUN(unit, from_host);
    UNIT_RUN(unit, call_from_host);
    UNIT_RUN(unit, times_do_not_wrap);
    UNIT_RUN(unit, events_come_in_order);
}

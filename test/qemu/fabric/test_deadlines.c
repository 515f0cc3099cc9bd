/* SPDX-License-Identifier: Apache-2.0 */
/* Receives that end at a deadline. */
#include "hal/circuit.h"
#include "test/qemu/fabric/suite.h"

/* Node 12 of a 5 x 5 mesh, with 11 on its west and 13 on its east. */
#define CENTRE 12u
#define WEST 11u
#define EAST 13u
#define ALL_PORTS 0xfu
#define FROM_WEST (1u << TORUS_WEST)
#define ARRIVAL_PS HELD_PS(1, 100)

/* A message of 100 bytes to node 12 from its west. */
static void send_from_west(struct fabric *fabric, uint64_t ready_ps)
{
    suite_send(fabric,
               &(struct suite_send){.node = WEST,
                                    .ready_ps = ready_ps,
                                    .path = {TORUS_EAST, TORUS_STRAIGHT, 1, 0},
                                    .bytes = 100,
                                    .cookie = 100});
}

static void check_action(struct unit *unit, const struct actions *actions,
                         enum fabric_step step, uint64_t time_ps)
{
    CHECK_EQUAL(unit, actions->count, 1);
    CHECK_EQUAL(unit, actions->step[0], step);
    CHECK_EQUAL(unit, actions->action[0].node, CENTRE);
    CHECK_EQUAL(unit, actions->action[0].time_ps, time_ps);
}

static void check_delivery(struct unit *unit, const struct actions *actions,
                           uint64_t time_ps)
{
    check_action(unit, actions, FABRIC_DELIVER, time_ps);
    CHECK_EQUAL(unit, actions->action[0].bytes, 100);
}

static void check_timeout(struct unit *unit, const struct actions *actions,
                          uint64_t time_ps)
{
    check_action(unit, actions, FABRIC_TIMED_OUT, time_ps);
    CHECK_EQUAL(unit, actions->action[0].status, ERR_TIMEOUT);
}

/* On one port, where it is known before it arrives, and on all. What arrives at
   the deadline is in time; what arrives later is there for a later receive,
   with its time. */
static void at_the_deadline_and_later(struct unit *unit)
{
    for (unsigned i = 0; i < 4; ++i) {
        unsigned ports = i % 2 == 0 ? FROM_WEST : ALL_PORTS;
        uint64_t deadline_ps = ARRIVAL_PS - i / 2;
        struct fabric *fabric = suite_mesh(5, 5);
        struct actions actions;

        send_from_west(fabric, 0);
        suite_end_others(fabric, 25, 1u << CENTRE);
        fabric_receive_until(fabric, CENTRE, 20, ports, deadline_ps);
        suite_advance(fabric, &actions);
        if (deadline_ps < ARRIVAL_PS) {
            check_timeout(unit, &actions, deadline_ps);
            CHECK(unit, fabric_is_running(fabric, CENTRE));
            fabric_receive(fabric, CENTRE, deadline_ps, ports);
            suite_advance(fabric, &actions);
        }
        check_delivery(unit, &actions, ARRIVAL_PS);
        fabric_free(fabric);
    }
}

/* It says what is there now. */
static void a_deadline_that_has_passed(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    send_from_west(fabric, 0);
    suite_end_others(fabric, 25, 1u << CENTRE);
    fabric_receive_until(fabric, CENTRE, 500, ALL_PORTS, 0);
    suite_advance(fabric, &actions);
    check_timeout(unit, &actions, 500);
    fabric_receive_until(fabric, CENTRE, ARRIVAL_PS + 5, ALL_PORTS, 3);
    suite_advance(fabric, &actions);
    check_delivery(unit, &actions, ARRIVAL_PS + 5);
    fabric_free(fabric);
}

/* What a node that still runs sends may come by the deadline. */
static void a_deadline_waits_for_who_runs(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    suite_end_others(fabric, 25, 1u << CENTRE | 1u << WEST);
    fabric_receive_until(fabric, CENTRE, 0, ALL_PORTS, 2 * ARRIVAL_PS);
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.last, FABRIC_WAIT);
    CHECK_EQUAL(unit, actions.count, 0);
    send_from_west(fabric, ARRIVAL_PS);
    fabric_end(fabric, WEST, 2 * ARRIVAL_PS + 1);
    suite_advance(fabric, &actions);
    check_delivery(unit, &actions, 2 * ARRIVAL_PS);
    fabric_free(fabric);
}

/* A receive that got its message ends no later one at its deadline. */
static void an_old_deadline_means_nothing(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    send_from_west(fabric, 0);
    send_from_west(fabric, 9 * ARRIVAL_PS);
    suite_end_others(fabric, 25, 1u << CENTRE);
    fabric_receive_until(fabric, CENTRE, 0, ALL_PORTS, 2 * ARRIVAL_PS);
    suite_advance(fabric, &actions);
    check_delivery(unit, &actions, ARRIVAL_PS);
    fabric_receive(fabric, CENTRE, ARRIVAL_PS, ALL_PORTS);
    suite_advance(fabric, &actions);
    check_delivery(unit, &actions, 10 * ARRIVAL_PS);
    fabric_receive_until(fabric, CENTRE, 10 * ARRIVAL_PS, ALL_PORTS,
                         11 * ARRIVAL_PS);
    suite_advance(fabric, &actions);
    check_timeout(unit, &actions, 11 * ARRIVAL_PS);
    fabric_free(fabric);
}

/* A message with another tag is not what it waits for. */
static void another_tag_is_not_there(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    send_from_west(fabric, 0);
    suite_end_others(fabric, 25, 1u << CENTRE);
    fabric_receive_until(fabric, CENTRE, 2 * ARRIVAL_PS,
                         ALL_PORTS | CIRCUIT_ONLY(7), 3 * ARRIVAL_PS);
    suite_advance(fabric, &actions);
    check_timeout(unit, &actions, 3 * ARRIVAL_PS);
    fabric_free(fabric);
}

static void check_ends(struct unit *unit, struct fabric *fabric, uint32_t node)
{
    struct actions actions;

    suite_expect(unit, fabric, &actions, 1);
    CHECK_EQUAL(unit, actions.step[0], FABRIC_TIMED_OUT);
    CHECK_EQUAL(unit, actions.action[0].time_ps, 700);
    CHECK_EQUAL(unit, actions.action[0].node, node);
}

/* Where all nodes wait, time goes on to the first deadline; of two at the same
   time both end then, one after the other as the first one runs again. */
static void nobody_is_stuck_before_a_deadline(struct unit *unit)
{
    struct fabric *fabric = suite_mesh(5, 5);
    struct actions actions;

    suite_end_others(fabric, 25, 1u << CENTRE | 1u << WEST | 1u << EAST);
    fabric_receive(fabric, EAST, 0, ALL_PORTS);
    fabric_receive_until(fabric, CENTRE, 0, ALL_PORTS, 700);
    fabric_receive_until(fabric, WEST, 300, ALL_PORTS, 700);
    check_ends(unit, fabric, WEST);
    fabric_end(fabric, WEST, 800);
    check_ends(unit, fabric, CENTRE);
    fabric_end(fabric, CENTRE, 800);
    suite_advance(fabric, &actions);
    CHECK_EQUAL(unit, actions.last, FABRIC_STUCK);
    fabric_free(fabric);
}

void test_deadlines(struct unit *unit)
{
    UNIT_RUN(unit, at_the_deadline_and_later);
    UNIT_RUN(unit, a_deadline_that_has_passed);
    UNIT_RUN(unit, a_deadline_waits_for_who_runs);
    UNIT_RUN(unit, an_old_deadline_means_nothing);
    UNIT_RUN(unit, another_tag_is_not_there);
    UNIT_RUN(unit, nobody_is_stuck_before_a_deadline);
}

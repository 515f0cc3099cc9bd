/* SPDX-License-Identifier: Apache-2.0 */
#include "test/hal/serial/world.h"

#include "hal/events.h"
#include "hal/serial/board.h"
#include "hal/serial/timer.h"

#include <string.h>

struct world world;

/* ---- the board ---- */

uint64_t timer_counts(void)
{
    return world.ticks;
}

void timer_rest(void)
{
    world.ticks += IDLE_US * TIMER_COUNTS_PER_US;
}

uint64_t now_ps(void)
{
    return clock_now_ps(&world.clock);
}

uint32_t now_us(void)
{
    return (uint32_t)(now_ps() / PS_PER_US);
}

uint32_t started_us(void)
{
    return (uint32_t)(clock_started_ps(&world.clock) / PS_PER_US);
}

void board_lock(void)
{
    if (world.interrupts) {
        deliver();
    }
    world.locked += 1;
}

void board_unlock(void)
{
    world.locked -= 1;
}

uint32_t board_ports_us(void)
{
    return 0;
}

static void end_a_send(void)
{
    struct switch_message *message;

    if (world.holds_sends || world.ended == world.sends) {
        return;
    }
    message = world.sent[world.ended];
    message->error = message->aside != 0 && !world.has_ways
                         ? ERR_DEAD_LINK
                         : world.error[world.ended];
    message->state = SWITCH_DONE;
    world.ended += 1;
}

void deliver(void)
{
    struct switch_receive *receive = world.receive;

    if (receive == NULL || now_us() < world.arrives_us) {
        return;
    }
    memcpy(receive->buffer, world.message, world.message_bytes);
    receive->bytes = world.message_bytes;
    receive->port = TORUS_NORTH;
    receive->delivered_kind = world.message[CIRCUIT_AT_KIND];
    receive->state = SWITCH_DONE;
    world.receive = receive->next;
    world.arrives_us = NEVER;
}

/* The host gives its next message, and gets what is offered. */
static int serve_host(void)
{
    struct mailbox *mailbox = &world.mailbox;
    const struct given *next = world.gives;
    int error = ERR_OK;

    if (world.gives_count > 0 && mailbox->in == MAILBOX_OPEN) {
        error = mailbox_announce(mailbox, next->bytes, next->kind, 4);
        if (error == ERR_OK) {
            error = mailbox_put(mailbox, 0, next->data, 1);
        }
    }
    if (error == ERR_OK && mailbox->in == MAILBOX_FILLING &&
        now_us() >= next->ends_us) {
        error = mailbox_put(mailbox, 0, next->data, next->bytes);
        world.gives += 1;
        world.gives_count -= 1;
    }
    if (world.gets && mailbox->out == MAILBOX_OFFERED) {
        world.got_bytes = mailbox_get(mailbox, world.got, 0, sizeof world.got);
        world.got_kind = mailbox->out_kind;
        world.gots += 1;
        mailbox_done(mailbox);
    }
    return error;
}

/* The world goes on: one send ends, what arrives is there. */
static int idle(void *context)
{
    (void)context;
    world.idles += 1;
    world.ticks += IDLE_US * TIMER_COUNTS_PER_US;
    end_a_send();
    if (!world.interrupts) {
        deliver();
    }
    if (serve_host() != ERR_OK) {
        return ERR_RANGE;
    }
    if (now_us() >= world.host_takes_us) {
        mailbox_done(&world.mailbox);
    }
    return world.idles > world.idles_max ? ERR_PORT_BUSY : ERR_OK;
}

/* ---- the switch ---- */

static void called(void)
{
    world.unlocked_calls += world.locked != 1;
}

void switch_send(struct switch_core *core, struct switch_message *message)
{
    called();
    (void)core;
    message->state = SWITCH_QUEUED;
    world.sent_ps[world.sends] = now_ps();
    world.sent[world.sends++] = message;
}

void switch_post(struct switch_core *core, struct switch_receive *receive)
{
    called();
    (void)core;
    receive->state = SWITCH_QUEUED;
    receive->error = ERR_OK;
    receive->next = world.receive;
    world.receive = receive;
}

void switch_cancel(struct switch_core *core)
{
    called();
    (void)core;
    world.cancels += 1;
    for (; world.receive != NULL; world.receive = world.receive->next) {
        world.receive->state = SWITCH_IDLE;
    }
}

void switch_reset(struct switch_core *core)
{
    called();
    (void)core;
    world.resets += 1;
}

/* ---- setting up ---- */

void start(void)
{
    memset(&world, 0, sizeof world);
    world.arrives_us = NEVER;
    world.host_takes_us = NEVER;
    world.idles_max = 1000;
    world.node.identity =
        (struct node_identity){.width = 3, .height = 5, .mesh = MESH};
    world.serial = (struct serial_circuit){.core = &world.core,
                                           .mailbox = &world.mailbox,
                                           .node = &world.node,
                                           .log = &world.log,
                                           .memory = world.memory,
                                           .memory_bytes = MEMORY_BYTES,
                                           .aside = world.aside,
                                           .aside_bytes = ASIDE_BYTES,
                                           .byte_ns = BYTE_NS,
                                           .idle = idle};
    mailbox_init(&world.mailbox);
    world.opened =
        circuit_open(&world.circuit, &world.serial, &world.clock) == ERR_OK;
}

void check_locks(struct unit *unit)
{
    CHECK(unit, world.opened);
    CHECK_EQUAL(unit, world.locked, 0);
    CHECK_EQUAL(unit, world.unlocked_calls, 0);
}

int send_at(uint64_t ready_us)
{
    const struct circuit_message message = {
        .path = {TORUS_EAST, TORUS_STRAIGHT, 1, 0},
        .kind = 7,
        .ready_ps = ready_us * PS_PER_US,
        .shared = {world.memory, 8}};

    return circuit_send(&world.circuit, 1u << TORUS_EAST, &message);
}

void expect(uint32_t payload, uint32_t time_us, uint32_t arrives_us)
{
    world.message_bytes = CIRCUIT_HEADER_BYTES + payload;
    world.message[CIRCUIT_AT_VERSION] = CIRCUIT_VERSION;
    world.message[CIRCUIT_AT_KIND] = 9;
    bytes_store_u16(world.message + CIRCUIT_AT_JOB, 3);
    bytes_store_u32(world.message + CIRCUIT_AT_MESH, MESH);
    bytes_store_u32(world.message + CIRCUIT_AT_LENGTH, payload);
    bytes_store_u32(world.message + CIRCUIT_AT_CRC, time_us);
    world.arrives_us = arrives_us;
}

int receive(void)
{
    return circuit_receive(&world.circuit, &world.delivery, 0xf, world.memory,
                           512);
}

int receive_host(void)
{
    return circuit_receive(&world.circuit, &world.delivery, 1u << CIRCUIT_HOST,
                           world.memory, 512);
}

int receive_until(uint32_t deadline_us)
{
    return circuit_receive_until(&world.circuit, &world.delivery, 0xf,
                                 world.memory, 512, deadline_us * PS_PER_US);
}

static void (*test_to_run)(struct unit *unit);

static void in_a_new_world(struct unit *unit)
{
    start();
    test_to_run(unit);
    check_locks(unit);
}

void world_run(struct unit *unit, void (*test)(struct unit *unit),
               const char *name)
{
    test_to_run = test;
    unit_run(unit, in_a_new_world, name);
}

/* ---- a full log ---- */

/* Units and the last end stay right, however many intervals there are. */
static void a_full_log_joins_intervals(struct unit *unit)
{
    static struct node_log log;
    uint64_t units = 0;
    uint64_t end_ps = 0;

    memset(&log, 0, sizeof log);
    events_record(&log, 1, EVENT_SCATTER_START, 0, 0);
    for (uint32_t i = 0; i < 3 * NODE_EVENTS; ++i) {
        events_record(&log, 10 * i + 2, EVENT_COMPUTE_START, 7, i);
        events_record(&log, 10 * i + 5, EVENT_COMPUTE_END, 7, i);
    }
    events_record(&log, 99, EVENT_RESULT_QUEUED, 1, 8);
    events_record(&log, 100, EVENT_DONE, 0, 0);
    CHECK(unit, log.events_written <= NODE_EVENTS);
    CHECK_EQUAL(unit, log.event[log.events_written - 1].kind, EVENT_DONE);
    for (uint32_t i = 1; i + 2 < log.events_written; i += 2) {
        CHECK_EQUAL(unit, log.event[i].kind, EVENT_COMPUTE_START);
        CHECK_EQUAL(unit, log.event[i + 1].kind, EVENT_COMPUTE_END);
        CHECK(unit, log.event[i].time_ps > end_ps);
        units += log.event[i].value;
        end_ps = log.event[i + 1].time_ps;
    }
    CHECK_EQUAL(unit, units, 3 * NODE_EVENTS * (3ull * NODE_EVENTS - 1) / 2);
    CHECK_EQUAL(unit, end_ps, 10 * (3 * NODE_EVENTS - 1) + 5);
}

/* Without intervals it keeps the first events, and counts. */
static void a_full_log_of_other_events(struct unit *unit)
{
    static struct node_log log;

    memset(&log, 0, sizeof log);
    for (uint32_t i = 0; i < NODE_EVENTS + 9; ++i) {
        events_record(&log, i, EVENT_RESULT_MERGED, 0, i);
    }
    CHECK_EQUAL(unit, log.events_written, NODE_EVENTS + 9);
    CHECK_EQUAL(unit, log.event[NODE_EVENTS - 1].value, NODE_EVENTS - 1);
}

static void all(struct unit *unit)
{
    test_sends(unit);
    test_receives(unit);
    test_errands(unit);
    RUN(a_full_log_joins_intervals);
    RUN(a_full_log_of_other_events);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}

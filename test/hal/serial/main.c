/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Circuits over serial lines (hal/serial/circuit.c) alone, as TAP, with the
 * clock of the boards that have such lines: the switch below and the board
 * around are made up here, its timer too. Time goes on by 100 us whenever the
 * node idles. Exit status: 0, or 1 if a test failed.
 */
#include "hal/events.h"
#include "hal/serial/circuit.h"
#include "hal/stm32f405/timer.h"
#include "test/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define PS_PER_US 1000000ull
#define IDLE_US 100u
#define MEMORY_BYTES 4096u
#define ASIDE_BYTES 256u
#define BYTE_NS 5000u
#define PATIENCE_US 3000u
#define MESH 0x12345678u
#define SENT_MAX 64u
#define NEVER UINT32_MAX

/* A message of the host's, or one over the mesh. */
struct given {
    const uint8_t *data;
    uint32_t bytes;
    uint8_t kind;
};

/* The surroundings of the circuit, and the calls of the switch. */
static struct {
    struct switch_core core;
    struct mailbox mailbox;
    struct node node;
    struct node_log log;
    struct clock clock;
    uint64_t ticks; /* of the timer */
    struct serial_circuit serial;
    struct circuit circuit;
    _Alignas(8) uint8_t memory[MEMORY_BYTES];
    _Alignas(8) uint8_t aside[ASIDE_BYTES];
    unsigned locked;
    unsigned unlocked_calls; /* of the switch: must stay 0 */
    unsigned cancels;
    unsigned resets;
    unsigned idles;
    unsigned idles_max; /* the one after these fails */
    struct switch_message *sent[SENT_MAX];
    uint64_t sent_ps[SENT_MAX];
    uint8_t errand[SENT_MAX][SERIAL_ERRAND_BYTES]; /* at a message's end */
    struct torus_path errand_path[SENT_MAX];
    int8_t error[SENT_MAX]; /* with which the n-th send ends */
    unsigned sends;
    unsigned ended;
    bool holds_sends; /* none of them ends */
    struct switch_receive *receive;
    uint32_t arrives_us; /* what is below; NEVER: nothing does */
    bool interrupts;     /* it arrives only when the switch is locked */
    uint8_t message[96];
    uint32_t message_bytes;
    uint32_t host_takes_us; /* what is offered; NEVER: nothing */
    bool host_orders;
    uint32_t host_ends_us; /* when the last bytes of its order come */
    /* What it gives behind each other, and the last that it got. */
    const struct given *gives;
    unsigned gives_count;
    bool gets;
    uint8_t got[96];
    int got_bytes;
    uint8_t got_kind;
    unsigned gots;
    /* What comes over the mesh, one after the other. */
    const struct given *comes;
    unsigned comes_count;
    bool opened;
} world;

static const uint8_t order[] = {1, 2, 3, 4, 5};

/* ---- the board ---- */

uint64_t timer_ticks(void)
{
    return world.ticks;
}

void timer_rest(void)
{
    world.ticks += IDLE_US * TIMER_TICKS_PER_US;
}

static uint64_t now_ps(void)
{
    return clock_now_ps(&world.clock);
}

static uint32_t now_us(void)
{
    return (uint32_t)(now_ps() / PS_PER_US);
}

/* When the clock was last started. */
static uint32_t started_us(void)
{
    return (uint32_t)(clock_started_ps(&world.clock) / PS_PER_US);
}

static void deliver(void);
static void expect(uint32_t payload, uint32_t time_us, uint32_t arrives_us);

static void lock(void *context)
{
    (void)context;
    if (world.interrupts) {
        deliver();
    }
    world.locked += 1;
}

static void unlock(void *context)
{
    (void)context;
    world.locked -= 1;
}

static void end_a_send(void)
{
    struct switch_message *message;

    if (world.holds_sends || world.ended == world.sends) {
        return;
    }
    message = world.sent[world.ended];
    message->error = world.error[world.ended];
    message->state = SWITCH_DONE;
    world.ended += 1;
}

/* Prepares what comes next over the mesh, for who waits for its kind. */
static void come(void)
{
    const struct given *next = world.comes;

    if (world.comes_count > 0 && world.arrives_us == NEVER &&
        world.receive != NULL &&
        (world.receive->kind == 0 || world.receive->kind == next->kind)) {
        expect(next->bytes, now_us(), now_us());
        world.message[CIRCUIT_AT_KIND] = next->kind;
        memcpy(world.message + CIRCUIT_HEADER_BYTES, next->data, next->bytes);
        world.comes += 1;
        world.comes_count -= 1;
    }
}

static void deliver(void)
{
    struct switch_receive *receive = world.receive;

    come();
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
    int error = ERR_OK;

    if (world.gives_count > 0 && mailbox->in == MAILBOX_OPEN) {
        error =
            mailbox_announce(mailbox, world.gives->bytes, world.gives->kind, 4);
        if (error == ERR_OK) {
            error =
                mailbox_put(mailbox, 0, world.gives->data, world.gives->bytes);
        }
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
    world.ticks += IDLE_US * TIMER_TICKS_PER_US;
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
    if (world.host_orders && now_us() >= 400 &&
        mailbox_announce(&world.mailbox, sizeof order, 6, 2) == ERR_OK &&
        mailbox_put(&world.mailbox, 0, order, 2) == ERR_OK) {
        world.host_orders = false;
    }
    if (!world.host_orders && world.mailbox.in == MAILBOX_FILLING &&
        now_us() >= world.host_ends_us &&
        mailbox_put(&world.mailbox, 2, order + 2, sizeof order - 2) != ERR_OK) {
        return ERR_RANGE;
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
    if (message->kind == SERIAL_ERRAND) {
        memcpy(world.errand[world.sends],
               message->segment[2].data + message->segment[2].bytes -
                   SERIAL_ERRAND_BYTES,
               SERIAL_ERRAND_BYTES);
        world.errand_path[world.sends] = message->path;
    }
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

static void start(void)
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
                                           .patience_us = PATIENCE_US,
                                           .lock = lock,
                                           .unlock = unlock,
                                           .idle = idle};
    mailbox_init(&world.mailbox);
    world.opened =
        circuit_open(&world.circuit, &world.serial, &world.clock) == ERR_OK;
}

/* No lock was left, and the switch never called without. */
static void check_locks(struct unit *unit)
{
    CHECK(unit, world.opened);
    CHECK_EQUAL(unit, world.locked, 0);
    CHECK_EQUAL(unit, world.unlocked_calls, 0);
}

static int send_at(uint64_t ready_us)
{
    const struct circuit_message message = {
        .path = {TORUS_EAST, TORUS_STRAIGHT, 1, 0},
        .kind = 7,
        .ready_ps = ready_us * PS_PER_US,
        .shared = {world.memory, 8}};

    return circuit_send(&world.circuit, 1u << TORUS_EAST, &message);
}

/* A message of `payload` bytes, sent when it was `time_us`, which arrives at
   `arrives_us`. */
static void expect(uint32_t payload, uint32_t time_us, uint32_t arrives_us)
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

static int receive(struct circuit_delivery *delivery)
{
    return circuit_receive(&world.circuit, delivery, 0xf, world.memory, 512);
}

/* ---- sends ---- */

/* Also the one in the first place: nothing else of it is under way. */
static void a_drain_waits_for_a_later_send(struct unit *unit)
{
    CHECK_EQUAL(unit, send_at(250), ERR_OK);
    CHECK_EQUAL(unit, world.sends, 0);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, world.sends, 1);
    CHECK_EQUAL(unit, world.ended, 1);
    CHECK_EQUAL(unit, world.sent_ps[0], 300 * PS_PER_US);
}

static void no_send_takes_time_when_it_is_quiet(struct unit *unit)
{
    CHECK_EQUAL(unit, circuit_quiet(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, world.idles, 0);
    world.error[1] = ERR_DEAD_LINK;
    CHECK_EQUAL(unit, send_at(0), ERR_OK);
    CHECK_EQUAL(unit, send_at(250), ERR_OK);
    CHECK_EQUAL(unit, circuit_quiet(&world.circuit), ERR_DEAD_LINK);
    CHECK_EQUAL(unit, world.ended, 2);
}

static void sends_go_when_their_time_comes(struct unit *unit)
{
    CHECK_EQUAL(unit, send_at(500), ERR_OK);
    CHECK_EQUAL(unit, send_at(0), ERR_OK);
    CHECK_EQUAL(unit, send_at(200), ERR_OK);
    CHECK_EQUAL(unit, world.sends, 1);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, world.sends, 3);
    CHECK_EQUAL(unit, world.sent_ps[0], 0);
    CHECK_EQUAL(unit, world.sent_ps[1], 200 * PS_PER_US);
    CHECK_EQUAL(unit, world.sent_ps[2], 500 * PS_PER_US);
}

/* One more than there are places waits until one ends. */
static void one_more_than_there_are_places(struct unit *unit)
{
    for (unsigned i = 0; i < SERIAL_CIRCUIT_SENDS; ++i) {
        CHECK_EQUAL(unit, send_at(0), ERR_OK);
    }
    CHECK_EQUAL(unit, world.idles, 0);
    CHECK_EQUAL(unit, send_at(0), ERR_OK);
    CHECK_EQUAL(unit, world.sends, SERIAL_CIRCUIT_SENDS + 1);
    CHECK(unit, world.idles > 0 && world.idles <= 2);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, world.ended, SERIAL_CIRCUIT_SENDS + 1);
}

static void no_place_becomes_free(struct unit *unit)
{
    world.holds_sends = true;
    world.idles_max = 10;
    for (unsigned i = 0; i < SERIAL_CIRCUIT_SENDS; ++i) {
        CHECK_EQUAL(unit, send_at(0), ERR_OK);
    }
    CHECK_EQUAL(unit, send_at(0), ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.sends, SERIAL_CIRCUIT_SENDS);
}

static void the_first_error_is_told_once(struct unit *unit)
{
    world.error[1] = ERR_DEAD_LINK;
    world.error[2] = ERR_NO_ROUTE;
    for (unsigned i = 0; i < 4; ++i) {
        CHECK_EQUAL(unit, send_at(0), ERR_OK);
    }
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_DEAD_LINK);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
}

/* Head p, what is shared, and body p; the path turned to port p. */
static void four_messages_of_four_ports(struct unit *unit)
{
    struct circuit_message message = {.path = {0, TORUS_LEFT, 1, 2},
                                      .kind = 5,
                                      .head = {world.memory, 12},
                                      .head_stride = 16,
                                      .shared = {world.memory + 100, 30}};

    world.circuit.job = 3;
    world.clock.base_ps = 77 * PS_PER_US;
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        message.body[port] =
            (struct circuit_segment){world.memory + 200 + port, port};
    }
    CHECK_EQUAL(unit, circuit_send(&world.circuit, 0xd, &message), ERR_OK);
    CHECK_EQUAL(unit, world.sends, 3);
    for (unsigned i = 0; i < world.sends; ++i) {
        const unsigned port = i == 0 ? TORUS_EAST : i + 1;
        const struct switch_message *sent = world.sent[i];
        const uint8_t *header = sent->segment[0].data;

        CHECK_EQUAL(unit, sent->path.port, port);
        CHECK_EQUAL(unit, sent->path.hops_after, 2);
        CHECK_EQUAL(unit, sent->kind, 5);
        CHECK_EQUAL(unit, sent->segment[0].bytes, CIRCUIT_HEADER_BYTES);
        CHECK(unit, sent->segment[1].data == world.memory + 16 * port);
        CHECK(unit, sent->segment[2].data == world.memory + 100);
        CHECK(unit, sent->segment[3].data == world.memory + 200 + port);
        CHECK_EQUAL(unit, sent->segment[3].bytes, port);
        CHECK_EQUAL(unit, header[CIRCUIT_AT_KIND], 5);
        CHECK_EQUAL(unit, bytes_load_u16(header + CIRCUIT_AT_JOB), 3);
        CHECK_EQUAL(unit, bytes_load_u32(header + CIRCUIT_AT_LENGTH),
                    12 + 30 + port);
        CHECK_EQUAL(unit, bytes_load_u32(header + CIRCUIT_AT_CRC), 77);
    }
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
}

/* Two units of three bytes, from unit 50 on, to two ports, with two bytes
   before and four behind them; the node has none before the first one, and two
   behind the second. */
static void a_row_of_ranges(struct unit *unit)
{
    static const struct circuit_message form = {.path = {0, TORUS_LEFT, 1, 2},
                                                .kind = 5};
    static const struct {
        uint32_t units;
        uint32_t from; /* of the memory, the bytes that are sent .. */
        uint32_t to;   /* .. up to here */
    } sent[] = {{1, 200, 207}, {1, 201, 208}};
    static const uint32_t volume_units[] = {9, 9, 9, 0};
    const uint8_t *data = world.memory + 200;
    uint32_t first = 50;

    CHECK_EQUAL(unit, circuit_prepare(&world.circuit, 3, &form), ERR_OK);
    CHECK_EQUAL(
        unit,
        circuit_send_rows(
            &world.circuit,
            &(struct circuit_cut){
                .form = 3, .last_form = 3, .unit_bytes = 3, .halo_bytes = 6},
            &(struct circuit_rows){.shared = {world.memory, 28},
                                   .begin = data,
                                   .end = data + 8,
                                   .data = data - 2,
                                   .volume_units = volume_units,
                                   .extra_units = 2,
                                   .label = 0x160000,
                                   .units = 2,
                                   .first_unit = first}),
        ERR_OK);
    CHECK_EQUAL(unit, world.sends, 2);
    for (unsigned port = 0; port < world.sends; ++port) {
        const struct switch_message *message = world.sent[port];
        const uint8_t *head = message->segment[1].data;
        uint32_t bytes = sent[port].to - sent[port].from;

        CHECK_EQUAL(unit, message->path.port, port);
        CHECK_EQUAL(unit, message->path.turn, TORUS_LEFT);
        CHECK_EQUAL(unit, message->kind, 5);
        CHECK_EQUAL(unit, message->segment[1].bytes, CIRCUIT_ROW_BYTES);
        CHECK_EQUAL(unit, bytes_load_u32(head), sent[port].units);
        CHECK_EQUAL(unit, bytes_load_u32(head + 4), first);
        CHECK_EQUAL(unit, bytes_load_u32(head + 8),
                    0x160033u | port << 8 | 7u << 25);
        CHECK_EQUAL(unit, message->segment[2].bytes, 28);
        CHECK(unit, message->segment[3].data == world.memory + sent[port].from);
        CHECK_EQUAL(unit, message->segment[3].bytes, bytes);
        CHECK_EQUAL(
            unit, bytes_load_u32(message->segment[0].data + CIRCUIT_AT_LENGTH),
            CIRCUIT_ROW_BYTES + 28 + bytes);
        first += sent[port].units;
    }
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
}

/* Of a form that was not prepared since the circuit was opened; with more bytes
   of a halo before a range than there can be, so that sums wrap. */
static void rows_of_nonsense(struct unit *unit)
{
    static const struct circuit_message form = {.path = {0, 0, 1, 0}};
    static const uint32_t volume_units[] = {9, 1};
    struct circuit_cut cut = {.form = 1, .last_form = 1, .unit_bytes = 1};
    struct circuit_rows rows = {.begin = world.memory + 200,
                                .end = world.memory + 208,
                                .data = world.memory + 200,
                                .volume_units = volume_units,
                                .units = 4};

    CHECK_EQUAL(unit, circuit_prepare(&world.circuit, 1, &form), ERR_OK);
    CHECK_EQUAL(unit, circuit_open(&world.circuit, &world.serial, &world.clock),
                ERR_OK);
    CHECK_EQUAL(unit, circuit_send_rows(&world.circuit, &cut, &rows),
                ERR_NO_ROUTE);
    CHECK_EQUAL(unit, circuit_prepare(&world.circuit, 1, &form), ERR_OK);
    rows.data = world.memory + 100;
    cut.halo_bytes = 50;
    CHECK_EQUAL(unit, circuit_send_rows(&world.circuit, &cut, &rows),
                ERR_RANGE);
    CHECK_EQUAL(unit, world.sends, 0);
    rows.data = rows.begin;
    CHECK_EQUAL(unit, circuit_send_rows(&world.circuit, &cut, &rows), ERR_OK);
    CHECK_EQUAL(unit, world.sends, 4);
}

/* ---- what the switch sends on by itself ---- */

#define PART_BYTES 68u /* three words, tables of 5 layers, 16 units */
#define PART_LABEL (2u | 4u << 4 | 1u << 8 | 5u << 16 | 10u << 25)

/* What a node of layer 2 gets: 16 units, of which it keeps 3; forms 3 and 4
   have 2 and 1 for each port, and one more for the first of form 3. */
static void store_part(uint8_t *at)
{
    static const uint32_t tables[] = {9, 9, 3, 1, 1, 9, 9, 9, 2, 1};

    bytes_store_u32(at, 16);
    bytes_store_u32(at + 4, 100);
    bytes_store_u32(at + 8, PART_LABEL);
    for (unsigned i = 0; i < 10; ++i) {
        bytes_store_u32(at + 12 + 4 * i, tables[i]);
    }
    for (uint32_t i = 52; i < 52 + 16; ++i) {
        at[i] = (uint8_t)i;
    }
}

static void parts_are_sent_on(struct unit *unit)
{
    static const struct circuit_message straight = {.path = {0, 0, 1, 0},
                                                    .kind = 9};
    static const uint32_t at[] = {7, 10, 12, 14, 3, 4, 5, 6};
    static const uint32_t units[] = {3, 2, 2, 2, 1, 1, 1, 1};
    const struct circuit_cut cut = {.form = 3, .job = 3, .unit_bytes = 1};
    struct circuit_delivery delivery;

    for (unsigned n = 0; n < 5; ++n) {
        start();
        CHECK_EQUAL(unit, circuit_prepare(&world.circuit, 3, &straight), 0);
        CHECK_EQUAL(unit, circuit_prepare(&world.circuit, 4, &straight), 0);
        circuit_expect(&world.circuit, &cut);
        if (n != 1) { /* else it is not posted */
            circuit_post(&world.circuit, 2u | 1u << 8 | 5u << 16);
        }
        expect(PART_BYTES, 100, 0);
        store_part(world.message + CIRCUIT_HEADER_BYTES);
        if (n == 2) { /* of another round */
            world.message[CIRCUIT_HEADER_BYTES + 10] = 6;
        }
        if (n == 3) { /* more units than are there */
            world.message[CIRCUIT_HEADER_BYTES] = 17;
        }
        if (n == 4) { /* fewer than the tables say */
            world.message[CIRCUIT_HEADER_BYTES] = 14;
        }
        CHECK_EQUAL(unit, receive(&delivery), ERR_OK);
        CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
        CHECK_EQUAL(unit, world.sends, n == 0 ? 8 : 0);
        for (unsigned i = 0; i < world.sends; ++i) {
            const struct switch_message *message = world.sent[i];
            const uint8_t *head = message->segment[1].data;

            CHECK_EQUAL(unit, bytes_load_u32(head), units[i]);
            CHECK_EQUAL(unit, bytes_load_u32(head + 4), 100 + at[i]);
            CHECK_EQUAL(unit, bytes_load_u32(head + 8),
                        (3 + i / 4) | 4u << 4 | i % 4 << 8 | 5u << 16 |
                            10u << 25);
            CHECK(unit, message->segment[2].data == delivery.payload + 12);
            CHECK_EQUAL(unit, message->segment[2].bytes, 40);
            CHECK_EQUAL(
                unit, bytes_load_u16(message->segment[0].data + CIRCUIT_AT_JOB),
                3);
            CHECK(unit,
                  message->segment[3].data == delivery.payload + 52 + at[i]);
            CHECK_EQUAL(unit, message->segment[3].bytes, units[i]);
        }
        check_locks(unit);
    }
}

static void a_close_ends_what_does_not_end(struct unit *unit)
{
    CHECK_EQUAL(unit, send_at(0), ERR_OK);
    circuit_close(&world.circuit);
    CHECK_EQUAL(unit, world.resets, 0);
    CHECK_EQUAL(unit, world.ended, 1);
    world.holds_sends = true;
    world.idles_max = world.idles + 10;
    CHECK_EQUAL(unit, send_at(0), ERR_OK);
    circuit_close(&world.circuit);
    CHECK_EQUAL(unit, world.resets, 1);
}

/* ---- the host's messages ---- */

static void a_drain_waits_for_the_host(struct unit *unit)
{
    const struct circuit_message message = {.kind = 8,
                                            .shared = {world.memory, 40}};

    world.host_takes_us = 700;
    CHECK_EQUAL(unit,
                circuit_send(&world.circuit, 1u << CIRCUIT_HOST, &message),
                ERR_OK);
    CHECK_EQUAL(unit,
                circuit_send(&world.circuit, 1u << CIRCUIT_HOST, &message),
                ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.mailbox.out_bytes, 40);
    CHECK_EQUAL(unit, circuit_drain(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 700);
    CHECK_EQUAL(unit, world.locked, 0);
}

/* ---- receives ---- */

static void the_first_message_sets_the_clock(struct unit *unit)
{
    struct circuit_delivery delivery;
    uint64_t set_us;

    expect(40, 5000, 300);
    CHECK_EQUAL(unit, receive(&delivery), ERR_OK);
    CHECK_EQUAL(unit, delivery.bytes, 40);
    CHECK_EQUAL(unit, delivery.kind, 9);
    CHECK_EQUAL(unit, delivery.job, 3);
    CHECK_EQUAL(unit, delivery.port, TORUS_NORTH);
    set_us = 5000 + (CIRCUIT_HEADER_BYTES + 40) * BYTE_NS / 1000;
    CHECK_EQUAL(unit, now_us(), set_us);
    /* No later one does, until the mesh is told anew. */
    expect(40, 900000, (uint32_t)set_us + 200);
    CHECK_EQUAL(unit, receive(&delivery), ERR_OK);
    CHECK_EQUAL(unit, now_us(), set_us + 200);
    CHECK_EQUAL(unit, started_us(), set_us + 200);
    world.serial.synchronised = false;
    expect(0, 900000, 0);
    CHECK_EQUAL(unit, receive(&delivery), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 900000 + CIRCUIT_HEADER_BYTES * BYTE_NS / 1000);
}

/* The header's time is modulo 2^32 us; a clock may be ahead. */
static void the_clock_is_set_back_too(struct unit *unit)
{
    struct circuit_delivery delivery;

    world.clock.base_ps = ((1ull << 32) + 4000) * PS_PER_US;
    expect(0, 3000, 0);
    CHECK_EQUAL(unit, receive(&delivery), ERR_OK);
    CHECK_EQUAL(unit, now_ps() / PS_PER_US,
                (1ull << 32) + 3000 + CIRCUIT_HEADER_BYTES * BYTE_NS / 1000);
}

static void a_message_of_another_mesh(struct unit *unit)
{
    struct circuit_delivery delivery;

    expect(8, 5000, 0);
    bytes_store_u32(world.message + CIRCUIT_AT_MESH, MESH + 1);
    CHECK_EQUAL(unit, receive(&delivery), ERR_FOREIGN);
    expect(8, 5000, 0);
    bytes_store_u32(world.message + CIRCUIT_AT_LENGTH, 7);
    CHECK_EQUAL(unit, receive(&delivery), ERR_FOREIGN);
    expect(8, 5000, 0);
    world.message_bytes = CIRCUIT_HEADER_BYTES - 1;
    CHECK_EQUAL(unit, receive(&delivery), ERR_FOREIGN);
    world.circuit.job = 4;
    expect(8, 5000, 0);
    CHECK_EQUAL(unit, receive(&delivery), ERR_FOREIGN);
    CHECK(unit, !world.serial.synchronised);
    CHECK(unit, now_us() < 5000);
}

/* A job's message has a time limit, the next job's none. */
static void a_message_that_does_not_come(struct unit *unit)
{
    struct circuit_delivery delivery;

    world.circuit.job = 3;
    CHECK_EQUAL(unit, receive(&delivery), ERR_DEAD_LINK);
    CHECK_EQUAL(unit, now_us(), PATIENCE_US + IDLE_US);
    CHECK_EQUAL(unit, world.cancels, 1);
    check_locks(unit);
    world.circuit.job = CIRCUIT_ANY_JOB;
    world.idles_max = world.idles + 500;
    CHECK_EQUAL(unit, receive(&delivery), ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.idles, world.idles_max + 1);
    CHECK_EQUAL(unit, world.cancels, 2);
}

static int receive_until(struct circuit_delivery *delivery,
                         uint32_t deadline_us)
{
    return circuit_receive_until(&world.circuit, delivery, 0xf, world.memory,
                                 512, deadline_us * PS_PER_US);
}

/* Whether or not there is a job; at once, if it has passed. */
static void a_deadline_ends_a_receive(struct unit *unit)
{
    static const uint32_t deadlines_us[] = {0, 1, 450, 2000};

    for (unsigned i = 0; i < 8; ++i) {
        uint32_t deadline_us = deadlines_us[i / 2];
        struct circuit_delivery delivery;

        start();
        world.circuit.job = i % 2 == 0 ? 3 : CIRCUIT_ANY_JOB;
        CHECK_EQUAL(unit, receive_until(&delivery, deadline_us), ERR_TIMEOUT);
        CHECK(unit, now_us() >= deadline_us);
        CHECK(unit, now_us() <= deadline_us + IDLE_US);
        CHECK_EQUAL(unit, world.cancels, 1);
        check_locks(unit);
    }
}

/* What comes by the deadline is delivered; what comes later, to the next. */
static void a_deadline_before_or_behind_a_message(struct unit *unit)
{
    struct circuit_delivery delivery;

    start();
    expect(20, 777, 300);
    CHECK_EQUAL(unit, receive_until(&delivery, 450), ERR_OK);
    CHECK_EQUAL(unit, delivery.bytes, 20);
    CHECK_EQUAL(unit, world.cancels, 0);
    check_locks(unit);
    start();
    expect(20, 777, 1000);
    CHECK_EQUAL(unit, receive_until(&delivery, 450), ERR_TIMEOUT);
    CHECK_EQUAL(unit, receive_until(&delivery, 2000), ERR_OK);
    CHECK_EQUAL(unit, delivery.bytes, 20);
    CHECK_EQUAL(unit, world.cancels, 1);
}

/* Its last byte comes in when the time is up and the receive not yet taken
   back: its sender has been told that it arrived. */
static void a_message_at_the_very_deadline(struct unit *unit)
{
    struct circuit_delivery delivery;

    expect(20, 777, 450);
    world.interrupts = true;
    CHECK_EQUAL(unit, receive_until(&delivery, 450), ERR_OK);
    CHECK_EQUAL(unit, delivery.bytes, 20);
}

static void a_deadline_is_no_patience(struct unit *unit)
{
    struct circuit_delivery delivery;

    world.circuit.job = 3;
    CHECK_EQUAL(unit, receive_until(&delivery, 2 * PATIENCE_US), ERR_DEAD_LINK);
    CHECK_EQUAL(unit, now_us(), PATIENCE_US + IDLE_US);
}

/* ---- receives ahead ---- */

#define AHEAD_MASK (0xfu | CIRCUIT_ONLY(9))

static int ahead(unsigned place)
{
    return circuit_receive_ahead(&world.circuit, AHEAD_MASK,
                                 world.memory + 512 + 64 * place, 64);
}

static int receive_ahead(struct circuit_delivery *delivery,
                         uint32_t deadline_us)
{
    return circuit_receive_until(&world.circuit, delivery, AHEAD_MASK,
                                 world.memory, 512, deadline_us * PS_PER_US);
}

/* A message comes while the node computes, and is there when it is asked for
   without a wait; the other receive waits on, past a deadline too. */
static void messages_come_ahead(struct unit *unit)
{
    struct circuit_delivery delivery;
    uint8_t *at[2];

    world.circuit.job = 3;
    CHECK_EQUAL(unit, ahead(0), ERR_OK);
    CHECK_EQUAL(unit, ahead(1), ERR_OK);
    CHECK_EQUAL(unit, receive_ahead(&delivery, 0), ERR_TIMEOUT);
    CHECK_EQUAL(unit, world.idles, 0);
    for (unsigned i = 0; i < 2; ++i) {
        expect(8 + i, 0, 0);
        deliver();
        CHECK_EQUAL(unit, receive_ahead(&delivery, 0), ERR_OK);
        CHECK_EQUAL(unit, delivery.bytes, 8 + i);
        at[i] = delivery.payload - CIRCUIT_HEADER_BYTES;
        CHECK(unit,
              at[i] == world.memory + 512 || at[i] == world.memory + 512 + 64);
    }
    CHECK(unit, at[0] != at[1]);
    CHECK_EQUAL(unit, world.idles, 0);
    CHECK_EQUAL(unit, world.cancels, 0);
    /* None is ahead: the buffer of the call is used. */
    expect(8, 0, 0);
    CHECK_EQUAL(unit, receive_ahead(&delivery, 1000), ERR_OK);
    CHECK(unit, delivery.payload == world.memory + CIRCUIT_HEADER_BYTES);
}

static void receives_ahead_are_taken_back(struct unit *unit)
{
    struct circuit_delivery delivery;

    CHECK_EQUAL(unit, ahead(0), ERR_OK);
    CHECK_EQUAL(unit, ahead(1), ERR_OK);
    expect(8, 0, 300);
    CHECK_EQUAL(unit,
                circuit_receive(&world.circuit, &delivery,
                                0xfu | CIRCUIT_ONLY(8), world.memory, 512),
                ERR_OK);
    CHECK_EQUAL(unit, world.cancels, 1);
    CHECK(unit, delivery.payload == world.memory + CIRCUIT_HEADER_BYTES);
    CHECK_EQUAL(unit, ahead(0), ERR_OK);
    circuit_close(&world.circuit);
    CHECK(unit, world.receive == NULL);
}

static void receives_ahead_that_are_none(struct unit *unit)
{
    CHECK_EQUAL(unit,
                circuit_receive_ahead(&world.circuit, AHEAD_MASK,
                                      world.memory + MEMORY_BYTES - 32, 64),
                ERR_BUFFER);
    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        CHECK_EQUAL(unit, ahead(i), ERR_OK);
    }
    CHECK_EQUAL(unit, ahead(CIRCUIT_AHEAD_MAX), ERR_PORT_BUSY);
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

/* ---- buffers ---- */

static void buffers_that_are_none(struct unit *unit)
{
    struct circuit_delivery delivery;
    const struct {
        uint8_t *buffer;
        uint32_t bytes;
        int error;
    } tries[] = {
        {world.memory, MEMORY_BYTES, ERR_OK},
        {world.memory, MEMORY_BYTES + 1, ERR_BUFFER},
        {world.memory + 8, MEMORY_BYTES, ERR_BUFFER},
        {world.memory, CIRCUIT_HEADER_BYTES - 1, ERR_BUFFER},
        {world.aside, ASIDE_BYTES, ERR_OK},
        {world.aside + 8, ASIDE_BYTES, ERR_BUFFER},
    };

    for (unsigned i = 0; i < sizeof tries / sizeof *tries; ++i) {
        start();
        expect(8, 0, 0);
        CHECK_EQUAL(unit,
                    circuit_receive(&world.circuit, &delivery, 0xf,
                                    tries[i].buffer, tries[i].bytes),
                    tries[i].error);
        CHECK_EQUAL(unit, world.receive != NULL, 0);
    }
}

static int receive_host(struct circuit_delivery *delivery)
{
    return circuit_receive(&world.circuit, delivery, 1u << CIRCUIT_HOST,
                           world.memory, 512);
}

static void an_order_of_the_host(struct unit *unit)
{
    struct circuit_delivery delivery;

    start();
    world.idles_max = 3;
    CHECK_EQUAL(unit, receive_host(&delivery), ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.mailbox.in, MAILBOX_CLOSED);
    start();
    world.host_orders = true;
    CHECK_EQUAL(unit, receive_host(&delivery), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 400);
    CHECK_EQUAL(unit, delivery.bytes, sizeof order);
    CHECK_EQUAL(unit, delivery.port, CIRCUIT_HOST);
    CHECK_EQUAL(unit, delivery.kind, 6);
    CHECK_EQUAL(unit, delivery.job, 2);
    CHECK(unit, memcmp(delivery.payload, order, sizeof order) == 0);
}

/* The answer's clock begins at clock_started_ps(): when the order's last byte
   has come, neither with the message before it nor with the first byte. */
static void an_order_starts_the_clock(struct unit *unit)
{
    struct circuit_delivery delivery;

    world.serial.synchronised = true;
    expect(40, 5000, 200);
    CHECK_EQUAL(unit, receive(&delivery), ERR_OK);
    CHECK_EQUAL(unit, started_us(), 200);
    world.host_orders = true;
    world.host_ends_us = 700;
    CHECK_EQUAL(unit, receive_host(&delivery), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 700);
    CHECK_EQUAL(unit, started_us(), 700);
    CHECK(unit, memcmp(delivery.payload, order, sizeof order) == 0);
    CHECK_EQUAL(unit, circuit_settle(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 2700);
    CHECK_EQUAL(unit, started_us(), 700);
}

/* ---- errands (hal/serial/errand.h) ---- */

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

/* The host gives these errands, and waits for what comes of them. */
static int order_with(struct circuit_delivery *delivery,
                      const struct errands *errands)
{
    const struct given given = {errands->data, errands->bytes, SERIAL_ERRAND};

    world.gives = &given;
    world.gives_count = 1;
    world.gets = true;
    world.idles_max = world.idles + 40;
    return receive_host(delivery);
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
    struct errands errands = order_before(ORDER_BYTES);
    struct circuit_delivery delivery;

    add_errand(&errands, there, SERIAL_ERRAND_ORDER);
    /* It waits for the next message, which does not come. */
    CHECK_EQUAL(unit, order_with(&delivery, &errands), ERR_PORT_BUSY);
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
    struct circuit_delivery delivery;

    add_errand(&errands, (struct torus_path){.hops = 0}, SERIAL_ERRAND_LEAD);
    add_errand(&errands, beside, SERIAL_ERRAND_START);
    add_errand(&errands, there, SERIAL_ERRAND_START);
    CHECK_EQUAL(unit, order_with(&delivery, &errands), ERR_OK);
    CHECK_EQUAL(unit, world.ended, 2);
    check_sent(unit, 0, there, errands.data + ORDER_BYTES + 16);
    check_sent(unit, 1, beside, errands.data + ORDER_BYTES + 8);
    CHECK_EQUAL(unit, world.gots, 0);
    CHECK_EQUAL(unit, delivery.kind, 6);
    CHECK_EQUAL(unit, delivery.job, 4);
    CHECK_EQUAL(unit, delivery.bytes, ORDER_BYTES);
    CHECK_EQUAL(unit, delivery.port, CIRCUIT_HOST);
    CHECK(unit, memcmp(delivery.payload, errands.data, ORDER_BYTES) == 0);
}

static void one_that_does_not_begin(struct unit *unit)
{
    struct errands errands = order_before(ORDER_BYTES);
    struct circuit_delivery delivery;

    world.error[1] = ERR_DEAD_LINK;
    add_errand(&errands, (struct torus_path){.hops = 0}, SERIAL_ERRAND_LEAD);
    add_errand(&errands, there, SERIAL_ERRAND_START);
    add_errand(&errands, beside, SERIAL_ERRAND_START);
    add_errand(&errands, there, SERIAL_ERRAND_START);
    CHECK_EQUAL(unit, order_with(&delivery, &errands), ERR_PORT_BUSY);
    CHECK_EQUAL(unit, world.sends, 2);
    check_answer(unit, ERR_DEAD_LINK, 1);
}

static void a_report_is_fetched(struct unit *unit)
{
    static const uint8_t report[] = "what the other one reports";
    const struct given comes = {report, sizeof report, SERIAL_REPORT};
    struct errands errands = order_before(0);
    struct circuit_delivery delivery;

    start();
    world.comes = &comes;
    world.comes_count = 1;
    add_errand(&errands, there, SERIAL_ERRAND_FETCH);
    CHECK_EQUAL(unit, order_with(&delivery, &errands), ERR_PORT_BUSY);
    check_sent(unit, 0, there, errands.data);
    CHECK_EQUAL(unit, world.sent[0]->segment[2].bytes, 8);
    CHECK_EQUAL(unit, world.gots, 1);
    CHECK_EQUAL(unit, world.got_kind, SERIAL_REPORT);
    CHECK_EQUAL(unit, world.got_bytes, sizeof report);
    CHECK(unit, memcmp(world.got, report, sizeof report) == 0);
    start();
    world.error[0] = ERR_DEAD_LINK;
    CHECK_EQUAL(unit, order_with(&delivery, &errands), ERR_PORT_BUSY);
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
        struct circuit_delivery delivery;

        start();
        serial_errand_store(errands.data, tries[i].path,
                            (enum serial_errand)tries[i].errand, 6);
        errands.bytes = tries[i].bytes;
        CHECK_EQUAL(unit, order_with(&delivery, &errands), ERR_PORT_BUSY);
        CHECK_EQUAL(unit, world.sends, 0);
        check_answer(unit, tries[i].error, 0);
    }
}

/* Only errands in front of the last one that is not there either. */
static void errands_without_an_end(struct unit *unit)
{
    struct errands errands = order_before(0);
    struct circuit_delivery delivery;

    add_errand(&errands, there, SERIAL_ERRAND_START);
    CHECK_EQUAL(unit, order_with(&delivery, &errands), ERR_PORT_BUSY);
    check_answer(unit, ERR_LENGTH, 1);
}

static int take_order(const struct errands *order_errand)
{
    const struct given comes = {order_errand->data, order_errand->bytes,
                                SERIAL_ERRAND};
    struct circuit_delivery delivery;

    world.comes = &comes;
    world.comes_count = 1;
    return receive(&delivery);
}

static void send_report(struct unit *unit)
{
    const struct circuit_message message = {.kind = 4,
                                            .head = {world.memory, 8},
                                            .shared = {world.memory + 8, 3},
                                            .body = {{world.memory + 16, 5}}};

    CHECK_EQUAL(unit,
                circuit_send(&world.circuit, 1u << CIRCUIT_HOST, &message),
                ERR_OK);
}

static void an_order_over_the_mesh(struct unit *unit)
{
    struct errands errands = order_before(ORDER_BYTES);
    struct errands begin = order_before(0);
    struct errands fetch = order_before(0);
    const struct given comes[] = {{begin.data, 8, SERIAL_ERRAND},
                                  {fetch.data, 8, SERIAL_ERRAND}};
    struct circuit_delivery delivery;
    const struct switch_message *sent;

    add_errand(&errands, there, SERIAL_ERRAND_ORDER);
    add_errand(&begin, there, SERIAL_ERRAND_START);
    add_errand(&fetch, there, SERIAL_ERRAND_FETCH);
    CHECK_EQUAL(unit, take_order(&errands), ERR_KIND);
    CHECK_EQUAL(unit, world.serial.ordered, SERIAL_ORDERED_BY_MESH);
    /* It waits for the start, whatever else comes. */
    world.idles_max = world.idles + 5;
    CHECK_EQUAL(unit, receive_host(&delivery), ERR_PORT_BUSY);
    world.idles_max = 1000;
    world.comes = comes;
    world.comes_count = 1;
    CHECK_EQUAL(unit, receive_host(&delivery), ERR_OK);
    CHECK_EQUAL(unit, delivery.kind, 6);
    CHECK_EQUAL(unit, delivery.job, 3);
    CHECK_EQUAL(unit, delivery.port, CIRCUIT_HOST);
    CHECK_EQUAL(unit, delivery.bytes, ORDER_BYTES);
    CHECK_EQUAL(unit, started_us(), now_us());
    CHECK(unit, memcmp(delivery.payload, errands.data, ORDER_BYTES) == 0);
    world.circuit.job = 3;
    world.comes_count = 1;
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
    struct errands errands = order_before(0);
    struct errands begin = order_before(0);
    const struct given comes = {begin.data, 8, SERIAL_ERRAND};
    struct circuit_delivery delivery;

    add_errand(&errands, there, SERIAL_ERRAND_ORDER);
    add_errand(&begin, there, SERIAL_ERRAND_START);
    CHECK_EQUAL(unit, take_order(&errands), ERR_KIND);
    CHECK_EQUAL(unit, world.serial.ordered, SERIAL_ORDERED_BY_HOST);
    world.gives = &gives;
    world.gives_count = 1;
    world.idles_max = world.idles + 5;
    CHECK_EQUAL(unit, receive_host(&delivery), ERR_PORT_BUSY);
    world.idles_max = 1000;
    world.gives = &gives;
    world.gives_count = 1;
    world.comes = &comes;
    world.comes_count = 1;
    CHECK_EQUAL(unit, receive_host(&delivery), ERR_OK);
    CHECK_EQUAL(unit, delivery.kind, 1);
    CHECK_EQUAL(unit, delivery.bytes, sizeof own);
    CHECK_EQUAL(unit, world.comes_count, 0);
    send_report(unit);
    CHECK_EQUAL(unit, world.mailbox.out, MAILBOX_OFFERED);
    CHECK_EQUAL(unit, world.mailbox.out_bytes, 16);
    CHECK_EQUAL(unit, world.sends, 0);
}

/* In a job, somewhere else in memory, or another errand: a message as any. */
static void errands_that_make_no_originator(struct unit *unit)
{
    struct errands errands = order_before(ORDER_BYTES);
    struct errands begin = order_before(0);
    const struct given comes = {errands.data, ORDER_BYTES + 8, SERIAL_ERRAND};
    struct circuit_delivery delivery;

    add_errand(&errands, there, SERIAL_ERRAND_ORDER);
    add_errand(&begin, there, SERIAL_ERRAND_START);
    start();
    CHECK_EQUAL(unit, take_order(&begin), ERR_OK);
    CHECK_EQUAL(unit, world.serial.ordered, SERIAL_NOT_ORDERED);
    start();
    world.circuit.job = 3;
    CHECK_EQUAL(unit, take_order(&errands), ERR_OK);
    CHECK_EQUAL(unit, world.serial.ordered, SERIAL_NOT_ORDERED);
    start();
    world.comes = &comes;
    world.comes_count = 1;
    CHECK_EQUAL(
        unit,
        circuit_receive(&world.circuit, &delivery, 0xf, world.memory + 8, 512),
        ERR_OK);
    CHECK_EQUAL(unit, delivery.kind, SERIAL_ERRAND);
    CHECK_EQUAL(unit, world.serial.ordered, SERIAL_NOT_ORDERED);
}

static void settling_takes_two_milliseconds(struct unit *unit)
{
    CHECK_EQUAL(unit, circuit_settle(&world.circuit), ERR_OK);
    CHECK_EQUAL(unit, now_us(), 2000);
    world.idles_max = world.idles + 3;
    CHECK_EQUAL(unit, circuit_settle(&world.circuit), ERR_PORT_BUSY);
}

static void (*test)(struct unit *unit);

/* In new surroundings; in the end no lock is left. */
static void run_test(struct unit *unit)
{
    start();
    test(unit);
    check_locks(unit);
}

#define RUN(name)                                                              \
    do {                                                                       \
        test = (name);                                                         \
        unit_run(unit, run_test, #name);                                       \
    } while (0)

static void all(struct unit *unit)
{
    RUN(a_drain_waits_for_a_later_send);
    RUN(no_send_takes_time_when_it_is_quiet);
    RUN(sends_go_when_their_time_comes);
    RUN(one_more_than_there_are_places);
    RUN(no_place_becomes_free);
    RUN(the_first_error_is_told_once);
    RUN(four_messages_of_four_ports);
    RUN(a_row_of_ranges);
    RUN(rows_of_nonsense);
    RUN(parts_are_sent_on);
    RUN(a_close_ends_what_does_not_end);
    RUN(a_drain_waits_for_the_host);
    RUN(the_first_message_sets_the_clock);
    RUN(the_clock_is_set_back_too);
    RUN(a_message_of_another_mesh);
    RUN(a_message_that_does_not_come);
    RUN(a_deadline_ends_a_receive);
    RUN(a_deadline_before_or_behind_a_message);
    RUN(a_message_at_the_very_deadline);
    RUN(a_deadline_is_no_patience);
    RUN(buffers_that_are_none);
    RUN(an_order_of_the_host);
    RUN(an_order_starts_the_clock);
    RUN(an_order_is_passed_on);
    RUN(others_begin_before_the_own_order);
    RUN(one_that_does_not_begin);
    RUN(a_report_is_fetched);
    RUN(errands_of_nonsense);
    RUN(errands_without_an_end);
    RUN(an_order_over_the_mesh);
    RUN(an_order_of_a_host_of_its_own);
    RUN(errands_that_make_no_originator);
    RUN(settling_takes_two_milliseconds);
    RUN(messages_come_ahead);
    RUN(receives_ahead_are_taken_back);
    RUN(receives_ahead_that_are_none);
    RUN(a_full_log_joins_intervals);
    RUN(a_full_log_of_other_events);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}

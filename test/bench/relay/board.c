/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions that the calls of the software switch take, which is compiled as
 * for the board stm32f405, but for the processor. Five nodes in a cross: four
 * talk through the one in the middle and with it, byte by byte, while every
 * call is counted. The frame around it is that of the unit tests on the target
 * (test/target), which calls unit_all(). Run under -icount shift=10, where an
 * instruction takes 1024 ns: 25.6 ticks of the timer, so that they are counted
 * exactly. One line for each figure:
 *
 *   name, calls, instructions of all of them, of the longest
 *
 * Calls count with what it takes to make them.
 */
#include "hal/bytes.h"
#include "hal/mps2/registers.h"
#include "hal/switch/internal.h"
#include "hal/switch/switch.h"
#include "test/bench/count.h"

#include <string.h>

#define NS_PER_TICK 40u
#define NS_PER_INSTRUCTION 1024u
#define MESSAGE_BYTES 2400u
#define KIND 1u
#define TURNS 60000u

/* What is counted, and its name. */
/* clang-format off */
#define FIGURES_LIST(F) \
    F(PASSED_BYTE, "passed-byte") \
    F(PASSED_START, "passed-start") \
    F(PASSED_END, "passed-end") \
    F(PASSED_PENDING, "passed-pending") \
    F(PASSED_TAKEN, "passed-taken") \
    F(SETUP_HOP, "setup-hop") \
    F(RELEASE_HOP, "release-hop") \
    F(SETUP_ARRIVES, "setup-arrives") \
    F(READ_BYTE, "read-byte") \
    F(DATA_ARRIVES, "data-arrives") \
    F(LAST_DATA_ARRIVES, "last-arrives") \
    F(ANSWER_ARRIVES, "answer-arrives") \
    F(FRAME_MADE, "frame-made") \
    F(SEND, "send") \
    F(TICK_IDLE, "tick-idle") \
    F(TICK_HELD, "tick-held") \
    F(TICK_BACK, "tick-back") \
    F(BAD_LINE_ARRIVES, "bad-line-arrives") \
    F(BAD_LINE_MADE, "bad-line-made")
/* clang-format on */
#define FIGURE(figure, name) figure,
#define NAME(figure, name) name,

enum figure {
    FIGURES_LIST(FIGURE) FIGURES
};

static const char *const names[] = {FIGURES_LIST(NAME)};

/* Of one kind of call. */
struct counted {
    uint32_t calls;
    uint32_t total; /* instructions, of all of them */
    uint32_t worst;
};

static struct counted figures[FIGURES];
static uint32_t nothing; /* what it costs to count */

/* ---- counting ---- */

/* Counts instructions from here to count_stop(). */
static uint32_t count_start(void)
{
    return CMSDK_TIMER0->VALUE;
}

static void add(struct counted *figure, uint32_t count)
{
    figure->calls += 1;
    figure->total += count;
    figure->worst = count > figure->worst ? count : figure->worst;
}

/* Result: how many. The figure may be NULL. */
static uint32_t count_stop(struct counted *figure, uint32_t from)
{
    uint32_t ticks = from - CMSDK_TIMER0->VALUE;
    uint32_t count =
        (ticks * NS_PER_TICK + NS_PER_INSTRUCTION / 2) / NS_PER_INSTRUCTION -
        nothing;

    if (figure != NULL) {
        add(figure, count);
    }
    return count;
}

static void start_counting(void)
{
    CMSDK_TIMER0->RELOAD = UINT32_MAX;
    CMSDK_TIMER0->VALUE = UINT32_MAX;
    CMSDK_TIMER0->CTRL = TIMER_CTRL_ENABLE;
    nothing = 0;
    nothing = count_stop(NULL, count_start());
}

/* The figure "nops" must be 1 1000 1000. */
static void count_nops(struct counted *figure)
{
    uint32_t from = count_start();

    __asm volatile(".rept 1000\n\tnop\n\t.endr");
    count_stop(figure, from);
}

static void print(unit_put *put, void *context, const char *name,
                  const struct counted *figure)
{
    put_line(put, context, name,
             (const uint32_t[]){figure->calls, figure->total, figure->worst},
             3);
}

/* ---- five nodes ---- */

/* The neighbour at each port of the middle one, which is the last. */
#define MIDDLE TORUS_PORTS
static struct switch_core nodes[TORUS_PORTS + 1];
static struct switch_message message[TORUS_PORTS];
static struct switch_receive receive[TORUS_PORTS + 1];
static uint8_t data[MESSAGE_BYTES];
static uint8_t buffer[TORUS_PORTS + 1][MESSAGE_BYTES];

/* Volatile, so that calls remain calls. */
static void (*volatile const call_byte)(struct switch_core *, unsigned,
                                        uint8_t) = switch_byte;
static unsigned (*volatile const call_pending)(
    struct switch_core *, unsigned, const uint8_t **) = switch_pending;
static void (*volatile const call_taken)(struct switch_core *, unsigned,
                                         unsigned) = switch_taken;
static void (*volatile const call_tick)(struct switch_core *,
                                        uint32_t) = switch_tick;
static void (*volatile const call_send)(struct switch_core *,
                                        struct switch_message *) = switch_send;

/* Whether the line is a bad one: four bytes of each long frame are changed, and
   what it takes counts apart. */
static bool bad;

static void kick(void *context, unsigned port)
{
    (void)context;
    (void)port;
}

static void start_nodes(void)
{
    for (unsigned i = 0; i <= MIDDLE; ++i) {
        const struct switch_config config = {
            .node = (uint16_t)i, .seed = i + 1, .byte_ns = 5000, .kick = kick};

        switch_init(&nodes[i], &config);
        switch_tick(&nodes[i], 1000);
        receive[i] = (struct switch_receive){
            .buffer = buffer[i], .capacity_bytes = MESSAGE_BYTES, .ports = 15};
    }
}

/* The node remembers as many sources as it can: it looks for one in vain. */
static void fill_memory(struct switch_core *core)
{
    for (unsigned i = 0; i < SWITCH_REMEMBERED; ++i) {
        core->memory[i].from.source = (uint16_t)(1000 + i);
        core->memory[i].heard = (uint16_t)i;
    }
    core->heard = SWITCH_REMEMBERED;
    core->remembered = SWITCH_REMEMBERED;
}

/* On a bad line. */
static uint8_t damaged(const struct switch_core *core, unsigned port,
                       uint8_t byte)
{
    unsigned at = core->reader[port].bytes;
    bool hit = core->port[port].mode == SWITCH_MODE_READ && at >= 20 &&
               at < 24 && core->reader[port].left > 0;

    return bad && hit && byte > 1 ? byte ^ 1u : byte;
}

/* What a byte that comes in is about, as of before it. */
static enum figure about(const struct switch_core *core, unsigned port,
                         uint8_t byte)
{
    const struct switch_port *at = &core->port[port];
    unsigned type = SWITCH_FRAME_TYPE(core->reader[port].content[0]);

    if (at->mode == SWITCH_MODE_PASS) {
        return byte == 0 ? PASSED_END : PASSED_BYTE;
    }
    if (at->mode == SWITCH_MODE_FIRST && at->role == SWITCH_ROLE_RELAY &&
        SWITCH_FRAME_TYPE(byte) != SWITCH_FRAME_RELEASE) {
        return PASSED_START;
    }
    if (at->mode != SWITCH_MODE_READ || byte != 0) {
        return READ_BYTE;
    }
    switch (type) {
    case SWITCH_FRAME_SETUP:
        return core == &nodes[MIDDLE] ? SETUP_HOP : SETUP_ARRIVES;
    case SWITCH_FRAME_RELEASE:
        return RELEASE_HOP;
    case SWITCH_FRAME_DATA:
        return DATA_ARRIVES;
    default:
        return ANSWER_ARRIVES;
    }
}

static void count_byte(struct switch_core *core, unsigned port, uint8_t byte)
{
    enum figure figure = about(core, port, byte);
    uint32_t before = core->counters[port].received_messages;
    uint32_t relayed = core->counters[port].relayed_circuits;
    uint32_t from = count_start();
    uint32_t count;

    call_byte(core, port, byte);
    count = count_stop(NULL, from);
    if (bad) {
        figure = BAD_LINE_ARRIVES;
    } else if (core->counters[port].received_messages != before) {
        figure = LAST_DATA_ARRIVES;
    } else if (figure == SETUP_HOP &&
               core->counters[port].relayed_circuits == relayed) {
        figure = SETUP_ARRIVES;
    }
    add(&figures[figure], count);
}

/* One byte, if there is one, from node to node. */
static bool move(struct switch_core *from_core, unsigned from_port,
                 struct switch_core *to_core, unsigned to_port)
{
    bool passed = from_core->port[from_port].role == SWITCH_ROLE_RELAY;
    const uint8_t *bytes;
    uint32_t written = from_core->port[from_port].written;
    uint32_t from = count_start();
    unsigned some = call_pending(from_core, from_port, &bytes);
    uint8_t byte;

    count_stop(passed ? &figures[PASSED_PENDING] : NULL, from);
    if (some == 0) {
        return false;
    }
    byte = *bytes;
    from = count_start();
    call_taken(from_core, from_port, 1);
    if (from_core->port[from_port].written != written) {
        count_stop(&figures[bad ? BAD_LINE_MADE : FRAME_MADE], from);
    } else {
        count_stop(passed ? &figures[PASSED_TAKEN] : NULL, from);
    }
    count_byte(to_core, to_port, damaged(to_core, to_port, byte));
    return true;
}

static bool turn(void)
{
    bool moved = false;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        unsigned back = torus_opposite((enum torus_port)port);

        moved |= move(&nodes[port], back, &nodes[MIDDLE], port);
        moved |= move(&nodes[MIDDLE], port, &nodes[port], back);
    }
    return moved;
}

static void run(void)
{
    for (unsigned i = 0; i < TURNS && turn(); ++i) {
    }
}

/* Node `from` sends so many hops out of a port. */
static void send(unsigned from, unsigned port, unsigned hops)
{
    struct switch_message *sent = &message[port];
    uint32_t before;

    *sent = (struct switch_message){
        .path = {.port = (uint8_t)port, .hops = (uint16_t)hops},
        .kind = KIND,
        .segment = {{data, MESSAGE_BYTES}}};
    before = count_start();
    call_send(&nodes[from], sent);
    count_stop(bad ? NULL : &figures[SEND], before);
}

static bool arrived(unsigned node, unsigned port)
{
    return message[port].state == SWITCH_DONE && message[port].error == 0 &&
           receive[node].state == SWITCH_DONE &&
           memcmp(buffer[node], data, MESSAGE_BYTES) == 0;
}

/* A node for whom a neighbour has a message on the other side of the middle. */
static void cross(unsigned port)
{
    switch_post(&nodes[port], &receive[port]);
    send(torus_opposite((enum torus_port)port), port, 2);
}

static bool one_circuit(void)
{
    start_nodes();
    cross(TORUS_EAST);
    run();
    return arrived(TORUS_EAST, TORUS_EAST);
}

static bool two_circuits(void)
{
    start_nodes();
    cross(TORUS_WEST);
    cross(TORUS_SOUTH);
    run();
    return arrived(TORUS_WEST, TORUS_WEST) && arrived(TORUS_SOUTH, TORUS_SOUTH);
}

static bool four_sources(void)
{
    bool good = true;

    start_nodes();
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        switch_post(&nodes[port], &receive[port]);
        send(MIDDLE, port, 1);
    }
    run();
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        good &= arrived(port, port);
    }
    return good;
}

static bool one_destination(void)
{
    start_nodes();
    fill_memory(&nodes[MIDDLE]);
    switch_post(&nodes[MIDDLE], &receive[MIDDLE]);
    send(TORUS_WEST, TORUS_EAST, 1);
    run();
    return arrived(MIDDLE, TORUS_EAST);
}

static void count_tick(enum figure figure, uint32_t now_us)
{
    uint32_t from = count_start();

    call_tick(&nodes[MIDDLE], now_us);
    count_stop(&figures[figure], from);
}

/* Nothing to do; two circuits held; four sources that hear nothing. */
static bool ticks(void)
{
    uint32_t now_us = 1000;

    start_nodes();
    count_tick(TICK_IDLE, now_us += 1000);
    cross(TORUS_EAST);
    cross(TORUS_NORTH);
    for (unsigned i = 0; i < 500; ++i) {
        turn();
    }
    count_tick(TICK_HELD, now_us + 1000);
    now_us = 1000;
    start_nodes();
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        switch_post(&nodes[port], &receive[port]);
        send(MIDDLE, port, 1);
    }
    for (unsigned i = 0; i < 500; ++i) {
        turn();
    }
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        nodes[MIDDLE].port[port].taken = nodes[MIDDLE].port[port].written;
    }
    count_tick(TICK_BACK, now_us + 1000000);
    return nodes[MIDDLE].counters[0].retransmitted == 1;
}

/* One message, of whose frames the destination puts four bytes right each. */
static bool bad_line(void)
{
    start_nodes();
    bad = true;
    switch_source_turn_bad(&nodes[TORUS_WEST].port[TORUS_EAST]);
    switch_post(&nodes[MIDDLE], &receive[MIDDLE]);
    send(TORUS_WEST, TORUS_EAST, 1);
    run();
    bad = false;
    return arrived(MIDDLE, TORUS_EAST) &&
           nodes[MIDDLE].counters[TORUS_WEST].mended > 0;
}

static bool with_data(unsigned step)
{
    for (unsigned i = 0; i < MESSAGE_BYTES; ++i) {
        data[i] = (uint8_t)(i * step);
    }
    return one_circuit() && two_circuits() && four_sources() &&
           one_destination() && ticks() && bad_line();
}

int unit_all(unit_put *put, void *context)
{
    struct counted nops = {0};
    bool good;

    start_counting();
    count_nops(&nops);
    print(put, context, "nops", &nops);
    good = with_data(0) && with_data(167) && with_data(2);
    for (unsigned i = 0; i < FIGURES; ++i) {
        print(put, context, names[i], &figures[i]);
    }
    put(context, good ? "all arrived\n" : "not all arrived\n");
    return good ? 0 : 1;
}

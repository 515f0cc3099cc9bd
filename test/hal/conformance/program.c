/* SPDX-License-Identifier: Apache-2.0 */
#include "test/hal/conformance/program.h"

#include "hal/board.h"
#include "hal/bytes.h"
#include "hal/circuit.h"
#include "hal/clock.h"
#include "hal/window/window.h"
#include "test/unit/ignore.h"

/* The DMA part of the window. */
#define LOG_OFFSET WINDOW_DMA_OFFSET
#define OUT_OFFSET 0x100000u
#define IN_OFFSET 0x200000u
#define IN_BYTES 0x100000u

struct station {
    struct window *window;
    struct clock clock;
    struct circuit circuit;
    uint8_t *log;
    uint8_t *out;
    uint8_t *in;
    uint32_t log_bytes;
    uint16_t index;
};

static const struct torus_path knight = {TORUS_EAST, TORUS_LEFT, 1, 2};
static const struct torus_path cross = {TORUS_EAST, TORUS_STRAIGHT, 1, 0};
/* All the way round, to itself: the longest leg that there is. */
static const struct torus_path ring = {TORUS_NORTH, TORUS_STRAIGHT,
                                       PROGRAM_SIDE, 0};

/* ---- observations ---- */

static void note(struct station *s, unsigned what, int64_t value)
{
    uint8_t *at = s->log + s->log_bytes;

    bytes_store_u16(at, s->index);
    bytes_store_u16(at + 2, (uint16_t)what);
    bytes_store_u64(at + 4, (uint64_t)value);
    s->log_bytes += PROGRAM_OBSERVATION_BYTES;
}

static int64_t now_ps(const struct station *s)
{
    return (int64_t)clock_now_ps(&s->clock);
}

/* ---- messages ---- */

static void fill(uint8_t *out, uint32_t seed, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        out[i] = program_byte(seed, i);
    }
}

static bool intact(const uint8_t *in, uint32_t seed, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        if (in[i] != program_byte(seed, i)) {
            return false;
        }
    }
    return true;
}

/* Sends `bytes` of the out buffer, which has been filled. */
static int send(struct station *s, struct torus_path path,
                enum program_kind kind, uint32_t bytes)
{
    const struct circuit_message message = {
        .path = path, .kind = (uint8_t)kind, .shared = {s->out, bytes}};

    return circuit_send(&s->circuit, 1u << path.port, &message);
}

/* The same, of a new payload that its length names. */
static int send_new(struct station *s, struct torus_path path,
                    enum program_kind kind, uint32_t bytes)
{
    fill(s->out, bytes, bytes);
    return send(s, path, kind, bytes);
}

static struct torus_path out_of(struct torus_path path, enum torus_port port)
{
    path.port = (uint8_t)port;
    return path;
}

static int receive(struct station *s, struct circuit_delivery *delivery,
                   unsigned mask)
{
    return circuit_receive(&s->circuit, delivery, mask, s->in, IN_BYTES);
}

/* ---- logs ---- */

/* Sends all that this node has observed back along the path of its messages. */
static void send_log(struct station *s, struct torus_path path)
{
    const struct torus_path back = torus_path_reverse(path);
    const struct circuit_message message = {
        .path = back, .kind = KIND_LOG, .shared = {s->log, s->log_bytes}};

    s->circuit.job = CIRCUIT_ANY_JOB;
    ignore(circuit_drain(&s->circuit));
    ignore(circuit_send(&s->circuit, 1u << back.port, &message));
    ignore(circuit_drain(&s->circuit));
}

/* Appends another node's log to the leader's. */
static void take_log(struct station *s, unsigned mask)
{
    struct circuit_delivery delivery;
    int status;

    s->circuit.job = CIRCUIT_ANY_JOB;
    status = receive(s, &delivery, mask);
    if (status != ERR_OK || delivery.kind != KIND_LOG) {
        note(s, WHAT_LOG_STATUS, status);
        return;
    }
    memcpy(s->log + s->log_bytes, delivery.payload, delivery.bytes);
    s->log_bytes += delivery.bytes;
}

/* ---- stages, as the leader and as its peers see them ---- */

static void lead_order(struct station *s)
{
    struct circuit_delivery delivery;

    note(s, WHAT_ORDER_STATUS, receive(s, &delivery, 1u << CIRCUIT_HOST));
    note(s, WHAT_ORDER_BYTES, delivery.bytes);
    note(s, WHAT_ORDER_KIND, delivery.kind);
    note(s, WHAT_ORDER_PORT, delivery.port);
    note(s, WHAT_ORDER_INTACT,
         intact(delivery.payload, delivery.bytes, delivery.bytes));
}

static void note_echo(struct station *s, unsigned i, int status,
                      const struct circuit_delivery *delivery)
{
    note(s, WHAT_ECHO_PS + i, now_ps(s));
    note(s, WHAT_ECHO_STATUS + i, status);
    note(s, WHAT_ECHO_BYTES + i, delivery->bytes);
    note(s, WHAT_ECHO_PORT + i, delivery->port);
    note(s, WHAT_ECHO_INTACT + i,
         status == ERR_OK && delivery->bytes == program_echo_bytes[i] &&
             intact(delivery->payload, delivery->bytes, delivery->bytes));
}

static void lead_echoes(struct station *s)
{
    struct circuit_delivery delivery;

    send_new(s, knight, KIND_DAMAGED, 64);
    ignore(circuit_drain(&s->circuit));
    for (unsigned i = 0; i < PROGRAM_ECHOES; ++i) {
        int status;

        send_new(s, knight, KIND_ECHO, program_echo_bytes[i]);
        status = receive(s, &delivery, 1u << TORUS_EAST);
        note_echo(s, i, status, &delivery);
    }
}

static void follow_echoes(struct station *s)
{
    const struct torus_path back = torus_path_reverse(knight);
    const unsigned mask = 1u << torus_path_arrival(knight);
    struct circuit_delivery delivery;

    note(s, WHAT_DAMAGED_STATUS, receive(s, &delivery, mask));
    note(s, WHAT_DAMAGED_DELIVERED,
         intact(s->in + CIRCUIT_HEADER_BYTES, 64, 16));
    for (unsigned i = 0; i < PROGRAM_ECHOES; ++i) {
        int status = receive(s, &delivery, mask);

        note_echo(s, i, status, &delivery);
        ignore(circuit_drain(&s->circuit));
        memcpy(s->out, delivery.payload, program_echo_bytes[i]);
        send(s, back, KIND_BACK, program_echo_bytes[i]);
    }
}

static void note_wrap(struct station *s, unsigned mask)
{
    struct circuit_delivery delivery;

    note(s, WHAT_WRAP_STATUS, receive(s, &delivery, mask));
    note(s, WHAT_WRAP_BYTES, delivery.bytes);
    note(s, WHAT_WRAP_PORT, delivery.port);
    note(s, WHAT_WRAP_INTACT, intact(delivery.payload, 90, 90));
}

static void lead_wrap(struct station *s)
{
    ignore(circuit_drain(&s->circuit));
    send_new(s, out_of(cross, TORUS_WEST), KIND_WRAP, 90);
    note_wrap(s, 1u << TORUS_WEST);
    take_log(s, 1u << TORUS_WEST);
}

static void follow_wrap(struct station *s)
{
    note_wrap(s, 1u << TORUS_EAST);
    send_new(s, out_of(cross, TORUS_EAST), KIND_WRAP_BACK, 90);
    send_log(s, out_of(cross, TORUS_WEST));
}

static void lead_fit(struct station *s)
{
    const uint32_t fits = PROGRAM_CAPACITY_BYTES - CIRCUIT_HEADER_BYTES;
    const struct torus_path path = out_of(cross, TORUS_NORTH);

    send_new(s, path, KIND_FIT, fits);
    ignore(circuit_drain(&s->circuit));
    send_new(s, path, KIND_FIT, fits + 1);
    ignore(circuit_drain(&s->circuit));
    send_new(s, path, KIND_FIT, 5);
    ignore(circuit_drain(&s->circuit));
    take_log(s, 1u << TORUS_NORTH);
}

static void follow_fit(struct station *s)
{
    for (unsigned i = 0; i < 3; ++i) {
        struct circuit_delivery delivery;
        int status;

        fill(s->in, 1, 2 * PROGRAM_CAPACITY_BYTES);
        status = circuit_receive(&s->circuit, &delivery, 1u << TORUS_SOUTH,
                                 s->in, PROGRAM_CAPACITY_BYTES);
        note(s, WHAT_FIT_STATUS + i, status);
        note(s, WHAT_FIT_BYTES + i, delivery.bytes);
        /* Nothing is written behind the buffer; a message is as it was. */
        note(s, WHAT_FIT_INTACT + i,
             s->in[PROGRAM_CAPACITY_BYTES] ==
                     program_byte(1, PROGRAM_CAPACITY_BYTES) &&
                 (status != ERR_OK ||
                  intact(delivery.payload, delivery.bytes, delivery.bytes)));
    }
    send_log(s, out_of(cross, TORUS_NORTH));
}

/* Something that takes time on a board, and says so on a host. */
static void work(struct station *s)
{
    for (volatile uint32_t i = 0; i < 20000; ++i) {
    }
    clock_account(&s->clock, PROGRAM_WORK_PS);
}

static void lead_ring(struct station *s)
{
    struct circuit_delivery delivery;
    int status;

    send_new(s, ring, KIND_RING, 33);
    ignore(circuit_drain(&s->circuit));
    note(s, WHAT_RING_DRAINED_PS, now_ps(s));
    work(s);
    note(s, WHAT_RING_BEFORE_PS, now_ps(s));
    status = receive(s, &delivery, 1u << TORUS_SOUTH);
    note(s, WHAT_RING_AFTER_PS, now_ps(s));
    note(s, WHAT_RING_STATUS, status);
    note(s, WHAT_RING_INTACT, intact(delivery.payload, 33, 33));
}

static int receive_until(struct station *s, struct circuit_delivery *delivery,
                         unsigned mask, int64_t deadline_ps)
{
    return circuit_receive_until(&s->circuit, delivery, mask, s->in, IN_BYTES,
                                 (uint64_t)deadline_ps);
}

/* A message that leaves later, and deadlines before its end and behind it. */
static void lead_until_it_comes(struct station *s)
{
    struct circuit_message message = {
        .path = ring, .kind = KIND_UNTIL, .shared = {s->out, 44}};
    struct circuit_delivery delivery;
    int64_t deadline_ps;
    int status;

    fill(s->out, 44, 44);
    message.ready_ps = clock_now_ps(&s->clock) + PROGRAM_LATER_PS;
    deadline_ps = (int64_t)message.ready_ps + PROGRAM_SOON_PS;
    ignore(circuit_send(&s->circuit, 1u << ring.port, &message));
    status = receive_until(s, &delivery, 1u << TORUS_SOUTH, deadline_ps);
    note(s, WHAT_UNTIL_EARLY_END_PS, now_ps(s));
    note(s, WHAT_UNTIL_EARLY_STATUS, status);
    note(s, WHAT_UNTIL_EARLY_PS, deadline_ps);
    status = receive_until(s, &delivery, (1u << TORUS_PORTS) - 1,
                           deadline_ps + PROGRAM_LATER_PS);
    note(s, WHAT_UNTIL_COMES_END_PS, now_ps(s));
    note(s, WHAT_UNTIL_COMES_STATUS, status);
    note(s, WHAT_UNTIL_COMES_INTACT,
         delivery.bytes == 44 && intact(delivery.payload, 44, 44));
    ignore(circuit_drain(&s->circuit));
}

/* A message that is there. */
static void lead_until_passed(struct station *s)
{
    const unsigned mask = 1u << TORUS_SOUTH;
    struct circuit_delivery delivery;
    int status;

    send_new(s, ring, KIND_UNTIL, 55);
    ignore(circuit_drain(&s->circuit));
    note(s, WHAT_UNTIL_OTHER_STATUS,
         receive_until(s, &delivery, mask | CIRCUIT_ONLY(KIND_DEAD), 0));
    note(s, WHAT_UNTIL_PASSED_PS, now_ps(s));
    status = receive_until(s, &delivery, mask, 0);
    note(s, WHAT_UNTIL_PASSED_END_PS, now_ps(s));
    note(s, WHAT_UNTIL_PASSED_STATUS, status);
    note(s, WHAT_UNTIL_PASSED_INTACT,
         delivery.bytes == 55 && intact(delivery.payload, 55, 55));
    note(s, WHAT_UNTIL_GONE_STATUS, receive_until(s, &delivery, mask, 0));
}

static void lead_until(struct station *s)
{
    int64_t deadline_ps = now_ps(s) + PROGRAM_LATER_PS;
    struct circuit_delivery delivery;
    int status =
        receive_until(s, &delivery, (1u << TORUS_PORTS) - 1, deadline_ps);

    note(s, WHAT_UNTIL_NOTHING_END_PS, now_ps(s));
    note(s, WHAT_UNTIL_NOTHING_STATUS, status);
    note(s, WHAT_UNTIL_NOTHING_PS, deadline_ps);
    lead_until_it_comes(s);
    lead_until_passed(s);
}

static void lead_queue(struct station *s)
{
    uint32_t accepted = 0;
    int status = ERR_OK;

    ignore(circuit_drain(&s->circuit));
    while (accepted <= WINDOW_QUEUE && status == ERR_OK) {
        const struct circuit_message message = {
            .path = cross,
            .kind = KIND_QUEUE,
            .shared = {s->out + 4 * accepted, 4}};

        bytes_store_u32(s->out + 4 * accepted, accepted);
        status = circuit_send(&s->circuit, 1u << TORUS_EAST, &message);
        accepted += status == ERR_OK;
    }
    note(s, WHAT_QUEUE_ACCEPTED, accepted);
    note(s, WHAT_QUEUE_FULL_STATUS, status);
    note(s, WHAT_QUEUE_DRAIN_STATUS, circuit_drain(&s->circuit));
    note(s, WHAT_QUEUE_DRAINED_PS, now_ps(s));
    bytes_store_u32(s->out, accepted);
    note(s, WHAT_QUEUE_AFTER_STATUS, send(s, cross, KIND_QUEUE, 4));
    ignore(circuit_drain(&s->circuit));
}

static void follow_queue(struct station *s)
{
    struct circuit_delivery delivery;
    uint32_t in_order = 0;

    for (uint32_t i = 0; i <= WINDOW_QUEUE; ++i) {
        in_order += receive(s, &delivery, 1u << TORUS_WEST) == ERR_OK &&
                    delivery.bytes == 4 && delivery.kind == KIND_QUEUE &&
                    bytes_load_u32(delivery.payload) == i;
    }
    note(s, WHAT_QUEUE_IN_ORDER, in_order);
}

/* Two sends: one that is to start later, one after a gap. */
static void lead_timed(struct station *s)
{
    struct circuit_message message = {
        .path = cross, .kind = KIND_TIMED, .shared = {s->out, 8}};

    message.ready_ps = clock_now_ps(&s->clock) + PROGRAM_LATER_PS;
    note(s, WHAT_TIMED_READY_PS, (int64_t)message.ready_ps);
    ignore(circuit_send(&s->circuit, 1u << TORUS_EAST, &message));
    message.ready_ps = 0;
    message.gap_ps = PROGRAM_GAP_PS;
    ignore(circuit_send(&s->circuit, 1u << TORUS_EAST, &message));
    ignore(circuit_drain(&s->circuit));
}

static void follow_timed(struct station *s)
{
    struct circuit_delivery delivery;

    receive(s, &delivery, 1u << TORUS_WEST);
    receive(s, &delivery, 1u << TORUS_WEST);
}

/* A send over a link that is down, and one behind it that takes another way. */
static void lead_dead(struct station *s)
{
    struct torus_path dead = cross;

    dead.hops = 3;
    note(s, WHAT_DEAD_SEND_STATUS, send_new(s, dead, KIND_DEAD, 20));
    send(s, cross, KIND_BEHIND, 20);
    note(s, WHAT_DEAD_DRAIN_STATUS, circuit_drain(&s->circuit));
    note(s, WHAT_DEAD_AGAIN_STATUS, circuit_drain(&s->circuit));
    take_log(s, 1u << TORUS_EAST);
}

static void follow_dead(struct station *s)
{
    struct circuit_delivery delivery;
    int status = receive(s, &delivery, 1u << TORUS_WEST);

    note(s, WHAT_BEHIND_STATUS,
         status == ERR_OK && delivery.kind != KIND_BEHIND ? ERR_KIND : status);
    send_log(s, cross);
}

static void lead_jobs(struct station *s)
{
    const struct torus_path path = out_of(cross, TORUS_SOUTH);

    s->circuit.job = PROGRAM_OTHER_JOB;
    send_new(s, path, KIND_JOB, 12);
    s->circuit.job = PROGRAM_JOB;
    send(s, path, KIND_JOB, 12);
    s->circuit.job = PROGRAM_OTHER_JOB;
    send(s, path, KIND_JOB, 12);
    ignore(circuit_drain(&s->circuit));
    take_log(s, 1u << TORUS_SOUTH);
}

static void follow_jobs(struct station *s)
{
    struct circuit_delivery delivery;

    s->circuit.job = PROGRAM_JOB;
    note(s, WHAT_JOB_OTHER_STATUS, receive(s, &delivery, 1u << TORUS_NORTH));
    note(s, WHAT_JOB_SAME_STATUS, receive(s, &delivery, 1u << TORUS_NORTH));
    s->circuit.job = CIRCUIT_ANY_JOB;
    note(s, WHAT_JOB_ANY_STATUS, receive(s, &delivery, 1u << TORUS_NORTH));
    note(s, WHAT_JOB_ANY_JOB, delivery.job);
    send_log(s, out_of(cross, TORUS_SOUTH));
}

/* Paths that lead nowhere, and buffers outside the window. */
static void lead_refusals(struct station *s)
{
    static const struct torus_path paths[] = {
        {TORUS_EAST, TORUS_STRAIGHT, 0, 0},
        {TORUS_EAST, TORUS_STRAIGHT, PROGRAM_SIDE + 1, 0},
        {TORUS_EAST, TORUS_LEFT, 1, 0},
        {TORUS_EAST, TORUS_RIGHT, 1, PROGRAM_SIDE + 1}};
    uint8_t *window = (uint8_t *)s->window;
    const struct {
        uint8_t *at;
        uint32_t bytes;
    } buffers[] = {{window + WINDOW_DMA_OFFSET - 1, 64},
                   {window + s->window->node.identity.bytes - 63, 64},
                   {s->in, UINT32_MAX}};
    struct circuit_delivery delivery;

    for (unsigned i = 0; i < sizeof paths / sizeof *paths; ++i) {
        note(s, WHAT_ROUTE_NO_HOPS + i, send(s, paths[i], KIND_DEAD, 1));
    }
    for (unsigned i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        note(s, WHAT_BUFFER_BELOW + i,
             circuit_receive(&s->circuit, &delivery, 1u << TORUS_EAST,
                             buffers[i].at, buffers[i].bytes));
    }
}

/* Head, shared and body of port p, one behind the other in the payload. */
static void lead_four(struct station *s)
{
    uint8_t *shared = s->out + TORUS_PORTS * PROGRAM_HEAD_BYTES;
    uint8_t *body = shared + PROGRAM_SHARED_BYTES;
    struct circuit_message message = {.path = knight,
                                      .kind = KIND_FOUR,
                                      .head = {s->out, PROGRAM_HEAD_BYTES},
                                      .head_stride = PROGRAM_HEAD_BYTES,
                                      .shared = {shared, PROGRAM_SHARED_BYTES}};

    fill(shared, 200, PROGRAM_SHARED_BYTES);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        fill(s->out + port * PROGRAM_HEAD_BYTES, 100 + port,
             PROGRAM_HEAD_BYTES);
        fill(body, 300 + port, PROGRAM_BODY_BYTES(port));
        message.body[port].data = body;
        message.body[port].bytes = PROGRAM_BODY_BYTES(port);
        body += PROGRAM_BODY_BYTES(port);
    }
    note(s, WHAT_FOUR_SEND_STATUS,
         circuit_send(&s->circuit, (1u << TORUS_PORTS) - 1, &message));
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        take_log(s, (1u << TORUS_PORTS) - 1);
    }
}

static void follow_four(struct station *s, unsigned port)
{
    const struct torus_path path = out_of(knight, (enum torus_port)port);
    struct circuit_delivery delivery;
    int status = receive(s, &delivery, (1u << TORUS_PORTS) - 1);
    const uint8_t *shared;

    note(s, WHAT_FOUR_PS, now_ps(s));
    shared = delivery.payload + PROGRAM_HEAD_BYTES;
    note(s, WHAT_FOUR_STATUS, status);
    note(s, WHAT_FOUR_BYTES, delivery.bytes);
    note(s, WHAT_FOUR_PORT, delivery.port);
    note(s, WHAT_FOUR_INTACT,
         intact(delivery.payload, 100 + port, PROGRAM_HEAD_BYTES) &&
             intact(shared, 200, PROGRAM_SHARED_BYTES) &&
             intact(shared + PROGRAM_SHARED_BYTES, 300 + port,
                    PROGRAM_BODY_BYTES(port)));
    send_log(s, path);
}

static void lead_clock(struct station *s)
{
    int64_t begin_ps = now_ps(s);
    int64_t last_ps = begin_ps;
    unsigned backward = 0;

    for (unsigned i = 0; i < 2000; ++i) {
        int64_t at_ps = now_ps(s);

        backward += at_ps < last_ps;
        last_ps = at_ps;
    }
    note(s, WHAT_CLOCK_BACKWARD_STEPS, backward);
    begin_ps = now_ps(s);
    work(s);
    note(s, WHAT_CLOCK_WORK_PS, now_ps(s) - begin_ps);
}

/* ---- roles ---- */

static void lead(struct station *s)
{
    struct circuit_message report = {.kind = KIND_LOG};

    lead_order(s);
    lead_clock(s);
    lead_echoes(s);
    lead_wrap(s);
    lead_fit(s);
    lead_ring(s);
    lead_until(s);
    lead_queue(s);
    lead_timed(s);
    lead_refusals(s);
    lead_dead(s);
    lead_jobs(s);
    lead_four(s);
    report.body[0].data = s->log;
    report.body[0].bytes = s->log_bytes;
    ignore(circuit_send(&s->circuit, 1u << CIRCUIT_HOST, &report));
    ignore(circuit_drain(&s->circuit));
}

static void follow(struct station *s)
{
    switch (s->index) {
    case 1 + 2 * PROGRAM_SIDE:
        follow_echoes(s);
        follow_four(s, TORUS_EAST);
        break;
    case 3 + 1 * PROGRAM_SIDE:
        follow_four(s, TORUS_NORTH);
        break;
    case 4 + 3 * PROGRAM_SIDE:
        follow_four(s, TORUS_WEST);
        break;
    case 2 + 4 * PROGRAM_SIDE:
        follow_four(s, TORUS_SOUTH);
        break;
    case 4:
        follow_wrap(s);
        break;
    case PROGRAM_SIDE:
        follow_fit(s);
        break;
    case 1:
        follow_queue(s);
        follow_timed(s);
        follow_dead(s);
        break;
    case 4 * PROGRAM_SIDE:
        follow_jobs(s);
        break;
    default:
        break;
    }
}

void node_main(struct window *window)
{
    uint8_t *base = (uint8_t *)window;
    struct station station = {
        .window = window,
        .log = base + LOG_OFFSET,
        .out = base + OUT_OFFSET,
        .in = base + IN_OFFSET,
        .index = (uint16_t)(window->node.identity.y * PROGRAM_SIDE +
                            window->node.identity.x)};

    window->node.status.error =
        circuit_open(&station.circuit, window, &station.clock);
    if (window->node.status.error == ERR_OK) {
        if (station.index == 0) {
            lead(&station);
        } else {
            follow(&station);
        }
    }
    window->node.status.state = NODE_STATE_DONE;
    circuit_close(&station.circuit);
    board_halt(window);
}

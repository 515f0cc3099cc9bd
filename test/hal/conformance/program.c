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

#define ANY_PORT ((1u << TORUS_PORTS) - 1u)
#define JOB 9u
#define OTHER_JOB 7u

struct station {
    struct window *window;
    struct clock clock;
    struct circuit circuit;
    struct circuit_delivery got; /* last */
    uint8_t *log;
    uint8_t *out;
    uint8_t *in;
    uint32_t log_bytes;
    uint32_t expected;
    uint16_t index;
};

static const struct torus_path knight = {TORUS_EAST, TORUS_LEFT, 1, 2};
static const struct torus_path east = {TORUS_EAST, TORUS_STRAIGHT, 1, 0};
static const struct torus_path north = {TORUS_NORTH, TORUS_STRAIGHT, 1, 0};
static const struct torus_path south = {TORUS_SOUTH, TORUS_STRAIGHT, 1, 0};
/* All the way round, to itself: the longest leg that there is. */
static const struct torus_path ring = {TORUS_NORTH, TORUS_STRAIGHT,
                                       PROGRAM_SIDE, 0};

/* ---- observations ---- */

static void note(struct station *s, enum program_what what, int64_t value)
{
    uint8_t *at = s->log + s->log_bytes;

    bytes_store_u16(at, s->index);
    bytes_store_u16(at + 2, (uint16_t)what);
    bytes_store_u64(at + 4, (uint64_t)value);
    s->log_bytes += PROGRAM_OBSERVATION_BYTES;
}

static void expect(struct station *s, unsigned line, int64_t got, int64_t want)
{
    s->expected += 1;
    if (got != want) {
        note(s, WHAT_OTHERWISE,
             (int64_t)((uint64_t)got << 32 | (uint64_t)line));
    }
}

#define EXPECT(got, want) expect(s, __LINE__, (got), (want))

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

/* Sends a payload that its length names. */
static int send(struct station *s, struct torus_path path,
                enum program_kind kind, uint32_t bytes)
{
    const struct circuit_message message = {
        .path = path, .kind = (uint8_t)kind, .shared = {s->out, bytes}};

    fill(s->out, bytes, bytes);
    return circuit_send(&s->circuit, 1u << path.port, &message);
}

static void send_and_drain(struct station *s, struct torus_path path,
                           enum program_kind kind, uint32_t bytes)
{
    EXPECT(send(s, path, kind, bytes), ERR_OK);
    EXPECT(circuit_drain(&s->circuit), ERR_OK);
}

static int receive(struct station *s, unsigned mask)
{
    return circuit_receive(&s->circuit, &s->got, mask, s->in, IN_BYTES);
}

static int receive_until(struct station *s, unsigned mask, int64_t deadline_ps)
{
    return circuit_receive_until(&s->circuit, &s->got, mask, s->in, IN_BYTES,
                                 (uint64_t)deadline_ps);
}

/* What has come is so long, and as it was sent. */
static void expect_intact(struct station *s, uint32_t bytes)
{
    EXPECT(s->got.bytes, bytes);
    EXPECT(intact(s->got.payload, s->got.bytes, s->got.bytes), true);
}

/* ---- logs ---- */

/* Sends all that this node has observed back along the path of its messages. */
static void send_log(struct station *s, struct torus_path path)
{
    struct circuit_message message = {.path = torus_path_reverse(path),
                                      .kind = KIND_LOG};

    note(s, WHAT_EXPECTED, s->expected);
    message.shared = (struct circuit_segment){s->log, s->log_bytes};
    s->circuit.job = CIRCUIT_ANY_JOB;
    ignore(circuit_drain(&s->circuit));
    ignore(circuit_send(&s->circuit, 1u << message.path.port, &message));
    ignore(circuit_drain(&s->circuit));
}

/* Appends another node's log to the leader's. */
static void take_log(struct station *s, unsigned port)
{
    s->circuit.job = CIRCUIT_ANY_JOB;
    EXPECT(receive(s, 1u << port), ERR_OK);
    EXPECT(s->got.kind, KIND_LOG);
    memcpy(s->log + s->log_bytes, s->got.payload, s->got.bytes);
    s->log_bytes += s->got.bytes;
}

/* ---- stages, as the leader and as its peers see them ---- */

static void lead_order(struct station *s)
{
    EXPECT(receive(s, 1u << CIRCUIT_HOST), ERR_OK);
    EXPECT(s->got.kind, KIND_ORDER);
    EXPECT(s->got.port, CIRCUIT_HOST);
    expect_intact(s, PROGRAM_ORDER_BYTES);
}

static void lead_sizes(struct station *s)
{
    send_and_drain(s, knight, KIND_DAMAGED, 64);
    for (unsigned i = 0; i < PROGRAM_SIZES; ++i) {
        send_and_drain(s, knight, KIND_SIZES, program_sizes[i]);
    }
    take_log(s, TORUS_EAST);
}

static void follow_sizes(struct station *s)
{
    const unsigned mask = 1u << torus_path_arrival(knight);

    EXPECT(receive(s, mask), ERR_CORRUPT);
    EXPECT(intact(s->in + CIRCUIT_HEADER_BYTES, 64, 16), false);
    for (unsigned i = 0; i < PROGRAM_SIZES; ++i) {
        EXPECT(receive(s, mask), ERR_OK);
        EXPECT(s->got.port, TORUS_SOUTH);
        expect_intact(s, program_sizes[i]);
    }
    send_log(s, knight);
}

#define FITS_BYTES (PROGRAM_CAPACITY_BYTES - CIRCUIT_HEADER_BYTES)

static const uint32_t fits[] = {FITS_BYTES, FITS_BYTES + 1, 5};

static void lead_fit(struct station *s)
{
    for (unsigned i = 0; i < 3; ++i) {
        send_and_drain(s, north, KIND_FIT, fits[i]);
    }
    take_log(s, TORUS_NORTH);
}

/* Nothing is written behind the buffer; a message is as it was. */
static void follow_fit(struct station *s)
{
    for (unsigned i = 0; i < 3; ++i) {
        fill(s->in, 1, 2 * PROGRAM_CAPACITY_BYTES);
        EXPECT(circuit_receive(&s->circuit, &s->got, 1u << TORUS_SOUTH, s->in,
                               PROGRAM_CAPACITY_BYTES),
               i == 1 ? ERR_BUFFER : ERR_OK);
        EXPECT(s->in[PROGRAM_CAPACITY_BYTES],
               program_byte(1, PROGRAM_CAPACITY_BYTES));
        EXPECT(s->got.bytes, fits[i]);
        EXPECT(i == 1 || intact(s->got.payload, fits[i], fits[i]), true);
    }
    send_log(s, north);
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
    send_and_drain(s, ring, KIND_RING, 33);
    note(s, WHAT_RING_DRAINED_PS, now_ps(s));
    work(s);
    note(s, WHAT_RING_BEFORE_PS, now_ps(s));
    EXPECT(receive(s, 1u << TORUS_SOUTH), ERR_OK);
    note(s, WHAT_RING_AFTER_PS, now_ps(s));
    expect_intact(s, 33);
}

/* Nothing comes by a deadline; then a message that leaves later, with deadlines
   before its end and behind it. */
static void lead_until_it_comes(struct station *s)
{
    struct circuit_message message = {
        .path = ring, .kind = KIND_UNTIL, .shared = {s->out, 44}};
    int64_t deadline_ps = now_ps(s) + PROGRAM_LATER_PS;

    EXPECT(receive_until(s, ANY_PORT, deadline_ps), ERR_TIMEOUT);
    note(s, WHAT_UNTIL_NOTHING_END_PS, now_ps(s));
    note(s, WHAT_UNTIL_NOTHING_PS, deadline_ps);
    fill(s->out, 44, 44);
    message.ready_ps = clock_now_ps(&s->clock) + PROGRAM_LATER_PS;
    deadline_ps = (int64_t)message.ready_ps + PROGRAM_SOON_PS;
    EXPECT(circuit_send(&s->circuit, 1u << ring.port, &message), ERR_OK);
    EXPECT(receive_until(s, 1u << TORUS_SOUTH, deadline_ps), ERR_TIMEOUT);
    note(s, WHAT_UNTIL_EARLY_END_PS, now_ps(s));
    note(s, WHAT_UNTIL_EARLY_PS, deadline_ps);
    EXPECT(receive_until(s, ANY_PORT, deadline_ps + PROGRAM_LATER_PS), ERR_OK);
    note(s, WHAT_UNTIL_COMES_END_PS, now_ps(s));
    expect_intact(s, 44);
    EXPECT(circuit_drain(&s->circuit), ERR_OK);
}

/* A message that is there, whose deadline has passed. */
static void lead_until_passed(struct station *s)
{
    const unsigned mask = 1u << TORUS_SOUTH;

    send_and_drain(s, ring, KIND_UNTIL, 55);
    EXPECT(receive_until(s, mask | CIRCUIT_ONLY(KIND_DEAD), 0), ERR_TIMEOUT);
    note(s, WHAT_UNTIL_PASSED_PS, now_ps(s));
    EXPECT(receive_until(s, mask, 0), ERR_OK);
    note(s, WHAT_UNTIL_PASSED_END_PS, now_ps(s));
    expect_intact(s, 55);
    EXPECT(receive_until(s, mask, 0), ERR_TIMEOUT);
}

/* As many as there is room for, and one more. */
static void lead_queue(struct station *s)
{
    for (uint32_t i = 0; i <= WINDOW_QUEUE; ++i) {
        const struct circuit_message message = {
            .path = east, .kind = KIND_QUEUE, .shared = {s->out + 4 * i, 4}};

        bytes_store_u32(s->out + 4 * i, i);
        EXPECT(circuit_send(&s->circuit, 1u << TORUS_EAST, &message),
               i < WINDOW_QUEUE ? ERR_OK : ERR_PORT_BUSY);
    }
    EXPECT(circuit_drain(&s->circuit), ERR_OK);
    note(s, WHAT_QUEUE_DRAINED_PS, now_ps(s));
}

static void follow_queue(struct station *s)
{
    for (uint32_t i = 0; i < WINDOW_QUEUE; ++i) {
        EXPECT(receive(s, 1u << TORUS_WEST), ERR_OK);
        EXPECT(s->got.kind, KIND_QUEUE);
        EXPECT(bytes_load_u32(s->got.payload), i);
    }
}

/* Two sends: one that is to start later, one after a gap. */
static void lead_timed(struct station *s)
{
    struct circuit_message message = {
        .path = east, .kind = KIND_TIMED, .shared = {s->out, 8}};

    message.ready_ps = clock_now_ps(&s->clock) + PROGRAM_LATER_PS;
    note(s, WHAT_TIMED_READY_PS, (int64_t)message.ready_ps);
    EXPECT(circuit_send(&s->circuit, 1u << TORUS_EAST, &message), ERR_OK);
    message.ready_ps = 0;
    message.gap_ps = PROGRAM_GAP_PS;
    EXPECT(circuit_send(&s->circuit, 1u << TORUS_EAST, &message), ERR_OK);
    EXPECT(circuit_drain(&s->circuit), ERR_OK);
}

/* The next failure is that of a message with this payload, of this job. */
static void expect_failed(struct station *s, struct torus_path path,
                          uint32_t bytes, uint16_t job)
{
    const uint8_t *sent = s->out;
    struct circuit_failure told = {.job = 0};

    EXPECT(circuit_failed(&s->circuit, &told), true);
    EXPECT(told.error, ERR_DEAD_LINK);
    EXPECT(memcmp(&told.path, &path, sizeof path), 0);
    EXPECT(told.hops, 2);
    EXPECT(told.kind, KIND_DEAD);
    EXPECT(told.job, job);
    EXPECT((int64_t)told.time_ps <= now_ps(s), true);
    EXPECT(told.units, bytes_load_u32(sent));
    EXPECT(told.first_unit, bytes == 20 ? bytes_load_u32(sent + 4) : 0);
    EXPECT(told.label, bytes == 20 ? bytes_load_u32(sent + 8) : 0);
}

/* A row whose messages to the east and to the west go over the dead link. Those
   to the north and to the south, which meet, arrive at nodes that do not ask
   for them. */
static void lead_dead_row(struct station *s, const struct torus_path *dead)
{
    const struct circuit_message form = {.path = *dead, .kind = KIND_DEAD};
    const struct circuit_cut cut = {
        .form = 2, .last_form = 2, .job = JOB, .unit_bytes = 4};
    uint32_t *volumes = (uint32_t *)(void *)(s->out + 64);
    const struct circuit_rows rows = {.begin = s->out,
                                      .end = s->out + 64,
                                      .data = s->out,
                                      .volume_units = volumes,
                                      .extra_units = 1,
                                      .label = 5u << 16,
                                      .units = 13,
                                      .first_unit = 1000};
    struct circuit_failure told = {.job = 0};

    volumes[2] = 3;
    EXPECT(circuit_prepare(&s->circuit, 2, &form), ERR_OK);
    EXPECT(circuit_send_rows(&s->circuit, &cut, &rows), ERR_OK);
    EXPECT(circuit_drain(&s->circuit), ERR_DEAD_LINK);
    EXPECT(circuit_failed(&s->circuit, &told), true);
    EXPECT(told.path.port, TORUS_EAST);
    EXPECT(told.units, 4);
    EXPECT(told.first_unit, 1000);
    EXPECT(told.label, 2u | 2u << 4 | 5u << 16);
    EXPECT(circuit_failed(&s->circuit, &told), true);
    EXPECT(told.path.port, TORUS_WEST);
    EXPECT(told.units, 3);
    EXPECT(told.first_unit, 1007);
    EXPECT(told.label, 2u | 2u << 4 | (unsigned)TORUS_WEST << 8 | 5u << 16);
    EXPECT(circuit_failed(&s->circuit, &told), false);
}

/* A send over a link that is down, which is told once, and one behind it that
   takes another way. Then one that a receive in vain tells of, and more than
   the window has room for, which are told with two answers. */
static void lead_dead(struct station *s)
{
    struct circuit_failure told;
    struct torus_path dead = east;
    uint32_t count = 0;

    dead.hops = 3;
    s->circuit.job = JOB;
    EXPECT(circuit_failed(&s->circuit, &told), false);
    EXPECT(send(s, dead, KIND_DEAD, 20), ERR_OK);
    EXPECT(send(s, east, KIND_BEHIND, 20), ERR_OK);
    EXPECT(circuit_failed(&s->circuit, &told), false);
    EXPECT(circuit_drain(&s->circuit), ERR_DEAD_LINK);
    EXPECT(circuit_drain(&s->circuit), ERR_OK);
    expect_failed(s, dead, 20, JOB);
    EXPECT(circuit_failed(&s->circuit, &told), false);
    EXPECT(send(s, dead, KIND_DEAD, 4), ERR_OK);
    EXPECT(receive_until(s, 1u << TORUS_SOUTH, 0), ERR_TIMEOUT);
    EXPECT(circuit_failed(&s->circuit, &told), false);
    EXPECT(receive_until(s, 1u << TORUS_SOUTH, now_ps(s) + PROGRAM_LATER_PS),
           ERR_TIMEOUT);
    expect_failed(s, dead, 4, JOB);
    for (uint32_t i = 0; i < WINDOW_FAILURES + 10; ++i) {
        ignore(send(s, dead, KIND_DEAD, 4));
    }
    EXPECT(circuit_drain(&s->circuit), ERR_DEAD_LINK);
    while (circuit_failed(&s->circuit, &told)) {
        count += 1;
    }
    EXPECT(count, WINDOW_FAILURES);
    EXPECT(circuit_drain(&s->circuit), ERR_OK);
    while (circuit_failed(&s->circuit, &told)) {
        count += 1;
    }
    EXPECT(count, WINDOW_FAILURES + 10);
    lead_dead_row(s, &dead);
    take_log(s, TORUS_EAST);
}

static void follow_timed_and_dead(struct station *s)
{
    static const enum program_kind kinds[] = {KIND_TIMED, KIND_TIMED,
                                              KIND_BEHIND};

    for (unsigned i = 0; i < 3; ++i) {
        EXPECT(receive(s, 1u << TORUS_WEST), ERR_OK);
        EXPECT(s->got.kind, kinds[i]);
    }
    send_log(s, east);
}

static const uint16_t jobs[] = {OTHER_JOB, JOB, OTHER_JOB};

static void lead_jobs(struct station *s)
{
    for (unsigned i = 0; i < 3; ++i) {
        s->circuit.job = jobs[i];
        send_and_drain(s, south, KIND_JOB, 12);
    }
    take_log(s, TORUS_SOUTH);
}

/* Another job's message is refused, unless any will do. */
static void follow_jobs(struct station *s)
{
    for (unsigned i = 0; i < 3; ++i) {
        s->circuit.job = i < 2 ? JOB : CIRCUIT_ANY_JOB;
        EXPECT(receive(s, 1u << TORUS_NORTH), i == 0 ? ERR_FOREIGN : ERR_OK);
        EXPECT(i == 0 || s->got.job == jobs[i], true);
    }
    send_log(s, south);
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
    const struct circuit_segment buffers[] = {
        {window + WINDOW_DMA_OFFSET - 1, 64},
        {window + s->window->node.identity.bytes - 63, 64},
        {s->in, UINT32_MAX}};

    for (unsigned i = 0; i < sizeof paths / sizeof *paths; ++i) {
        EXPECT(send(s, paths[i], KIND_DEAD, 1), ERR_NO_ROUTE);
    }
    for (unsigned i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        EXPECT(circuit_receive(&s->circuit, &s->got, 1u << TORUS_EAST,
                               (uint8_t *)buffers[i].data, buffers[i].bytes),
               ERR_BUFFER);
    }
}

/* ---- roles ---- */

static void lead(struct station *s)
{
    struct circuit_message report = {.kind = KIND_LOG};

    lead_order(s);
    lead_sizes(s);
    lead_fit(s);
    lead_ring(s);
    lead_until_it_comes(s);
    lead_until_passed(s);
    lead_queue(s);
    lead_timed(s);
    lead_refusals(s);
    lead_dead(s);
    lead_jobs(s);
    note(s, WHAT_EXPECTED, s->expected);
    report.body[0].data = s->log;
    report.body[0].bytes = s->log_bytes;
    ignore(circuit_send(&s->circuit, 1u << CIRCUIT_HOST, &report));
    ignore(circuit_drain(&s->circuit));
}

static void take_part(struct station *s)
{
    switch (s->index) {
    case 0:
        lead(s);
        break;
    case 1 + 2 * PROGRAM_SIDE:
        follow_sizes(s);
        break;
    case PROGRAM_SIDE:
        follow_fit(s);
        break;
    case 1:
        follow_queue(s);
        follow_timed_and_dead(s);
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
        take_part(&station);
    }
    window->node.status.state = NODE_STATE_DONE;
    circuit_close(&station.circuit);
    board_halt(window);
}

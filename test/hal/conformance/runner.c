/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the conformance program on one kind of board and judges what it wrote
 * down, by the same expectations for all: `conformance native`, or
 * `conformance qemu IMAGE [ZYGOTE]`. TAP on standard output.
 */
#include "hal/bytes.h"
#include "hal/circuit.h"
#include "qemu/board/emulator.h"
#include "qemu/fabric/mesh.h"
#include "test/hal/conformance/program.h"
#include "test/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODES (PROGRAM_SIDE * PROGRAM_SIDE)
#define STARTUP_PS 5000000u
#define BYTE_PS 80000u
#define HOP_PS 100000u
#define WATCHDOG_S 60u
#define THREADS 4u /* of native nodes */
#define FITS_BYTES (PROGRAM_CAPACITY_BYTES - CIRCUIT_HEADER_BYTES)
#define MESSAGES_MAX (WINDOW_QUEUE + 128u)

/* Node indices of the roles. */
enum role {
    LEADER = 0,
    EAST_PEER = 1,
    WRAP_PEER = 4,
    NORTH_PEER = PROGRAM_SIDE,
    KNIGHT_PEER = 1 + 2 * PROGRAM_SIDE,
    SOUTH_PEER = 4 * PROGRAM_SIDE,
    WEST_END = 4 + 3 * PROGRAM_SIDE, /* of four messages at once */
    NORTH_END = 3 + 1 * PROGRAM_SIDE
};

/* The boards that are slow in the slow runs; all others are as fast as ever. */
static const uint8_t slow_shift[NODES] = {
    [LEADER] = 3, [KNIGHT_PEER] = 1, [WEST_END] = 2};

/* The records of one run. */
struct record {
    enum mesh_end end;
    uint8_t *log;
    uint32_t log_bytes;
    struct circuit_record circuit[MESSAGES_MAX];
    uint32_t circuits;
    uint64_t conflicts;
    struct node_counters counters[NODES][NODE_PORTS];
    int32_t error[NODES]; /* of circuit_open() */
};

/* Tests take no argument but the harness: what they judge is here. */
enum run {
    FIRST,
    SECOND, /* the same again */
    SLOW,   /* with some slow boards */
    SLOW_SECOND,
    RUNS
};

static struct record record[RUNS];
static const char *image;
static const char *zygote_object;

/* From a time to the reading of the clock behind it: a board counts the
   instructions of the driver, at most 300; the host counts none. */
static int64_t slack_ps;

/* How far apart two readings of a board's clock are. */
static int64_t tick_ps;

/* ---- running ---- */

static const struct torus_size size = {PROGRAM_SIDE, PROGRAM_SIDE};

static void keep(struct record *to, struct mesh *mesh)
{
    const struct circuit_record *circuit =
        fabric_circuits(mesh->fabric, &to->circuits);

    if (to->circuits > MESSAGES_MAX) {
        fprintf(stderr, "more circuits than there is room for\n");
        exit(2);
    }
    if (to->circuits > 0) {
        memcpy(to->circuit, circuit, to->circuits * sizeof *circuit);
    }
    to->conflicts = fabric_conflicts(mesh->fabric);
    for (uint32_t node = 0; node < NODES; ++node) {
        to->error[node] = mesh->backend->window(mesh->backend->context, node)
                              ->node.status.error;
        for (unsigned port = 0; port < NODE_PORTS; ++port) {
            to->counters[node][port] =
                *fabric_counters(mesh->fabric, node, port);
        }
    }
    if (mesh->report->bytes >= CIRCUIT_HEADER_BYTES) {
        to->log = mesh->report->data;
        to->log_bytes = mesh->report->bytes;
        mesh->report->data = NULL;
    }
}

static int start(struct backend *backend)
{
    const struct boards_config boards = {.board = board_default(BOARD_WINDOW),
                                         .firmware = image,
                                         .qemu = emulator_program(),
                                         .nodes = NODES,
                                         .watchdog_s = WATCHDOG_S,
                                         .zygote_object = zygote_object};

    return image == NULL ? native_start(backend, NODES, THREADS)
                         : boards_start(backend, &boards);
}

static void run(struct record *to, const uint8_t *slow)
{
    uint8_t payload[PROGRAM_ORDER_BYTES];
    const struct mesh_config config = {
        .size = size,
        .fabric = {.size = size,
                   .startup_ps = STARTUP_PS,
                   .transfer_ps = BYTE_PS,
                   .hop_delay_ps = HOP_PS,
                   .dead_link = torus_link(size, (struct torus_coord){2, 0},
                                           TORUS_EAST) +
                                1,
                   .corrupt_message = 1},
        .identity = 0xc0f0c0f0u,
        .slow_shift = slow};
    const struct mesh_order order = {.kind = KIND_ORDER,
                                     .head = payload,
                                     .head_bytes = 100,
                                     .load = {.data = payload + 100},
                                     .load_bytes = sizeof payload - 100};
    struct backend backend;
    struct mesh mesh;

    for (uint32_t i = 0; i < sizeof payload; ++i) {
        payload[i] = program_byte(sizeof payload, i);
    }
    if (start(&backend) != 0) {
        exit(2);
    }
    mesh_init(&mesh, &config, &backend);
    to->end = mesh_run(&mesh, &order);
    keep(to, &mesh);
    mesh_free(&mesh);
    backend.stop(backend.context);
}

/* ---- reading what was observed ---- */

/* The value of the only such observation; INT64_MIN: none, or several. */
static int64_t seen_in(const struct record *of, uint32_t node, unsigned what)
{
    int64_t value = INT64_MIN;

    for (uint32_t at = CIRCUIT_HEADER_BYTES;
         at + PROGRAM_OBSERVATION_BYTES <= of->log_bytes;
         at += PROGRAM_OBSERVATION_BYTES) {
        const uint8_t *entry = of->log + at;

        if (bytes_load_u16(entry) == node &&
            bytes_load_u16(entry + 2) == what) {
            if (value != INT64_MIN) {
                return INT64_MIN;
            }
            value = (int64_t)bytes_load_u64(entry + 4);
        }
    }
    return value;
}

static int64_t seen(uint32_t node, unsigned what)
{
    return seen_in(&record[FIRST], node, what);
}

/* The n-th circuit of a kind out of a node, from 0; one of zeros if none. */
static struct circuit_record sent_in(const struct record *in, uint32_t node,
                                     unsigned kind, uint32_t n)
{
    for (uint32_t i = 0; i < in->circuits; ++i) {
        const struct circuit_record *circuit = &in->circuit[i];

        if (circuit->source == node && circuit->kind == kind && n-- == 0) {
            return *circuit;
        }
    }
    return (struct circuit_record){0};
}

static struct circuit_record sent(uint32_t node, unsigned kind, uint32_t n)
{
    return sent_in(&record[FIRST], node, kind, n);
}

static uint32_t count_sent(unsigned kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < record[0].circuits; ++i) {
        count += record[0].circuit[i].kind == kind;
    }
    return count;
}

static int64_t held_ps(uint32_t hops, uint32_t payload_bytes)
{
    return (int64_t)STARTUP_PS + (int64_t)HOP_PS * hops +
           (int64_t)BYTE_PS * (CIRCUIT_HEADER_BYTES + payload_bytes);
}

#define SEEN(unit, node, what, want)                                           \
    CHECK_EQUAL((unit), seen((node), (what)), (want))

/* A clock read right behind `from_ps`. */
static void check_just_after(struct unit *unit, int64_t time_ps,
                             int64_t from_ps)
{
    CHECK(unit, from_ps > 0);
    CHECK(unit, time_ps >= from_ps);
    CHECK(unit, time_ps <= from_ps + slack_ps);
}

static void check_circuit(struct unit *unit,
                          const struct circuit_record *circuit, uint32_t hops,
                          uint32_t payload_bytes)
{
    CHECK_EQUAL(unit, circuit->bytes, payload_bytes + CIRCUIT_HEADER_BYTES);
    CHECK_EQUAL(unit, circuit->hops, hops);
    CHECK_EQUAL(unit, circuit->grant_ps, circuit->request_ps);
    CHECK_EQUAL(unit, circuit->end_ps - circuit->grant_ps,
                held_ps(hops, payload_bytes));
}

/* ---- the tests ---- */

static void mesh_ends_well(struct unit *unit)
{
    CHECK_EQUAL(unit, record[0].end, MESH_DONE);
    CHECK_EQUAL(unit, record[0].log_bytes % PROGRAM_OBSERVATION_BYTES,
                CIRCUIT_HEADER_BYTES % PROGRAM_OBSERVATION_BYTES);
    for (uint32_t node = 0; node < NODES; ++node) {
        CHECK_EQUAL(unit, record[0].error[node], ERR_OK);
    }
}

/* What nodes write down, whatever the time: who, what, and the value. */
static const struct {
    uint32_t node;
    unsigned what;
    int64_t want;
} observations[] = {
    /* The order of the host. */
    {LEADER, WHAT_ORDER_STATUS, ERR_OK},
    {LEADER, WHAT_ORDER_BYTES, PROGRAM_ORDER_BYTES},
    {LEADER, WHAT_ORDER_KIND, KIND_ORDER},
    {LEADER, WHAT_ORDER_PORT, CIRCUIT_HOST},
    {LEADER, WHAT_ORDER_INTACT, 1},
    /* A damaged message is not delivered. */
    {KNIGHT_PEER, WHAT_DAMAGED_STATUS, ERR_CORRUPT},
    {KNIGHT_PEER, WHAT_DAMAGED_DELIVERED, 0},
    /* Echoes over the wrap link; a message around a ring. */
    {LEADER, WHAT_WRAP_STATUS, ERR_OK},
    {LEADER, WHAT_WRAP_BYTES, 90},
    {LEADER, WHAT_WRAP_INTACT, 1},
    {LEADER, WHAT_WRAP_PORT, TORUS_WEST},
    {WRAP_PEER, WHAT_WRAP_STATUS, ERR_OK},
    {WRAP_PEER, WHAT_WRAP_BYTES, 90},
    {WRAP_PEER, WHAT_WRAP_INTACT, 1},
    {WRAP_PEER, WHAT_WRAP_PORT, TORUS_EAST},
    {LEADER, WHAT_RING_STATUS, ERR_OK},
    {LEADER, WHAT_RING_INTACT, 1},
    /* One byte more than a buffer has room for. */
    {NORTH_PEER, WHAT_FIT_STATUS, ERR_OK},
    {NORTH_PEER, WHAT_FIT_BYTES, FITS_BYTES},
    {NORTH_PEER, WHAT_FIT_INTACT, 1},
    {NORTH_PEER, WHAT_FIT_STATUS + 1, ERR_BUFFER},
    {NORTH_PEER, WHAT_FIT_BYTES + 1, FITS_BYTES + 1},
    {NORTH_PEER, WHAT_FIT_INTACT + 1, 1},
    {NORTH_PEER, WHAT_FIT_STATUS + 2, ERR_OK},
    {NORTH_PEER, WHAT_FIT_BYTES + 2, 5},
    {NORTH_PEER, WHAT_FIT_INTACT + 2, 1},
    /* A full queue is told, and drained. */
    {LEADER, WHAT_QUEUE_ACCEPTED, WINDOW_QUEUE},
    {LEADER, WHAT_QUEUE_FULL_STATUS, ERR_PORT_BUSY},
    {LEADER, WHAT_QUEUE_DRAIN_STATUS, ERR_OK},
    {LEADER, WHAT_QUEUE_AFTER_STATUS, ERR_OK},
    {EAST_PEER, WHAT_QUEUE_IN_ORDER, WINDOW_QUEUE + 1},
    /* Other jobs are refused. */
    {SOUTH_PEER, WHAT_JOB_OTHER_STATUS, ERR_FOREIGN},
    {SOUTH_PEER, WHAT_JOB_SAME_STATUS, ERR_OK},
    {SOUTH_PEER, WHAT_JOB_ANY_STATUS, ERR_OK},
    {SOUTH_PEER, WHAT_JOB_ANY_JOB, PROGRAM_OTHER_JOB},
    /* Paths that lead nowhere; buffers outside the window. */
    {LEADER, WHAT_ROUTE_NO_HOPS, ERR_NO_ROUTE},
    {LEADER, WHAT_ROUTE_TOO_FAR, ERR_NO_ROUTE},
    {LEADER, WHAT_ROUTE_NO_HOPS_AFTER, ERR_NO_ROUTE},
    {LEADER, WHAT_ROUTE_TOO_FAR_AFTER, ERR_NO_ROUTE},
    {LEADER, WHAT_BUFFER_BELOW, ERR_BUFFER},
    {LEADER, WHAT_BUFFER_ABOVE, ERR_BUFFER},
    {LEADER, WHAT_BUFFER_TOO_LONG, ERR_BUFFER},
    /* Receives with deadlines. */
    {LEADER, WHAT_UNTIL_NOTHING_STATUS, ERR_TIMEOUT},
    {LEADER, WHAT_UNTIL_EARLY_STATUS, ERR_TIMEOUT},
    {LEADER, WHAT_UNTIL_COMES_STATUS, ERR_OK},
    {LEADER, WHAT_UNTIL_COMES_INTACT, 1},
    {LEADER, WHAT_UNTIL_OTHER_STATUS, ERR_TIMEOUT},
    {LEADER, WHAT_UNTIL_PASSED_STATUS, ERR_OK},
    {LEADER, WHAT_UNTIL_PASSED_INTACT, 1},
    {LEADER, WHAT_UNTIL_GONE_STATUS, ERR_TIMEOUT},
    /* A dead link is told once. */
    {LEADER, WHAT_DEAD_SEND_STATUS, ERR_OK},
    {LEADER, WHAT_DEAD_DRAIN_STATUS, ERR_DEAD_LINK},
    {LEADER, WHAT_DEAD_AGAIN_STATUS, ERR_OK},
    {EAST_PEER, WHAT_BEHIND_STATUS, ERR_OK},
    /* Four messages at once; the clock; logs that nobody complained of. */
    {LEADER, WHAT_FOUR_SEND_STATUS, ERR_OK},
    {LEADER, WHAT_CLOCK_BACKWARD_STEPS, 0},
    {LEADER, WHAT_LOG_STATUS, INT64_MIN}};

static void what_the_nodes_write_down(struct unit *unit)
{
    for (unsigned i = 0; i < sizeof observations / sizeof *observations; ++i) {
        int64_t got = seen(observations[i].node, observations[i].what);

        if (got != observations[i].want) {
            printf("# node %" PRIu32 ", observation %u:\n",
                   observations[i].node, observations[i].what);
        }
        CHECK_EQUAL(unit, got, observations[i].want);
    }
    CHECK_EQUAL(unit, record[0].circuit[0].kind, KIND_DAMAGED);
    CHECK_EQUAL(unit, count_sent(KIND_DEAD), 0);
    CHECK_EQUAL(unit, count_sent(KIND_BEHIND), 1);
}

static void echoes_over_the_knight_path(struct unit *unit)
{
    for (uint32_t i = 0; i < PROGRAM_ECHOES; ++i) {
        const uint32_t bytes = program_echo_bytes[i];
        const struct circuit_record there = sent(LEADER, KIND_ECHO, i);
        const struct circuit_record back = sent(KNIGHT_PEER, KIND_BACK, i);

        SEEN(unit, KNIGHT_PEER, WHAT_ECHO_STATUS + i, ERR_OK);
        SEEN(unit, KNIGHT_PEER, WHAT_ECHO_BYTES + i, bytes);
        SEEN(unit, KNIGHT_PEER, WHAT_ECHO_INTACT + i, 1);
        SEEN(unit, KNIGHT_PEER, WHAT_ECHO_PORT + i, TORUS_SOUTH);
        SEEN(unit, LEADER, WHAT_ECHO_STATUS + i, ERR_OK);
        SEEN(unit, LEADER, WHAT_ECHO_BYTES + i, bytes);
        SEEN(unit, LEADER, WHAT_ECHO_INTACT + i, 1);
        SEEN(unit, LEADER, WHAT_ECHO_PORT + i, TORUS_EAST);
        CHECK_EQUAL(unit, there.destination, KNIGHT_PEER);
        CHECK_EQUAL(unit, back.destination, LEADER);
        check_circuit(unit, &there, 3, bytes);
        check_circuit(unit, &back, 3, bytes);
    }
}

/* Who waits wakes at the arrival, however long it took on the host. */
static void clock_stands_still_while_waiting(struct unit *unit)
{
    for (uint32_t i = 0; i < PROGRAM_ECHOES; ++i) {
        check_just_after(unit, seen(KNIGHT_PEER, WHAT_ECHO_PS + i),
                         (int64_t)sent(LEADER, KIND_ECHO, i).end_ps);
        check_just_after(unit, seen(LEADER, WHAT_ECHO_PS + i),
                         (int64_t)sent(KNIGHT_PEER, KIND_BACK, i).end_ps);
    }
    check_just_after(unit, seen(LEADER, WHAT_RING_DRAINED_PS),
                     (int64_t)sent(LEADER, KIND_RING, 0).end_ps);
}

static void clock_of_a_late_receiver_goes_on(struct unit *unit)
{
    const int64_t before_ps = seen(LEADER, WHAT_RING_BEFORE_PS);

    CHECK(unit, before_ps >= (int64_t)sent(LEADER, KIND_RING, 0).end_ps +
                                 (int64_t)PROGRAM_WORK_PS);
    check_just_after(unit, seen(LEADER, WHAT_RING_AFTER_PS), before_ps);
}

static void clock_counts_work(struct unit *unit)
{
    CHECK(unit, seen(LEADER, WHAT_CLOCK_WORK_PS) >= PROGRAM_WORK_PS);
    CHECK(unit, seen(LEADER, WHAT_CLOCK_WORK_PS) < 10ll * PROGRAM_WORK_PS);
}

static void around_the_torus(struct unit *unit)
{
    const struct circuit_record there = sent(LEADER, KIND_WRAP, 0);
    const struct circuit_record back = sent(WRAP_PEER, KIND_WRAP_BACK, 0);
    const struct circuit_record ring = sent(LEADER, KIND_RING, 0);

    check_circuit(unit, &there, 1, 90);
    check_circuit(unit, &back, 1, 90);
    CHECK_EQUAL(unit, ring.destination, LEADER);
    check_circuit(unit, &ring, PROGRAM_SIDE, 33);
}

static void a_full_queue_is_drained_in_order(struct unit *unit)
{
    CHECK_EQUAL(unit, count_sent(KIND_QUEUE), WINDOW_QUEUE + 1);
    /* All are queued before the first is over: then, one after the other. */
    for (uint32_t i = 0; i < WINDOW_QUEUE; ++i) {
        const struct circuit_record circuit = sent(LEADER, KIND_QUEUE, i);

        check_circuit(unit, &circuit, 1, 4);
    }
    check_just_after(
        unit, seen(LEADER, WHAT_QUEUE_DRAINED_PS),
        (int64_t)sent(LEADER, KIND_QUEUE, WINDOW_QUEUE - 1).end_ps);
}

static void ready_time_and_gap(struct unit *unit)
{
    const struct circuit_record later = sent(LEADER, KIND_TIMED, 0);
    const struct circuit_record gap = sent(LEADER, KIND_TIMED, 1);

    CHECK_EQUAL(unit, count_sent(KIND_TIMED), 2);
    CHECK_EQUAL(unit, later.request_ps, seen(LEADER, WHAT_TIMED_READY_PS));
    CHECK_EQUAL(unit, gap.request_ps, later.end_ps + PROGRAM_GAP_PS);
}

/* The clock shows the deadline at which a receive ended in vain, the arrival of
   what came, and no wait for what was there. */
static void deadlines_end_receives(struct unit *unit)
{
    const struct circuit_record late = sent(LEADER, KIND_UNTIL, 0);

    check_just_after(unit, seen(LEADER, WHAT_UNTIL_NOTHING_END_PS),
                     seen(LEADER, WHAT_UNTIL_NOTHING_PS));
    check_just_after(unit, seen(LEADER, WHAT_UNTIL_EARLY_END_PS),
                     seen(LEADER, WHAT_UNTIL_EARLY_PS));
    CHECK_EQUAL(unit, count_sent(KIND_UNTIL), 2);
    check_circuit(unit, &late, PROGRAM_SIDE, 44);
    CHECK(unit, seen(LEADER, WHAT_UNTIL_EARLY_PS) < (int64_t)late.end_ps);
    check_just_after(unit, seen(LEADER, WHAT_UNTIL_COMES_END_PS),
                     (int64_t)late.end_ps);
    check_just_after(unit, seen(LEADER, WHAT_UNTIL_PASSED_END_PS),
                     seen(LEADER, WHAT_UNTIL_PASSED_PS));
}

static void four_messages_at_once(struct unit *unit)
{
    static const uint32_t end[] = {11, 8, 19, 22};
    const struct circuit_record first = sent(LEADER, KIND_FOUR, 0);

    CHECK_EQUAL(unit, count_sent(KIND_FOUR), TORUS_PORTS);
    for (uint32_t port = 0; port < TORUS_PORTS; ++port) {
        const struct circuit_record circuit = sent(LEADER, KIND_FOUR, port);
        const uint32_t bytes = PROGRAM_HEAD_BYTES + PROGRAM_SHARED_BYTES +
                               PROGRAM_BODY_BYTES(port);

        CHECK_EQUAL(unit, circuit.port, port);
        CHECK_EQUAL(unit, circuit.destination, end[port]);
        CHECK_EQUAL(unit, circuit.request_ps, first.request_ps);
        check_circuit(unit, &circuit, 3, bytes);
        SEEN(unit, end[port], WHAT_FOUR_STATUS, ERR_OK);
        SEEN(unit, end[port], WHAT_FOUR_BYTES, bytes);
        SEEN(unit, end[port], WHAT_FOUR_PORT, (port + 3) % TORUS_PORTS);
        SEEN(unit, end[port], WHAT_FOUR_INTACT, 1);
        check_just_after(unit, seen(end[port], WHAT_FOUR_PS),
                         (int64_t)first.request_ps + held_ps(3, bytes));
    }
}

/* Each port's counters are the sums over its circuits. */
static void counters_are_the_sums(struct unit *unit)
{
    static struct node_counters want[NODES][NODE_PORTS];
    const struct circuit_record *damaged = &record[0].circuit[0];
    const struct circuit_record too_long = sent(LEADER, KIND_FIT, 1);

    memset(want, 0, sizeof want);
    for (uint32_t i = 0; i < record[0].circuits; ++i) {
        const struct circuit_record *c = &record[0].circuit[i];
        struct node_counters *from = &want[c->source][c->port];
        struct node_counters *to = &want[c->destination][c->arrival];

        from->sent_messages += 1;
        from->sent_bytes += c->bytes;
        from->busy_ps += c->end_ps - c->grant_ps;
        to->received_messages += 1;
        to->received_bytes += c->bytes;
    }
    want[LEADER][TORUS_EAST].errors = 1; /* the dead link */
    want[damaged->destination][damaged->arrival].errors = 1;
    want[too_long.destination][too_long.arrival].errors = 1;
    for (uint32_t node = 0; node < NODES; ++node) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            const struct node_counters *a = &want[node][port];
            const struct node_counters *b = &record[0].counters[node][port];

            CHECK_EQUAL(unit, b->sent_messages, a->sent_messages);
            CHECK_EQUAL(unit, b->sent_bytes, a->sent_bytes);
            CHECK_EQUAL(unit, b->received_messages, a->received_messages);
            CHECK_EQUAL(unit, b->received_bytes, a->received_bytes);
            CHECK_EQUAL(unit, b->busy_ps, a->busy_ps);
            CHECK_EQUAL(unit, b->errors, a->errors);
            CHECK_EQUAL(unit, b->stalls, 0);
            CHECK_EQUAL(unit, b->stall_ps, 0);
        }
    }
    /* Echoes and the damaged one, the queue, two timed ones, one behind the
       dead one, one of four: nothing else leaves the leader's east port. */
    CHECK_EQUAL(unit, record[0].counters[LEADER][TORUS_EAST].sent_messages,
                1 + PROGRAM_ECHOES + (WINDOW_QUEUE + 1) + 2 + 1 + 1);
    CHECK_EQUAL(unit, record[0].conflicts, 0);
}

static void check_same(struct unit *unit, const struct record *first,
                       const struct record *second)
{
    CHECK_EQUAL(unit, second->end, MESH_DONE);
    CHECK_EQUAL(unit, second->circuits, first->circuits);
    for (uint32_t i = 0; i < first->circuits && i < second->circuits; ++i) {
        const struct circuit_record *a = &first->circuit[i];
        const struct circuit_record *b = &second->circuit[i];

        CHECK_EQUAL(unit, b->source, a->source);
        CHECK_EQUAL(unit, b->kind, a->kind);
        CHECK_EQUAL(unit, b->request_ps, a->request_ps);
        CHECK_EQUAL(unit, b->grant_ps, a->grant_ps);
        CHECK_EQUAL(unit, b->end_ps, a->end_ps);
    }
    CHECK(unit, first->log != NULL && second->log_bytes == first->log_bytes &&
                    memcmp(second->log, first->log, first->log_bytes) == 0);
    CHECK(unit, memcmp(second->counters, first->counters,
                       sizeof first->counters) == 0);
}

static void second_run_is_the_same(struct unit *unit)
{
    check_same(unit, &record[FIRST], &record[SECOND]);
}

/* ---- slow boards ---- */

/* Every node sees what it sees otherwise, at another time. */
static void slow_boards_do_the_same(struct unit *unit)
{
    const struct record *fast = &record[FIRST];
    const struct record *slow = &record[SLOW];

    CHECK_EQUAL(unit, slow->end, MESH_DONE);
    CHECK_EQUAL(unit, slow->log_bytes, fast->log_bytes);
    CHECK_EQUAL(unit, slow->circuits, fast->circuits);
    CHECK_EQUAL(unit, slow->conflicts, 0);
    for (uint32_t at = CIRCUIT_HEADER_BYTES;
         at + PROGRAM_OBSERVATION_BYTES <= fast->log_bytes;
         at += PROGRAM_OBSERVATION_BYTES) {
        uint32_t node = bytes_load_u16(fast->log + at);
        unsigned what = bytes_load_u16(fast->log + at + 2);

        if (what < WHAT_TIMES) {
            CHECK_EQUAL(unit, seen_in(slow, node, what), seen(node, what));
        }
    }
}

/* `slow_ps` is 2^shift times `fast_ps`, both read from a board's clock. */
static void check_slower(struct unit *unit, int64_t slow_ps, int64_t fast_ps,
                         unsigned shift)
{
    int64_t factor = (int64_t)1 << shift;
    int64_t off_ps = slow_ps - fast_ps * factor;

    CHECK(unit, off_ps <= tick_ps * factor + tick_ps);
    CHECK(unit, off_ps >= -tick_ps * factor - tick_ps);
}

/* From the arrival of its message, one of four, to the reading of a node's
   clock: the driver's instructions. */
static int64_t driver_ps(const struct record *in, uint32_t node)
{
    for (uint32_t port = 0; port < TORUS_PORTS; ++port) {
        const struct circuit_record circuit =
            sent_in(in, LEADER, KIND_FOUR, port);

        if (circuit.destination == node) {
            return seen_in(in, node, WHAT_FOUR_PS) - (int64_t)circuit.end_ps;
        }
    }
    return INT64_MIN;
}

static void slow_boards_take_longer(struct unit *unit)
{
    static const uint32_t node[] = {KNIGHT_PEER, WEST_END, NORTH_END};

    check_slower(unit, seen_in(&record[SLOW], LEADER, WHAT_CLOCK_WORK_PS),
                 seen(LEADER, WHAT_CLOCK_WORK_PS), slow_shift[LEADER]);
    for (unsigned i = 0; i < 3; ++i) {
        int64_t fast_ps = driver_ps(&record[FIRST], node[i]);
        int64_t slow_ps = driver_ps(&record[SLOW], node[i]);

        CHECK(unit, fast_ps >= 0 && slow_ps >= 0);
        check_slower(unit, slow_ps, fast_ps, slow_shift[node[i]]);
    }
}

static void second_slow_run_is_the_same(struct unit *unit)
{
    check_same(unit, &record[SLOW], &record[SLOW_SECOND]);
}

/* ---- what no mesh shows ---- */

/* The result of circuit_open() for a window of this identity. */
static int opened(const struct node_identity *identity)
{
    struct window *window = calloc(1, sizeof *window);
    struct clock clock = {.base_ps = 0};
    struct circuit circuit;
    int error;

    if (window == NULL) {
        exit(2);
    }
    window->node.identity = *identity;
    error = circuit_open(&circuit, window, &clock);
    free(window);
    return error;
}

static void windows_of_another_layout(struct unit *unit)
{
    const struct node_identity good = {.magic = WINDOW_MAGIC,
                                       .version = WINDOW_VERSION,
                                       .bytes = WINDOW_DMA_OFFSET,
                                       .width = 5,
                                       .height = 5};
    static const struct {
        int32_t magic, version, bytes; /* more than they should be */
        int error;
    } tries[] = {{0, 0, 0, ERR_OK},      {1, 0, 0, ERR_VERSION},
                 {0, 1, 0, ERR_VERSION}, {0, 0, -8, ERR_MEMORY},
                 {0, 0, 4, ERR_MEMORY},  {0, 0, 8, ERR_OK}};

    for (unsigned i = 0; i < sizeof tries / sizeof *tries; ++i) {
        struct node_identity other = good;

        other.magic += (uint32_t)tries[i].magic;
        other.version += (uint32_t)tries[i].version;
        other.bytes += (uint32_t)tries[i].bytes;
        CHECK_EQUAL(unit, opened(&other), tries[i].error);
    }
}

/* Boards of which none has been started end, and close nothing that is not
   theirs. */
static void boards_that_were_not_started(struct unit *unit)
{
    const struct boards_config config = {.board = board_default(BOARD_WINDOW),
                                         .firmware = "/dev/null",
                                         .qemu = "/dev/null",
                                         .nodes = NODES,
                                         .watchdog_s = WATCHDOG_S};
    struct backend backend;

    CHECK_EQUAL(unit, boards_start(&backend, &config), 0);
    backend.stop(backend.context);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        CHECK(unit, fcntl(fd, F_GETFD) >= 0);
    }
}

/* No process of a board is left, not even one that nobody has waited for. */
static void boards_are_gone(struct unit *unit)
{
    CHECK_EQUAL(unit, waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQUAL(unit, errno, ECHILD);
}

static void put(void *context, const char *text)
{
    fputs(text, context);
}

static int judge(void)
{
    struct unit unit = {.put = put, .context = stdout};

    UNIT_RUN(&unit, mesh_ends_well);
    UNIT_RUN(&unit, what_the_nodes_write_down);
    UNIT_RUN(&unit, echoes_over_the_knight_path);
    UNIT_RUN(&unit, clock_stands_still_while_waiting);
    UNIT_RUN(&unit, clock_of_a_late_receiver_goes_on);
    UNIT_RUN(&unit, clock_counts_work);
    UNIT_RUN(&unit, around_the_torus);
    UNIT_RUN(&unit, a_full_queue_is_drained_in_order);
    UNIT_RUN(&unit, ready_time_and_gap);
    UNIT_RUN(&unit, deadlines_end_receives);
    UNIT_RUN(&unit, four_messages_at_once);
    UNIT_RUN(&unit, counters_are_the_sums);
    UNIT_RUN(&unit, second_run_is_the_same);
    UNIT_RUN(&unit, slow_boards_do_the_same);
    UNIT_RUN(&unit, slow_boards_take_longer);
    UNIT_RUN(&unit, second_slow_run_is_the_same);
    UNIT_RUN(&unit, windows_of_another_layout);
    UNIT_RUN(&unit, boards_that_were_not_started);
    UNIT_RUN(&unit, boards_are_gone);
    unit_plan(&unit);
    return unit.tests_failed > 0;
}

int main(int argc, char **argv)
{
    const bool native = argc == 2 && strcmp(argv[1], "native") == 0;
    int status;

    if (!native && (argc < 3 || argc > 4 || strcmp(argv[1], "qemu") != 0)) {
        fprintf(stderr, "usage: conformance native | qemu IMAGE [ZYGOTE]\n");
        return 2;
    }
    image = native ? NULL : argv[2];
    zygote_object = argc == 4 ? argv[3] : NULL;
    slack_ps = native ? 0 : 300 * 32000;
    tick_ps = native ? 0 : 40000;
    for (unsigned i = 0; i < RUNS; ++i) {
        run(&record[i], i >= SLOW ? slow_shift : NULL);
    }
    status = judge();
    for (unsigned i = 0; i < RUNS; ++i) {
        free(record[i].log);
    }
    return status;
}

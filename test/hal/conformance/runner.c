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
#define MESSAGES_MAX (WINDOW_QUEUE + 128u)
#define LEADER 0u

/* How many times a node expects something: a role that ends early has fewer. */
static const struct {
    uint32_t node;
    int64_t count;
} expected[] = {{LEADER, 118 + WINDOW_QUEUE + 1},
                {1, 6 + 3 * WINDOW_QUEUE},
                {PROGRAM_SIDE, 12},
                {1 + 2 * PROGRAM_SIDE, 26},
                {4 * PROGRAM_SIDE, 6}};

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

/* Tests take no argument but the harness: what they judge is here; the second
   run is the same again. */
static struct record record[2];
static const char *image;
static const char *zygote_object;

/* From a time to the reading of the clock behind it: a board counts the
   instructions of the driver, at most 300; the host counts none. */
static int64_t slack_ps;

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
                                         .zygote_object = zygote_object};

    return image == NULL ? native_start(backend, NODES, THREADS, NULL)
                         : boards_start(backend, &boards);
}

static void run(struct record *to)
{
    uint8_t payload[PROGRAM_ORDER_BYTES];
    static const struct torus_coord originator = {0, 0};
    static const struct injection cut = {
        .what = INJECTION_CUT, .at = {2, 0}, .port = TORUS_EAST};
    const struct mesh_config config = {
        .size = size,
        .originators = 1,
        .originator = &originator,
        .fabric = {.size = size,
                   .profile.startup_ps = STARTUP_PS,
                   .profile.transfer_ps = BYTE_PS,
                   .profile.hop_delay_ps = HOP_PS,
                   .one_way = true,
                   .corrupt_message = 1},
        .injections = {&cut, 1},
        .identity = 0xc0f0c0f0u,
        .watchdog_s = WATCHDOG_S};
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

/* The value of a node's only such observation; INT64_MIN: none, or several. */
static int64_t seen(uint32_t node, unsigned what)
{
    const struct record *of = &record[0];
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

/* The leader's n-th circuit of a kind, from 0; one of zeros if none. */
static struct circuit_record sent(unsigned kind, uint32_t n)
{
    for (uint32_t i = 0; i < record[0].circuits; ++i) {
        const struct circuit_record *circuit = &record[0].circuit[i];

        if (circuit->source == LEADER && circuit->kind == kind && n-- == 0) {
            return *circuit;
        }
    }
    return (struct circuit_record){0};
}

static uint32_t count_sent(unsigned kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < record[0].circuits; ++i) {
        count += record[0].circuit[i].kind == kind;
    }
    return count;
}

/* A clock of the leader's is read right behind that time. */
static void check_just_after(struct unit *unit, unsigned what, int64_t from_ps)
{
    CHECK(unit, from_ps > 0);
    CHECK(unit, seen(LEADER, what) >= from_ps);
    CHECK(unit, seen(LEADER, what) <= from_ps + slack_ps);
}

static void check_circuit(struct unit *unit,
                          const struct circuit_record *circuit, uint32_t hops,
                          uint32_t payload_bytes)
{
    const uint32_t bytes = CIRCUIT_HEADER_BYTES + payload_bytes;

    CHECK_EQUAL(unit, circuit->bytes, bytes);
    CHECK_EQUAL(unit, circuit->hops, hops);
    CHECK_EQUAL(unit, circuit->grant_ps, circuit->request_ps);
    CHECK_EQUAL(unit, circuit->end_ps - circuit->grant_ps,
                STARTUP_PS + HOP_PS * (uint64_t)hops +
                    BYTE_PS * (uint64_t)bytes);
}

/* ---- the tests ---- */

static void mesh_ends_well(struct unit *unit)
{
    CHECK_EQUAL(unit, record[0].end, MESH_DONE);
    CHECK_EQUAL(unit, record[0].conflicts,
                1); /* of the row, which meets itself */
    CHECK_EQUAL(unit, record[0].log_bytes % PROGRAM_OBSERVATION_BYTES,
                CIRCUIT_HEADER_BYTES % PROGRAM_OBSERVATION_BYTES);
    for (uint32_t node = 0; node < NODES; ++node) {
        CHECK_EQUAL(unit, record[0].error[node], ERR_OK);
    }
}

/* Each role was played to its end, and nothing was otherwise than it should. */
static void what_the_nodes_expect(struct unit *unit)
{
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; ++i) {
        CHECK_EQUAL(unit, seen(expected[i].node, WHAT_EXPECTED),
                    expected[i].count);
    }
    for (uint32_t at = CIRCUIT_HEADER_BYTES;
         at + PROGRAM_OBSERVATION_BYTES <= record[0].log_bytes;
         at += PROGRAM_OBSERVATION_BYTES) {
        const uint8_t *entry = record[0].log + at;

        if (bytes_load_u16(entry + 2) == WHAT_OTHERWISE) {
            printf("# node %u, line %" PRIu32 " of program.c: %" PRId32 "\n",
                   bytes_load_u16(entry), bytes_load_u32(entry + 4),
                   (int32_t)bytes_load_u32(entry + 8));
            CHECK(unit, !"as expected");
        }
    }
    CHECK_EQUAL(unit, record[0].circuit[0].kind, KIND_DAMAGED);
    CHECK_EQUAL(unit, count_sent(KIND_DEAD), 2); /* of the row */
    CHECK_EQUAL(unit, count_sent(KIND_BEHIND), 1);
}

static void circuits_take_their_time(struct unit *unit)
{
    const struct circuit_record around = sent(KIND_RING, 0);
    const struct circuit_record later = sent(KIND_TIMED, 0);
    const struct circuit_record gap = sent(KIND_TIMED, 1);

    for (uint32_t i = 0; i < PROGRAM_SIZES; ++i) {
        const struct circuit_record circuit = sent(KIND_SIZES, i);

        CHECK_EQUAL(unit, circuit.destination, 1 + 2 * PROGRAM_SIDE);
        check_circuit(unit, &circuit, 3, program_sizes[i]);
    }
    check_circuit(unit, &around, PROGRAM_SIDE, 33);
    CHECK_EQUAL(unit, count_sent(KIND_QUEUE), WINDOW_QUEUE);
    /* All are queued before the first is over: then, one after the other. */
    for (uint32_t i = 0; i < WINDOW_QUEUE; ++i) {
        const struct circuit_record circuit = sent(KIND_QUEUE, i);

        check_circuit(unit, &circuit, 1, 4);
    }
    CHECK_EQUAL(unit, count_sent(KIND_TIMED), 2);
    CHECK_EQUAL(unit, later.request_ps, seen(LEADER, WHAT_TIMED_READY_PS));
    CHECK_EQUAL(unit, gap.request_ps, later.end_ps + PROGRAM_GAP_PS);
}

/* Who waits wakes at the arrival or the deadline, however long it took on the
   host; what is there is not waited for. */
static void clocks_stand_still_while_nodes_wait(struct unit *unit)
{
    const int64_t around_ps = (int64_t)sent(KIND_RING, 0).end_ps;
    const struct circuit_record late = sent(KIND_UNTIL, 0);

    check_just_after(unit, WHAT_RING_DRAINED_PS, around_ps);
    CHECK(unit, seen(LEADER, WHAT_RING_BEFORE_PS) >=
                    around_ps + (int64_t)PROGRAM_WORK_PS);
    CHECK(unit, seen(LEADER, WHAT_RING_BEFORE_PS) <
                    around_ps + 10 * (int64_t)PROGRAM_WORK_PS);
    check_just_after(unit, WHAT_RING_AFTER_PS,
                     seen(LEADER, WHAT_RING_BEFORE_PS));
    check_just_after(unit, WHAT_UNTIL_NOTHING_END_PS,
                     seen(LEADER, WHAT_UNTIL_NOTHING_PS));
    check_just_after(unit, WHAT_UNTIL_EARLY_END_PS,
                     seen(LEADER, WHAT_UNTIL_EARLY_PS));
    CHECK(unit, seen(LEADER, WHAT_UNTIL_EARLY_PS) < (int64_t)late.end_ps);
    check_just_after(unit, WHAT_UNTIL_COMES_END_PS, (int64_t)late.end_ps);
    check_just_after(unit, WHAT_UNTIL_PASSED_END_PS,
                     seen(LEADER, WHAT_UNTIL_PASSED_PS));
    check_just_after(unit, WHAT_QUEUE_DRAINED_PS,
                     (int64_t)sent(KIND_QUEUE, WINDOW_QUEUE - 1).end_ps);
}

static void second_run_is_the_same(struct unit *unit)
{
    const struct record *first = &record[0];
    const struct record *second = &record[1];

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
                                         .nodes = NODES};
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
    UNIT_RUN(&unit, what_the_nodes_expect);
    UNIT_RUN(&unit, circuits_take_their_time);
    UNIT_RUN(&unit, clocks_stand_still_while_nodes_wait);
    UNIT_RUN(&unit, second_run_is_the_same);
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
    run(&record[0]);
    run(&record[1]);
    status = judge();
    free(record[0].log);
    free(record[1].log);
    return status;
}

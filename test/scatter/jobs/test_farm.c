/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Farms: whole jobs, in which every byte that a worker gets is looked at; and a
 * worker, then an originator, to whom messages are told that do not belong
 * there: each is refused with the error that its header file names.
 */
#include "hal/host/host.h"
#include "hal/window/window.h"
#include "scatter/engine/core.h"
#include "scatter/plan/tree.h"
#include "test/scatter/jobs/suite.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define MESH 7u
#define SIDE 3u
#define NODES (SIDE * SIDE)
#define JOB 5u
#define UNITS 40u
#define PASSES_PS 7000000u /* until what a node waits for is there */
#define ROOM_BYTES 65536u
#define WINDOW_BYTES                                                           \
    (WINDOW_DMA_OFFSET + 2 * (uint32_t)sizeof(struct scatter_memory) +         \
     ROOM_BYTES)

/* ---- whole jobs ---- */

static struct job farm(uint32_t units)
{
    return (struct job){.size = {5, 4},
                        .originator = {2, 1},
                        .schedule = SCHEDULE_FARM,
                        .rounds = WIRE_BEST,
                        .tree = true,
                        .unit_bytes = 3,
                        .units = units};
}

static void jobs_of_all_sizes(struct unit *unit)
{
    for (uint32_t units = 1; units < 3000; units += 1 + units / 7) {
        struct job job = farm(units);

        job_check(unit, &job);
        job.rounds = (uint8_t)(1 + units % 9);
        job.ports = (uint8_t)(1u << units % 3);
        job.size = (struct torus_size){(uint16_t)(1 + units % 6),
                                       (uint16_t)(1 + units % 5)};
        job.originator = (struct torus_coord){0, 0};
        job_check(unit, &job);
    }
}

static void jobs_with_halos(struct unit *unit)
{
    for (uint32_t n = 0; n < 36; ++n) {
        struct job job = farm(50 + 97 * n);

        job.before_bytes = n % 3 * 7;
        job.after_bytes = n / 3 % 3 * 5;
        job.first_unit = n % 2 * 11;
        job.later_units = n / 9 % 2 * 9;
        job_check(unit, &job);
    }
}

/* They come back with demands, and the last ones with the result. */
static void jobs_with_outputs(struct unit *unit)
{
    for (uint32_t n = 0; n < 40; ++n) {
        struct job job = farm(1 + 131 * n);

        job.numerator = (uint16_t)(1 + n % 5);
        job.denominator = (uint16_t)(1 + n % 4);
        job.varies = n % 8 == 7;
        if (job.varies) {
            job.numerator = 1;
            job.denominator = 1;
        }
        job.first_unit = n % 3 * 10;
        job_check(unit, &job);
    }
}

/* ---- one node, told by hand ---- */

static struct window *window;
static struct host_node *node;

static void begin_node(uint16_t x, uint16_t y)
{
    window = aligned_alloc(64, (WINDOW_BYTES + 63u) & ~63u);
    if (window == NULL) {
        exit(2);
    }
    memset(window, 0, WINDOW_BYTES);
    window->node.identity = (struct node_identity){.magic = WINDOW_MAGIC,
                                                   .version = WINDOW_VERSION,
                                                   .bytes = WINDOW_BYTES,
                                                   .mesh = MESH,
                                                   .width = SIDE,
                                                   .height = SIDE,
                                                   .x = x,
                                                   .y = y,
                                                   .policy = WIRE_FARM};
    node = host_node_new(window);
    if (node == NULL) {
        exit(2);
    }
    host_node_resume(node);
}

/* Its error. */
static int end_node(void)
{
    int error = window->node.status.error;

    host_node_free(node);
    free(window);
    return error;
}

static bool is_waiting(void)
{
    return window->node.status.state != NODE_STATE_FAILED &&
           window->request.op != WINDOW_OP_END;
}

static void answer(int status, uint32_t bytes)
{
    window->response =
        (struct window_response){.status = status,
                                 .bytes = bytes,
                                 .time_ps = window->request.time_ps + PASSES_PS,
                                 .sequence = window->request.sequence};
    host_node_resume(node);
}

/* All sends have ended, whenever it waits for that. */
static void drain(void)
{
    while (is_waiting() && window->request.op == WINDOW_OP_DRAIN) {
        window->done = window->queued;
        answer(ERR_OK, 0);
    }
}

static void tell(enum wire_kind kind, uint16_t job, const uint8_t *data,
                 uint32_t bytes)
{
    uint8_t *at = (uint8_t *)window + window->request.offset;

    memset(at, 0, CIRCUIT_HEADER_BYTES);
    at[CIRCUIT_AT_VERSION] = CIRCUIT_VERSION;
    at[CIRCUIT_AT_KIND] = (uint8_t)kind;
    bytes_store_u16(at + CIRCUIT_AT_JOB, job);
    bytes_store_u32(at + CIRCUIT_AT_MESH, MESH);
    bytes_store_u32(at + CIRCUIT_AT_LENGTH, bytes);
    memcpy(at + CIRCUIT_HEADER_BYTES, data, bytes);
    answer(ERR_OK, CIRCUIT_HEADER_BYTES + bytes);
    drain();
}

/* ---- a worker ---- */

static void put_arg(uint8_t arg[ECHO_ARG_BYTES])
{
    memset(arg, 0, ECHO_ARG_BYTES);
    bytes_store_u64(arg + ECHO_AT_UNITS, UNITS);
    bytes_store_u32(arg + ECHO_AT_INSTRUCTIONS, 1000);
}

static void tell_announcement(uint16_t job)
{
    const struct torus_path path = {TORUS_EAST, TORUS_STRAIGHT, 1, 0};
    struct wire_announce announce = {.unit_bytes = 1,
                                     .arg_bytes = ECHO_ARG_BYTES};
    uint8_t data[TREE_BRANCH_BYTES + WIRE_ANNOUNCE_BYTES + ECHO_ARG_BYTES];

    memset(data, 0, sizeof data);
    bytes_store_u32(data, tree_direct_pack(path));
    bytes_store_u16(data + 8, 1);
    data[10] = TORUS_EAST;
    data[11] = 1;
    bytes_store_u16(data + 12, 1);
    wire_announce_store(data + TREE_BRANCH_BYTES, &announce);
    put_arg(data + TREE_BRANCH_BYTES + WIRE_ANNOUNCE_BYTES);
    tell(WIRE_ANNOUNCE, job, data, sizeof data);
}

/* A chunk, and what is wrong with its message. */
struct chunk {
    struct wire_chunk head;
    bool first; /* with a job */
    bool of_tree;
    uint16_t job;
    uint32_t less_bytes;
};

static void tell_chunk(const struct chunk *chunk)
{
    unsigned policy = chunk->of_tree ? WIRE_TREE : WIRE_FARM;
    struct wire_job job = {
        .phases = 1, .rounds = 1, .flags = WIRE_FLAGS(0u, policy)};
    uint8_t data[256];
    uint32_t bytes = WIRE_CHUNK_BYTES;

    wire_chunk_store(data, &chunk->head);
    if (chunk->first) {
        wire_job_store(data + bytes, &job, NULL);
        bytes += wire_job_bytes(&job);
    }
    for (uint32_t i = 0; i < chunk->head.units && i < 20; ++i) {
        data[bytes++] = echo_load(chunk->head.first_unit + i);
    }
    tell(WIRE_CHUNK, chunk->job != 0 ? chunk->job : JOB, data,
         bytes - chunk->less_bytes);
}

static const struct chunk first_chunk = {.head = {10, 0, 3, 0}, .first = true};
static const struct chunk second_chunk = {.head = {10, 10, 3, 1}};
static const struct chunk last_chunk = {.head = {0, 0, 3, 2}};

/* What the worker asked last. */
static struct wire_demand last_demand(void)
{
    struct wire_demand demand = {.number = 0};

    for (uint32_t i = 0; i < window->queued; ++i) {
        const struct window_send *send = &window->entry[i].send;

        if (send->kind == WIRE_DEMAND &&
            wire_demand_load(&demand,
                             (const uint8_t *)window + send->head.offset,
                             send->head.bytes) != ERR_OK) {
            exit(2);
        }
    }
    return demand;
}

static uint32_t demands(void)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < window->queued; ++i) {
        count += window->entry[i].send.kind == WIRE_DEMAND;
    }
    return count;
}

/* The worker 3 asks for this chunk, when it has computed so many units, each of
   one instruction. */
static void check_demand(struct unit *unit, uint16_t number, uint32_t units)
{
    struct wire_demand demand = last_demand();

    CHECK_EQUAL(unit, demands(), number);
    CHECK_EQUAL(unit, demand.worker, 3);
    CHECK_EQUAL(unit, demand.number, number);
    CHECK_EQUAL(unit, demand.units, units);
    CHECK_EQUAL(unit, demand.compute_ps, 32000u * units);
}

/* The first chunk goes straight: it may come before the announcement. */
static void a_worker_asks_until_the_end(struct unit *unit)
{
    for (unsigned early = 0; early < 2; ++early) {
        begin_node(1, 0);
        if (early == 0) {
            tell_announcement(JOB);
        }
        tell_chunk(&first_chunk);
        if (early == 1) {
            CHECK_EQUAL(unit, demands(), 0);
            tell_announcement(JOB);
        }
        check_demand(unit, 1, 0);
        tell_chunk(&second_chunk);
        check_demand(unit, 2, 10);
        tell_chunk(&last_chunk);
        CHECK_EQUAL(unit, demands(), 2);
        CHECK_EQUAL(unit, window->node.status.state, NODE_STATE_DONE);
        CHECK_EQUAL(unit, end_node(), ERR_OK);
    }
}

static void first_chunks_that_are_refused(struct unit *unit)
{
    static const struct {
        struct chunk chunk;
        int error;
    } cases[] = {
        {{.head = {0, 0, 3, 0}, .first = true}, ERR_PLAN},
        {{.head = {10, 0, 3, 1}, .first = true}, ERR_PLACE},
        {{.head = {10, 0, 3, 0}}, ERR_LENGTH},
        {{.head = {10, 0, 3, 0}, .first = true, .less_bytes = 1}, ERR_LENGTH},
        {{.head = {10, 0, 3, 0}, .first = true, .less_bytes = 47}, ERR_LENGTH},
        {{.head = {10, 0, 3, 0}, .first = true, .of_tree = true}, ERR_FIELD},
        {{.head = {10, 0, 3, 0}, .first = true, .job = JOB + 1}, ERR_FIELD},
        {{.head = {10, UINT32_MAX - 8, 3, 0}, .first = true}, ERR_PLAN},
        {{.head = {21, 0, 3, 0}, .first = true}, ERR_LENGTH}};

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        begin_node(1, 0);
        tell_announcement(JOB);
        tell_chunk(&cases[i].chunk);
        CHECK_EQUAL(unit, end_node(), cases[i].error);
    }
}

static void later_chunks_that_are_refused(struct unit *unit)
{
    static const struct {
        struct chunk chunk;
        int error;
    } cases[] = {{{.head = {10, 10, 4, 1}}, ERR_PLACE},
                 {{.head = {10, 10, 3, 0}}, ERR_PLACE},
                 {{.head = {10, 10, 3, 2}}, ERR_PLACE},
                 {{.head = {10, 10, 3, 1}, .less_bytes = 1}, ERR_LENGTH},
                 {{.head = {10, 10, 3, 1}, .less_bytes = 11}, ERR_LENGTH},
                 {{.head = {9, UINT32_MAX - 7, 3, 1}}, ERR_PLAN}};

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        begin_node(1, 0);
        tell_announcement(JOB);
        tell_chunk(&first_chunk);
        tell_chunk(&cases[i].chunk);
        CHECK_EQUAL(unit, end_node(), cases[i].error);
    }
}

/* ---- the originator ---- */

/* Of circuits. */
struct costs {
    uint64_t startup_ps;
    uint64_t transfer_ps;
    uint8_t ports;
};

/* The order of a farm on SIDE x SIDE nodes, whose kernel takes long. */
static void tell_order(uint32_t units, uint16_t numerator,
                       const struct costs *costs)
{
    struct torus_size size = {SIDE, SIDE};
    uint8_t *tree =
        schedule_tree(SCHEDULE_FARM, size, (struct torus_coord){0, 0}, NULL);
    uint8_t arg[ECHO_ARG_BYTES];
    static uint8_t data[4096];
    struct wire_order order = {.kernel = "echo",
                               .startup_ps = costs->startup_ps,
                               .transfer_ps = costs->transfer_ps,
                               .load_units = units,
                               .phases = WIRE_BEST,
                               .rounds = WIRE_BEST,
                               .ports = costs->ports,
                               .policy = WIRE_FARM,
                               .tree_nodes = NODES,
                               .unit_bytes = 1,
                               .arg_bytes = ECHO_ARG_BYTES,
                               .arg = arg,
                               .tree = tree};
    uint32_t bytes = wire_order_head_bytes(&order);

    put_arg(arg);
    bytes_store_u32(arg + ECHO_AT_INSTRUCTIONS, 1000000000);
    bytes_store_u64(arg + ECHO_AT_UNITS, units);
    bytes_store_u16(arg + ECHO_AT_NUMERATOR, numerator);
    bytes_store_u16(arg + ECHO_AT_DENOMINATOR, numerator);
    wire_order_store(data, &order);
    for (uint32_t i = 0; i < units; ++i) {
        data[bytes++] = echo_load(i);
    }
    free(tree);
    tell(WIRE_ORDER, JOB, data, bytes);
}

/* What a worker asks, and how long the message is. */
struct told {
    struct wire_demand demand;
    uint32_t bytes;
    int error;
};

static void tell_demand(const struct told *told)
{
    uint8_t data[WIRE_DEMAND_BYTES + 16] = {0};

    wire_demand_store(data, &told->demand);
    tell(WIRE_DEMAND, JOB, data, told->bytes);
}

/* Its error after these demands; it waits for them before the last one. */
static int ask_all(const struct told told[], unsigned count, uint16_t numerator)
{
    static const struct costs costs = {1000000, 1000, TORUS_PORTS};

    begin_node(0, 0);
    tell_order(200, numerator, &costs);
    for (unsigned i = 0; i < count && is_waiting(); ++i) {
        tell_demand(&told[i]);
    }
    return end_node();
}

static void demands_that_are_refused(struct unit *unit)
{
    static const struct told good = {{0, 1, 0, 0}, WIRE_DEMAND_BYTES, ERR_OK};
    static const struct told cases[] = {
        {{NODES - 1, 1, 0, 0}, WIRE_DEMAND_BYTES, ERR_PLACE},
        {{UINT16_MAX, 1, 0, 0}, WIRE_DEMAND_BYTES, ERR_PLACE},
        {{0, 1, 0, 0}, WIRE_DEMAND_BYTES, ERR_PLACE}, /* again */
        {{0, 3, 0, 0}, WIRE_DEMAND_BYTES, ERR_PLACE},
        {{1, 2, 0, 0}, WIRE_DEMAND_BYTES, ERR_PLACE},
        {{1, 0, 0, 0}, WIRE_DEMAND_BYTES, ERR_PLACE},
        {{1, 1, 0, 0}, WIRE_DEMAND_BYTES - 1, ERR_LENGTH},
        {{1, 1, 0, 0}, 0, ERR_LENGTH},
        {{1, 1, 0, 0}, WIRE_DEMAND_BYTES + 4, ERR_LENGTH}}; /* no output */

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        const struct told both[] = {good, cases[i]};

        CHECK_EQUAL(unit, ask_all(both, 2, 0), cases[i].error);
    }
}

static void outputs_of_odd_length_are_refused(struct unit *unit)
{
    static const struct told odd[] = {
        {{0, 1, 0, 0}, WIRE_DEMAND_BYTES + 3, ERR_LENGTH}};

    CHECK_EQUAL(unit, ask_all(odd, 1, 1), ERR_LENGTH);
}

static void orders_that_are_refused(struct unit *unit)
{
    static const uint64_t most_ps = PLANNER_TIME_MAX_PS;
    const struct {
        struct costs costs;
        int error;
    } cases[] = {{{most_ps, most_ps, 1}, ERR_OK},
                 {{0, 0, 2}, ERR_OK},
                 {{most_ps + 1, 1000, 4}, ERR_RANGE},
                 {{UINT64_MAX, 1000, 4}, ERR_RANGE},
                 {{1000000, most_ps + 1, 4}, ERR_RANGE},
                 {{1000000, UINT64_MAX, 4}, ERR_RANGE},
                 {{1000000, 1000, 0}, ERR_RANGE},
                 {{1000000, 1000, 3}, ERR_RANGE},
                 {{1000000, 1000, UINT8_MAX}, ERR_RANGE}};

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        begin_node(0, 0);
        tell_order(200, 0, &cases[i].costs);
        CHECK_EQUAL(unit, is_waiting(), cases[i].error == ERR_OK);
        CHECK_EQUAL(unit, end_node(), cases[i].error);
    }
}

void test_farm(struct unit *unit)
{
    UNIT_RUN(unit, jobs_of_all_sizes);
    UNIT_RUN(unit, jobs_with_halos);
    UNIT_RUN(unit, jobs_with_outputs);
    UNIT_RUN(unit, a_worker_asks_until_the_end);
    UNIT_RUN(unit, first_chunks_that_are_refused);
    UNIT_RUN(unit, later_chunks_that_are_refused);
    UNIT_RUN(unit, demands_that_are_refused);
    UNIT_RUN(unit, outputs_of_odd_length_are_refused);
    UNIT_RUN(unit, orders_that_are_refused);
}

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

/* Every byte that a master passes on is the load's, and every result comes home
   through it, on meshes with few and with many masters. */
static void jobs_with_masters(struct unit *unit)
{
    for (uint32_t n = 0; n < 120; ++n) {
        struct job job = farm(1 + n * n * 3);

        job.masters = true;
        job.size =
            (struct torus_size){(uint16_t)(2 + n % 7), (uint16_t)(1 + n % 11)};
        job.originator = (struct torus_coord){0, 0};
        job.rounds = n % 5 == 0 ? WIRE_BEST : (uint8_t)(n % 9 + 1);
        job.before_bytes = n % 3 * 7;
        job.after_bytes = n / 3 % 3 * 5;
        job.first_unit = n % 2 * 11;
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

/* ---- a master ---- */

#define GROUP 2u /* its workers */

/* Nobody waits for ever: polls come to nothing until the node waits for a
   message of any kind, or for a demand without an end. */
static void pass(void)
{
    while (is_waiting()) {
        if (window->request.op == WINDOW_OP_DRAIN) {
            drain();
        } else if (window->request.op == WINDOW_OP_RECEIVE_UNTIL &&
                   window->request.deadline_ps != UINT64_MAX) {
            answer(ERR_TIMEOUT, 0);
        } else {
            return;
        }
    }
}

/* Of the node at 1, 0 with two workers, to the north and to the east. */
static void tell_group(void)
{
    static const struct torus_path path[] = {
        {TORUS_EAST, TORUS_STRAIGHT, 1, 0},
        {TORUS_NORTH, TORUS_STRAIGHT, 1, 0},
        {TORUS_EAST, TORUS_STRAIGHT, 1, 0}};
    struct wire_announce announce = {.unit_bytes = 1,
                                     .arg_bytes = ECHO_ARG_BYTES};
    uint8_t data[(GROUP + 1) * TREE_BRANCH_BYTES + WIRE_ANNOUNCE_BYTES +
                 ECHO_ARG_BYTES];
    uint8_t *at = data;

    memset(data, 0, sizeof data);
    for (unsigned i = 0; i <= GROUP; ++i, at += TREE_BRANCH_BYTES) {
        bytes_store_u32(at, tree_direct_pack(path[i]) |
                                (i > 0 ? TREE_IN_GROUP : 0));
        bytes_store_u16(at + 8, i > 0 ? 1 : GROUP + 1);
        at[10] = path[i].port;
        at[11] = i > 0 ? 2 : 1;
        bytes_store_u16(at + 12, path[i].hops);
    }
    wire_announce_store(at, &announce);
    put_arg(at + WIRE_ANNOUNCE_BYTES);
    tell(WIRE_ANNOUNCE, JOB, data, sizeof data);
}

/* A chunk for the master, number 3 of the originator's workers; the first one
   with such a job. */
static void tell_master(const struct wire_chunk *chunk,
                        const struct wire_farm_terms *terms)
{
    struct wire_job job = {
        .phases = 1, .rounds = 1, .flags = WIRE_FLAGS(0u, WIRE_FARM)};
    uint8_t data[256];
    uint32_t bytes = WIRE_CHUNK_BYTES;

    wire_chunk_store(data, chunk);
    if (terms != NULL) {
        wire_job_store(data + bytes, &job, NULL);
        wire_job_store_farm(data + bytes, terms);
        bytes += wire_job_bytes(&job);
    }
    for (uint32_t i = 0; i < chunk->units; ++i) {
        data[bytes++] = echo_load(chunk->first_unit + i);
    }
    tell(WIRE_CHUNK, JOB, data, bytes);
    pass();
}

static void tell_as_worker(const struct wire_demand *demand)
{
    uint8_t data[WIRE_DEMAND_BYTES];

    wire_demand_store(data, demand);
    tell(WIRE_DEMAND, JOB, data, sizeof data);
    pass();
}

static void tell_result(uint64_t units)
{
    uint8_t data[8];

    bytes_store_u64(data, units);
    tell(WIRE_RESULT_OF(1), JOB, data, sizeof data);
}

/* Units that it has sent to both workers. */
static uint32_t units_given(void)
{
    uint32_t units = 0;

    for (uint32_t i = 0; i < window->queued; ++i) {
        const struct window_send *send = &window->entry[i].send;
        struct wire_chunk chunk = {.units = 0};

        if (send->kind == WIRE_CHUNK &&
            wire_chunk_load(&chunk, (const uint8_t *)window + send->head.offset,
                            send->head.bytes) != ERR_OK) {
            exit(2);
        }
        units += chunk.units;
    }
    return units;
}

static const struct wire_farm_terms good_terms = {32000, 1000, 4};

static void begin_master(void)
{
    begin_node(1, 0);
    tell_group();
    tell_master(&(struct wire_chunk){20, 0, 3, 0}, &good_terms);
}

/* It asks at once, gives its workers chunks, computes what they leave, gets the
   end, passes that on, and counts all units of the chunk. */
static void a_master_serves_and_asks(struct unit *unit)
{
    uint32_t given;

    begin_master();
    CHECK_EQUAL(unit, demands(), 1);
    CHECK_EQUAL(unit, last_demand().worker, 3);
    CHECK_EQUAL(unit, last_demand().number, 1);
    given = units_given();
    CHECK_EQUAL(unit, given > 0 && given < 20, true);
    tell_master(&(struct wire_chunk){0, 0, 3, 1}, NULL);
    for (uint16_t worker = 0; worker < GROUP; ++worker) {
        tell_as_worker(&(struct wire_demand){worker, 1, 0, 0});
    }
    tell_result(given);
    tell_result(0);
    pass();
    CHECK_EQUAL(unit, demands(), 1);
    CHECK_EQUAL(
        unit,
        bytes_load_u64(
            ((struct scatter_memory *)(void *)((uint8_t *)window +
                                               WINDOW_BYTES -
                                               sizeof(struct scatter_memory)))
                ->result),
        20);
    CHECK_EQUAL(unit, window->node.status.state, NODE_STATE_DONE);
    CHECK_EQUAL(unit, end_node(), ERR_OK);
}

static void demands_to_a_master_that_are_refused(struct unit *unit)
{
    static const struct wire_demand cases[] = {
        {GROUP, 1, 0, 0}, {UINT16_MAX, 1, 0, 0}, {0, 2, 0, 0}, {0, 0, 0, 0}};

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        begin_master();
        tell_as_worker(&cases[i]);
        CHECK_EQUAL(unit, end_node(), ERR_PLACE);
    }
    begin_master(); /* nothing is left, and it asks again */
    tell_as_worker(&(struct wire_demand){0, 1, 0, 0});
    CHECK_EQUAL(unit, is_waiting(), true);
    tell_as_worker(&(struct wire_demand){0, 1, 0, 0});
    CHECK_EQUAL(unit, end_node(), ERR_PLACE);
}

static void chunks_to_a_master_that_are_refused(struct unit *unit)
{
    static const struct wire_chunk cases[] = {
        {10, 20, 4, 1}, {10, 20, 3, 0}, {10, 20, 3, 2}, {10, 20, 0, 1}};
    static const struct wire_farm_terms terms[] = {
        {0, 1000, 4}, {32000, 1000, 0}, {UINT64_MAX, 1000, 4}};

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        begin_master();
        tell_master(&cases[i], NULL);
        CHECK_EQUAL(unit, end_node(), ERR_PLACE);
    }
    for (unsigned i = 0; i < COUNT(terms); ++i) {
        begin_node(1, 0);
        tell_group();
        tell_master(&(struct wire_chunk){20, 0, 3, 0}, &terms[i]);
        CHECK_EQUAL(unit, end_node(), ERR_FIELD);
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

/* Workers 0, 2, .. get theirs from the beginning of the load, the others from
   its end; none is given twice, and none is left out. */
static void chunks_come_from_both_ends(struct unit *unit)
{
    static const struct costs costs = {1000000, 1000, TORUS_PORTS};
    uint32_t begin = 0;
    uint32_t end = 200;
    unsigned workers = 0;

    begin_node(0, 0);
    tell_order(end, 0, &costs);
    for (uint32_t i = 0; i < window->queued && i < WINDOW_QUEUE; ++i) {
        const struct window_send *send = &window->entry[i].send;
        const uint8_t *head = (const uint8_t *)window + send->head.offset;
        struct wire_chunk chunk;

        if (send->kind != WIRE_CHUNK) {
            continue;
        }
        CHECK_EQUAL(unit, wire_chunk_load(&chunk, head, WIRE_CHUNK_BYTES),
                    ERR_OK);
        CHECK_EQUAL(unit, chunk.worker, workers);
        CHECK(unit, chunk.units > 0);
        if (workers % 2 == 0) {
            CHECK_EQUAL(unit, chunk.first_unit, begin);
            begin += chunk.units;
        } else {
            end -= chunk.units;
            CHECK_EQUAL(unit, chunk.first_unit, end);
        }
        workers += 1;
    }
    CHECK_EQUAL(unit, workers, NODES - 1);
    CHECK(unit, begin <= end);
    (void)end_node();
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
    UNIT_RUN(unit, jobs_with_masters);
    UNIT_RUN(unit, jobs_with_outputs);
    UNIT_RUN(unit, a_worker_asks_until_the_end);
    UNIT_RUN(unit, first_chunks_that_are_refused);
    UNIT_RUN(unit, later_chunks_that_are_refused);
    UNIT_RUN(unit, a_master_serves_and_asks);
    UNIT_RUN(unit, demands_to_a_master_that_are_refused);
    UNIT_RUN(unit, chunks_to_a_master_that_are_refused);
    UNIT_RUN(unit, demands_that_are_refused);
    UNIT_RUN(unit, outputs_of_odd_length_are_refused);
    UNIT_RUN(unit, chunks_come_from_both_ends);
    UNIT_RUN(unit, orders_that_are_refused);
}

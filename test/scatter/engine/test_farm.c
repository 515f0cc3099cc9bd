/* SPDX-License-Identifier: Apache-2.0 */
/* A worker of a farm, a master and an originator, to whom messages are told
   that do not belong there. */
#include "qemu/schedule/registry.h"
#include "scatter/plan/tree.h"
#include "test/scatter/engine/suite.h"

#include <stdlib.h>
#include <string.h>

#define SIDE 3u
#define NODES (SIDE * SIDE)
#define JOB 5u
#define UNITS 200u
#define WORKER 3u /* the number of the worker, or the master, that is told */
#define GROUP 2u  /* workers of the master */

static const struct torus_size size = {SIDE, SIDE};
static struct told told;

static void begin(uint16_t x, bool judged)
{
    memset(&told, 0, sizeof told);
    told.judge.whole = !judged;
    told_begin(&told, WIRE_FARM, size, (struct torus_coord){x, 0});
}

/* Messages of a kind that the node has sent so far; and the last one. */
static uint32_t count_sent(unsigned kind)
{
    uint32_t count = 0;

    for (const struct letter *at = told.sent; at != NULL; at = at->next) {
        count += at->kind == kind;
    }
    return count;
}

static const struct letter *last_sent(unsigned kind)
{
    const struct letter *at = told.sent;

    while (at != NULL && at->kind != kind) {
        at = at->next;
    }
    world_check(at != NULL, "nothing of this kind was sent");
    return at;
}

/* Of a unit that takes so many thousandths of an instruction. */
static void put_arg(uint8_t arg[JUDGE_LONG_ARG_BYTES], uint32_t instructions)
{
    memset(arg, 0, JUDGE_LONG_ARG_BYTES);
    bytes_store_u32(arg + 16, instructions);
}

/* Of the node at 1, 0 with so many workers, to the north and to the east. */
static void tell_announcement(uint16_t job, unsigned workers)
{
    static const struct torus_path path[] = {
        {TORUS_EAST, TORUS_STRAIGHT, 1, 0},
        {TORUS_NORTH, TORUS_STRAIGHT, 1, 0},
        {TORUS_EAST, TORUS_STRAIGHT, 1, 0}};
    struct wire_announce announce = {.unit_bytes = 1,
                                     .arg_bytes = JUDGE_LONG_ARG_BYTES};
    uint8_t data[(GROUP + 1) * TREE_BRANCH_BYTES + WIRE_ANNOUNCE_BYTES +
                 JUDGE_LONG_ARG_BYTES] = {0};
    uint8_t *at = data;

    for (unsigned i = 0; i <= workers; ++i, at += TREE_BRANCH_BYTES) {
        bytes_store_u32(at, tree_direct_pack(path[i]) |
                                (i > 0 ? TREE_IN_GROUP : 0));
        bytes_store_u16(at + 8, (uint16_t)(i > 0 ? 1 : workers + 1));
        at[10] = path[i].port;
        at[11] = i > 0 ? 2 : 1;
        bytes_store_u16(at + 12, path[i].hops);
    }
    wire_announce_store(at, &announce);
    at += WIRE_ANNOUNCE_BYTES;
    put_arg(at, 1000);
    tell(&told, WIRE_ANNOUNCE, job, data,
         (uint32_t)(at - data) + JUDGE_LONG_ARG_BYTES);
}

/* A chunk, and what is wrong with its message. */
struct chunk {
    struct wire_chunk head;
    bool first; /* with a job */
    bool of_tree;
    uint16_t job;
    uint32_t less_bytes;
    const struct wire_farm_terms *terms; /* of the job, or NULL */
};

static void tell_chunk(const struct chunk *chunk)
{
    unsigned policy = chunk->of_tree ? WIRE_TREE : WIRE_FARM;
    struct wire_job job = {
        .phases = 1, .rounds = 1, .flags = WIRE_FLAGS(0u, policy)};
    uint8_t data[256] = {0};
    uint32_t bytes = WIRE_CHUNK_BYTES;

    wire_chunk_store(data, &chunk->head);
    if (chunk->first) {
        wire_job_store(data + bytes, &job, NULL);
        if (chunk->terms != NULL) {
            wire_job_store_farm(data + bytes, chunk->terms);
        }
        bytes += wire_job_bytes(&job);
    }
    bytes += chunk->head.units < 20 ? chunk->head.units : 20;
    tell(&told, WIRE_CHUNK, chunk->job != 0 ? chunk->job : JOB, data,
         bytes - chunk->less_bytes);
}

static void tell_demand(const struct wire_demand *demand, uint32_t bytes)
{
    uint8_t data[WIRE_DEMAND_BYTES + 16] = {0};

    wire_demand_store(data, demand);
    tell(&told, WIRE_DEMAND, JOB, data, bytes);
}

/* ---- a worker ---- */

static const struct chunk first_chunk = {.head = {10, 0, WORKER, 0},
                                         .first = true};
static const struct chunk second_chunk = {.head = {10, 10, WORKER, 1}};
static const struct chunk last_chunk = {.head = {0, 0, WORKER, 2}};

/* It asks for this chunk, when it has computed so many units, each of one
   instruction. */
static void check_demand(struct unit *unit, uint16_t number, uint32_t units)
{
    const struct letter *letter = last_sent(WIRE_DEMAND);
    struct wire_demand demand;

    CHECK_EQUAL(unit, wire_demand_load(&demand, letter->data, letter->bytes),
                ERR_OK);
    CHECK_EQUAL(unit, count_sent(WIRE_DEMAND), number);
    CHECK_EQUAL(unit, demand.worker, WORKER);
    CHECK_EQUAL(unit, demand.number, number);
    CHECK_EQUAL(unit, demand.units, units);
    CHECK_EQUAL(unit, demand.compute_ps, 32000u * units);
}

/* The first chunk goes straight: it may come before the announcement. */
static void a_worker_asks_until_the_end(struct unit *unit)
{
    for (unsigned early = 0; early < 2; ++early) {
        begin(1, true);
        if (early == 0) {
            tell_announcement(JOB, 0);
        }
        tell_chunk(&first_chunk);
        if (early == 1) {
            CHECK_EQUAL(unit, count_sent(WIRE_DEMAND), 0);
            tell_announcement(JOB, 0);
        }
        check_demand(unit, 1, 0);
        tell_chunk(&second_chunk);
        check_demand(unit, 2, 10);
        tell_chunk(&last_chunk);
        CHECK_EQUAL(unit, count_sent(WIRE_DEMAND), 2);
        CHECK(unit, told.node->ended);
        CHECK_EQUAL(unit, told_end(&told), ERR_OK);
    }
}

static void chunks_that_a_worker_refuses(struct unit *unit)
{
    static const struct {
        struct chunk chunk;
        int error;
    } cases[] = {
        {{.head = {0, 0, 3, 0}, .first = true}, ERR_PLAN},
        {{.head = {10, 0, 3, 1}, .first = true}, ERR_PLACE},
        {{.head = {10, 0, 3, 0}}, ERR_LENGTH}, /* no job */
        {{.head = {10, 0, 3, 0}, .first = true, .less_bytes = 1}, ERR_LENGTH},
        {{.head = {10, 0, 3, 0}, .first = true, .less_bytes = 47}, ERR_LENGTH},
        {{.head = {10, 0, 3, 0}, .first = true, .of_tree = true}, ERR_FIELD},
        {{.head = {10, 0, 3, 0}, .first = true, .job = JOB + 1}, ERR_FIELD},
        {{.head = {10, UINT32_MAX - 8, 3, 0}, .first = true}, ERR_PLAN},
        {{.head = {21, 0, 3, 0}, .first = true}, ERR_LENGTH},
        /* Behind a first one: */
        {{.head = {10, 10, 4, 1}}, ERR_PLACE},
        {{.head = {10, 10, 3, 0}}, ERR_PLACE},
        {{.head = {10, 10, 3, 2}}, ERR_PLACE},
        {{.head = {10, 10, 3, 1}, .less_bytes = 1}, ERR_LENGTH},
        {{.head = {10, 10, 3, 1}, .less_bytes = 11}, ERR_LENGTH},
        {{.head = {9, UINT32_MAX - 7, 3, 1}}, ERR_PLAN}};

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        begin(1, true);
        tell_announcement(JOB, 0);
        if (i > 8) {
            tell_chunk(&first_chunk);
        }
        tell_chunk(&cases[i].chunk);
        CHECK_EQUAL(unit, told_end(&told), cases[i].error);
    }
}

/* ---- a master ---- */

static void begin_master(const struct wire_farm_terms *terms)
{
    begin(1, false);
    tell_announcement(JOB, GROUP);
    tell_chunk(&(struct chunk){
        .head = {20, 0, WORKER, 0}, .first = true, .terms = terms});
}

static const struct wire_farm_terms good_terms = {32000, 1000, 4};

/* It asks at once, gives its workers chunks, computes what they leave, gets the
   end, passes that on, and counts all units of the chunk. */
static void a_master_serves_and_asks(struct unit *unit)
{
    uint8_t units[8] = {0};
    uint32_t given = 0;

    begin_master(&good_terms);
    CHECK_EQUAL(unit, count_sent(WIRE_DEMAND), 1);
    CHECK_EQUAL(unit, bytes_load_u16(last_sent(WIRE_DEMAND)->data), WORKER);
    CHECK_EQUAL(unit, bytes_load_u16(last_sent(WIRE_DEMAND)->data + 2), 1);
    for (const struct letter *at = told.sent; at != NULL; at = at->next) {
        given += at->kind == WIRE_CHUNK ? bytes_load_u32(at->data) : 0;
    }
    CHECK(unit, given > 0 && given < 20);
    tell_chunk(&(struct chunk){.head = {0, 0, WORKER, 1}});
    for (uint16_t worker = 0; worker < GROUP; ++worker) {
        tell_demand(&(struct wire_demand){worker, 1, 0, 0}, WIRE_DEMAND_BYTES);
    }
    bytes_store_u32(units, given);
    tell(&told, WIRE_RESULT_OF(1), JOB, units, sizeof units);
    tell(&told, WIRE_RESULT_OF(1), JOB, (const uint8_t[8]){0}, sizeof units);
    CHECK_EQUAL(unit, count_sent(WIRE_DEMAND), 1);
    CHECK_EQUAL(unit, kernel_load_u64(told.node->scatter.memory->result), 20);
    CHECK(unit, told.node->ended);
    CHECK_EQUAL(unit, told_end(&told), ERR_OK);
}

static void what_a_master_refuses(struct unit *unit)
{
    static const struct wire_demand demands[] = {
        {GROUP, 1, 0, 0}, {UINT16_MAX, 1, 0, 0}, {0, 2, 0, 0}, {0, 0, 0, 0}};
    static const struct chunk chunks[] = {{.head = {10, 20, 4, 1}},
                                          {.head = {10, 20, 3, 0}},
                                          {.head = {10, 20, 3, 2}},
                                          {.head = {10, 20, 0, 1}}};
    static const struct wire_farm_terms terms[] = {
        {0, 1000, 4}, {32000, 1000, 0}, {UINT64_MAX, 1000, 4}};

    for (unsigned i = 0; i < COUNT(demands); ++i) {
        begin_master(&good_terms);
        tell_demand(&demands[i], WIRE_DEMAND_BYTES);
        CHECK_EQUAL(unit, told_end(&told), ERR_PLACE);
        begin_master(&good_terms);
        tell_chunk(&chunks[i]);
        CHECK_EQUAL(unit, told_end(&told), ERR_PLACE);
    }
    for (unsigned i = 0; i < COUNT(terms); ++i) {
        begin_master(&terms[i]);
        CHECK_EQUAL(unit, told_end(&told), ERR_FIELD);
    }
    begin_master(&good_terms); /* nothing is left, and it asks again */
    tell_demand(&(struct wire_demand){0, 1, 0, 0}, WIRE_DEMAND_BYTES);
    CHECK(unit, !told.node->ended);
    tell_demand(&(struct wire_demand){0, 1, 0, 0}, WIRE_DEMAND_BYTES);
    CHECK_EQUAL(unit, told_end(&told), ERR_PLACE);
}

/* ---- the originator ---- */

/* Of circuits. */
struct costs {
    uint64_t startup_ps;
    uint64_t transfer_ps;
    uint8_t ports;
};

static const struct costs good_costs = {1000000, 1000, TORUS_PORTS};

/* An order to SIDE x SIDE nodes, whose kernel takes long. */
static void begin_originator(uint16_t numerator, const struct costs *costs)
{
    uint8_t *tree =
        schedule_tree(SCHEDULE_FARM, size, (struct torus_coord){0, 0}, NULL);
    uint8_t arg[JUDGE_LONG_ARG_BYTES];
    struct wire_order order = {.kernel = "judge",
                               .startup_ps = costs->startup_ps,
                               .transfer_ps = costs->transfer_ps,
                               .load_units = UNITS,
                               .phases = WIRE_BEST,
                               .rounds = WIRE_BEST,
                               .ports = costs->ports,
                               .policy = WIRE_FARM,
                               .tree_nodes = NODES,
                               .unit_bytes = 1,
                               .arg_bytes = JUDGE_LONG_ARG_BYTES,
                               .arg = arg,
                               .tree = tree};
    struct letter *letter;

    begin(0, false);
    put_arg(arg, 1000000000);
    bytes_store_u16(arg + 8, numerator);
    bytes_store_u16(arg + 10, numerator);
    letter = judge_order(&order, JOB);
    judge_ordered(&told.judge, letter, &order);
    world_put(told.node, letter);
    world_run();
    free(tree);
}

static void demands_that_are_refused(struct unit *unit)
{
    static const struct {
        struct wire_demand demand;
        uint32_t bytes;
        uint16_t numerator; /* of an output */
        int error;
    } cases[] = {
        {{1, 1, 0, 0}, WIRE_DEMAND_BYTES, 0, ERR_OK},
        {{NODES - 1, 1, 0, 0}, WIRE_DEMAND_BYTES, 0, ERR_PLACE},
        {{UINT16_MAX, 1, 0, 0}, WIRE_DEMAND_BYTES, 0, ERR_PLACE},
        {{0, 1, 0, 0}, WIRE_DEMAND_BYTES, 0, ERR_PLACE}, /* again */
        {{0, 3, 0, 0}, WIRE_DEMAND_BYTES, 0, ERR_PLACE},
        {{1, 2, 0, 0}, WIRE_DEMAND_BYTES, 0, ERR_PLACE},
        {{1, 0, 0, 0}, WIRE_DEMAND_BYTES, 0, ERR_PLACE},
        {{1, 1, 0, 0}, WIRE_DEMAND_BYTES - 1, 0, ERR_LENGTH},
        {{1, 1, 0, 0}, 0, 0, ERR_LENGTH},
        {{1, 1, 0, 0}, WIRE_DEMAND_BYTES + 4, 0, ERR_BUFFER}, /* no output */
        {{1, 1, 0, 0}, WIRE_DEMAND_BYTES + 3, 1, ERR_LENGTH}};

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        begin_originator(cases[i].numerator, &good_costs);
        tell_demand(&(struct wire_demand){0, 1, 0, 0}, WIRE_DEMAND_BYTES);
        tell_demand(&cases[i].demand, cases[i].bytes);
        CHECK_EQUAL(unit, told_end(&told), cases[i].error);
    }
}

/* Workers 0, 2, .. get theirs from the beginning of the load, the others from
   its end; none is given twice, and none is left out. */
static void chunks_come_from_both_ends(struct unit *unit)
{
    const struct letter *given[NODES - 1] = {NULL};
    uint32_t from = 0;
    uint32_t end = UNITS;

    begin_originator(0, &good_costs);
    CHECK_EQUAL(unit, count_sent(WIRE_CHUNK), NODES - 1);
    for (const struct letter *at = told.sent; at != NULL; at = at->next) {
        if (at->kind == WIRE_CHUNK) {
            given[bytes_load_u16(at->data + 8) % (NODES - 1)] = at;
        }
    }
    for (unsigned worker = 0; worker < NODES - 1; ++worker) {
        struct wire_chunk chunk = {.units = 0};

        CHECK(unit, given[worker] != NULL &&
                        wire_chunk_load(&chunk, given[worker]->data,
                                        WIRE_CHUNK_BYTES) == ERR_OK);
        CHECK_EQUAL(unit, chunk.worker, worker);
        CHECK(unit, chunk.units > 0);
        end -= worker % 2 == 0 ? 0 : chunk.units;
        CHECK_EQUAL(unit, chunk.first_unit, worker % 2 == 0 ? from : end);
        from += worker % 2 == 0 ? chunk.units : 0;
    }
    CHECK(unit, from <= end);
    (void)told_end(&told);
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
        begin_originator(0, &cases[i].costs);
        CHECK_EQUAL(unit, told.node->ended, cases[i].error != ERR_OK);
        CHECK_EQUAL(unit, told_end(&told), cases[i].error);
    }
}

void test_farm(struct unit *unit)
{
    UNIT_RUN(unit, a_worker_asks_until_the_end);
    UNIT_RUN(unit, chunks_that_a_worker_refuses);
    UNIT_RUN(unit, a_master_serves_and_asks);
    UNIT_RUN(unit, what_a_master_refuses);
    UNIT_RUN(unit, demands_that_are_refused);
    UNIT_RUN(unit, chunks_come_from_both_ends);
    UNIT_RUN(unit, orders_that_are_refused);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A master of a farm and an originator, to whom messages are told that do not
   belong there; test_messages.c has workers. */
#include "scatter/plan/tree.h"
#include "test/scatter/engine/suite.h"
#include "test/world/whole.h"

#include <stdlib.h>
#include <string.h>

#define SIDE 3u
#define NODES (SIDE * SIDE)
#define JOB 5u
#define UNITS 200u
#define MASTER 3u /* the number of the master that is told */
#define GROUP 2u  /* its workers */

static const struct torus_size size = {SIDE, SIDE};
static struct told told;

static void begin(uint16_t x)
{
    memset(&told, 0, sizeof told);
    told.judge.whole = true; /* its messages are none of a job that is judged */
    told_begin(&told, WIRE_FARM, size, (struct torus_coord){x, 0});
}

/* Of a unit that takes so many thousandths of an instruction. */
static void put_arg(uint8_t arg[JUDGE_LONG_ARG_BYTES], uint32_t instructions)
{
    memset(arg, 0, JUDGE_LONG_ARG_BYTES);
    bytes_store_u32(arg + 16, instructions);
}

/* Of the node at 1, 0 with its workers, to the north, reached in so many hops,
   and to the east. */
static void tell_announcement(uint16_t hops)
{
    static const struct torus_path path[GROUP + 1] = {
        {TORUS_EAST, TORUS_STRAIGHT, 1, 0},
        {TORUS_NORTH, TORUS_STRAIGHT, 1, 0},
        {TORUS_EAST, TORUS_STRAIGHT, 1, 0}};
    struct wire_announce announce = {.unit_bytes = 1,
                                     .arg_bytes = JUDGE_LONG_ARG_BYTES};
    uint8_t data[(GROUP + 1) * TREE_BRANCH_BYTES + WIRE_ANNOUNCE_BYTES +
                 JUDGE_LONG_ARG_BYTES] = {0};
    uint8_t *at = data;

    for (unsigned i = 0; i <= GROUP; ++i, at += TREE_BRANCH_BYTES) {
        struct torus_path direct = path[i];

        direct.hops = i == 1 ? hops : 1;
        bytes_store_u32(at,
                        tree_direct_pack(direct) | (i > 0 ? TREE_IN_GROUP : 0));
        bytes_store_u16(at + 8, i > 0 ? 1 : GROUP + 1);
        at[10] = path[i].port;
        at[11] = i > 0 ? 2 : 1;
        bytes_store_u16(at + 12, path[i].hops);
    }
    memcpy(at, &announce, WIRE_ANNOUNCE_BYTES);
    put_arg(at + WIRE_ANNOUNCE_BYTES, 1000);
    tell(&told, WIRE_ANNOUNCE, JOB, data, sizeof data);
}

/* With the job if there are terms, as the first chunk. */
static void tell_chunk(const struct wire_chunk *chunk,
                       const struct wire_farm_terms *terms)
{
    struct wire_job job = {
        .phases = 1, .rounds = 1, .flags = WIRE_FLAGS(0u, WIRE_FARM)};
    uint8_t data[256] = {0};
    uint32_t bytes = WIRE_CHUNK_BYTES;

    memcpy(data, chunk, sizeof *chunk);
    if (terms != NULL) {
        wire_job_store(data + bytes, &job, NULL);
        wire_job_store_farm(data + bytes, terms);
        bytes += wire_job_bytes(&job);
    }
    tell(&told, WIRE_CHUNK, JOB, data, bytes + chunk->units);
}

static void tell_demand(const struct wire_demand *demand, uint32_t bytes)
{
    uint8_t data[WIRE_DEMAND_BYTES + 16] = {0};

    memcpy(data, demand, sizeof *demand);
    tell(&told, WIRE_DEMAND, JOB, data, bytes);
}

/* ---- a master ---- */

static void begin_master(const struct wire_farm_terms *terms, uint16_t hops)
{
    begin(1);
    tell_announcement(hops);
    tell_chunk(&(struct wire_chunk){20, 0, MASTER, 0}, terms);
}

static const struct wire_farm_terms good_terms = {32000, 1000, 4, 0};

static void what_a_master_refuses(struct unit *unit)
{
    static const struct wire_demand demands[] = {
        {GROUP, 1, 0, 0}, {UINT16_MAX, 1, 0, 0}, {0, 2, 0, 0}, {0, 0, 0, 0}};
    static const struct wire_chunk chunks[] = {
        {10, 20, 4, 1}, {10, 20, 3, 0}, {10, 20, 3, 2}, {10, 20, 0, 1}};
    static const struct wire_farm_terms terms[] = {
        {0, 1000, 4, 0}, {32000, 1000, 0, 0}, {UINT64_MAX, 1000, 4, 0}};

    for (unsigned i = 0; i < COUNT(demands); ++i) {
        begin_master(&good_terms, 1);
        tell_demand(&demands[i], WIRE_DEMAND_BYTES);
        CHECK_EQUAL(unit, told_end(&told), ERR_PLACE);
        begin_master(&good_terms, 1);
        tell_chunk(&chunks[i], NULL);
        CHECK_EQUAL(unit, told_end(&told), ERR_PLACE);
    }
    for (unsigned i = 0; i < COUNT(terms); ++i) {
        begin_master(&terms[i], 1);
        CHECK_EQUAL(unit, told_end(&told), ERR_FIELD);
    }
    begin_master(&good_terms, SIDE + 1); /* no way to a worker */
    CHECK_EQUAL(unit, told_end(&told), ERR_PLAN);
    begin_master(&good_terms, 1); /* nothing is left, and it asks again */
    tell_demand(&(struct wire_demand){0, 1, 0, 0}, WIRE_DEMAND_BYTES);
    CHECK(unit, !told.node->ended);
    tell_demand(&(struct wire_demand){0, 1, 0, 0}, WIRE_DEMAND_BYTES);
    CHECK_EQUAL(unit, told_end(&told), ERR_PLACE);
}

/* ---- the originator ---- */

/* An order to SIDE x SIDE nodes, whose kernel takes long. */
static void begin_originator(uint16_t numerator)
{
    uint8_t arg[JUDGE_LONG_ARG_BYTES];
    struct wire_order order = whole_order(WIRE_FARM, size, UNITS, arg);
    struct letter *letter;

    begin(0);
    put_arg(arg, 1000000000);
    bytes_store_u16(arg + 8, numerator);
    bytes_store_u16(arg + 10, numerator);
    order.compute_ps = 0; /* the kernel's own estimate */
    order.startup_ps = 1000000;
    letter = judge_order(&order, JOB);
    judge_ordered(&told.judge, letter, &order);
    world_put(told.node, letter);
    world_run();
    free((void *)(uintptr_t)order.tree);
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
        begin_originator(cases[i].numerator);
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

    begin_originator(0);
    for (const struct letter *at = told.sent; at != NULL; at = at->next) {
        if (at->kind == WIRE_CHUNK) {
            given[bytes_load_u16(at->data + 8) % (NODES - 1)] = at;
        }
    }
    for (unsigned worker = 0; worker < NODES - 1; ++worker) {
        struct wire_chunk chunk = {.units = 0};

        CHECK(unit, given[worker] != NULL &&
                        wire_load(&chunk, sizeof chunk, given[worker]->data,
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

void test_farm(struct unit *unit)
{
    UNIT_RUN(unit, what_a_master_refuses);
    UNIT_RUN(unit, demands_that_are_refused);
    UNIT_RUN(unit, chunks_come_from_both_ends);
}

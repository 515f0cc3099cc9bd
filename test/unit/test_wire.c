/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/wire.h"
#include "test/unit/unit.h"

#include <string.h>

#define ROOM 1024u

/*
 * A message cut to `bytes`, at the very end of its array: reading beyond it is
 * an error that the host's sanitizer reports. Odd lengths put it at odd
 * addresses.
 */
static const uint8_t *cut(const uint8_t *message, uint32_t bytes)
{
    static uint8_t room[ROOM];

    memcpy(room + ROOM - bytes, message, bytes);
    return room + ROOM - bytes;
}

static const uint8_t argument[KERNEL_ARG_MAX + 1] = {'n', 0xff, 0, 'r', 7};

static struct wire_order order_of(uint16_t arg_bytes, uint32_t load_bytes)
{
    return (struct wire_order){.kernel = "search",
                               .startup_ps = 0x0123456789abcdef,
                               .transfer_ps = UINT64_MAX,
                               .hop_delay_ps = 1,
                               .load_bytes = load_bytes,
                               .phases = WIRE_BEST,
                               .unit_bytes = 1,
                               .arg_bytes = arg_bytes,
                               .arg = argument,
                               .tree = argument};
}

static void order_round_trip(struct unit *unit)
{
    static uint8_t message[ROOM];

    for (uint16_t arg_bytes = 0; arg_bytes <= KERNEL_ARG_MAX; ++arg_bytes) {
        struct wire_order order = order_of(arg_bytes, 9);
        uint32_t head = wire_order_head_bytes(&order);
        struct wire_order back;

        CHECK_EQUAL(unit, head, WIRE_ORDER_BYTES + (arg_bytes + 3u) / 4 * 4);
        memset(message, 0xa5, sizeof message);
        wire_order_store(message, &order);
        CHECK_EQUAL(unit, message[head], 0xa5);
        memcpy(message + head, "load here", 9);
        CHECK_EQUAL(unit, wire_order_load(&back, message, head + 9), ERR_OK);
        CHECK_EQUAL(unit, strcmp(back.kernel, "search"), 0);
        CHECK(unit, back.startup_ps == order.startup_ps);
        CHECK(unit, back.transfer_ps == order.transfer_ps);
        CHECK(unit, back.hop_delay_ps == order.hop_delay_ps);
        CHECK_EQUAL(unit, back.load_bytes, 9);
        CHECK_EQUAL(unit, back.phases, WIRE_BEST);
        CHECK_EQUAL(unit, back.arg_bytes, arg_bytes);
        CHECK_EQUAL(unit, memcmp(back.arg, argument, arg_bytes), 0);
        CHECK_EQUAL(unit, memcmp(back.load, "load here", 9), 0);
    }
}

static void order_layout_is_the_documented_one(struct unit *unit)
{
    uint8_t message[WIRE_ORDER_BYTES + 4];
    struct wire_order order = order_of(3, 0x04030201);

    wire_order_store(message, &order);
    CHECK_EQUAL(unit, memcmp(message, "search\0\0\0\0\0\0\0\0\0\0", 16), 0);
    CHECK_EQUAL(unit, message[16], 0xef);
    CHECK_EQUAL(unit, message[23], 0x01);
    CHECK_EQUAL(unit, message[24], 0xff);
    CHECK_EQUAL(unit, message[32], 1);
    CHECK_EQUAL(unit, message[40], 1);
    CHECK_EQUAL(unit, message[43], 4);
    CHECK_EQUAL(unit, message[44], 0xff);
    CHECK_EQUAL(unit, message[45], 0);
    CHECK_EQUAL(unit, message[46], 3);
    CHECK_EQUAL(unit, bytes_load_u32(message + 48), 0);
    CHECK_EQUAL(unit, bytes_load_u16(message + 52), 0);
    CHECK_EQUAL(unit, bytes_load_u16(message + 54), 1);
    CHECK_EQUAL(unit, message[56], 'n');
    CHECK_EQUAL(unit, message[59], 0);
}

static void order_of_any_other_length_is_refused(struct unit *unit)
{
    static uint8_t message[ROOM];

    for (uint16_t arg_bytes = 0; arg_bytes <= 9; ++arg_bytes) {
        struct wire_order order = order_of(arg_bytes, 5);
        uint32_t whole = wire_order_head_bytes(&order) + 5;
        struct wire_order back;

        wire_order_store(message, &order);
        for (uint32_t bytes = 0; bytes <= whole + 9; ++bytes) {
            CHECK_EQUAL(unit,
                        wire_order_load(&back, cut(message, bytes), bytes),
                        bytes == whole ? ERR_OK : ERR_PROTOCOL);
        }
    }
}

static void damaged_orders_are_refused(struct unit *unit)
{
    static uint8_t message[ROOM];
    struct wire_order order = order_of(4, 0);
    struct wire_order back;

    wire_order_store(message, &order);
    message[WIRE_NAME_BYTES - 1] = 'x';
    CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES + 4),
                ERR_PROTOCOL);
    /* An argument longer than any kernel's, though the length fits. */
    wire_order_store(message, &order);
    bytes_store_u16(message + 46, KERNEL_ARG_MAX + 1);
    CHECK_EQUAL(
        unit,
        wire_order_load(&back, message, WIRE_ORDER_BYTES + KERNEL_ARG_MAX + 1),
        ERR_PROTOCOL);
    bytes_store_u16(message + 46, UINT16_MAX);
    CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES + 4),
                ERR_PROTOCOL);
    wire_order_store(message, &order);
    bytes_store_u32(message + 40, UINT32_MAX);
    CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES + 4),
                ERR_PROTOCOL);
}

/* Anything: what is in a tree is looked at by tree_valid(). */
static void fill_tree(uint8_t tree[], uint32_t nodes)
{
    for (uint32_t i = 0; i < TREE_BRANCH_BYTES * nodes; ++i) {
        tree[i] = (uint8_t)(7 * i + 1);
    }
}

static void order_with_a_tree_round_trip(struct unit *unit)
{
    static _Alignas(4) uint8_t message[ROOM];
    static uint8_t tree[TREE_BRANCH_BYTES * 25];

    fill_tree(tree, 25);
    for (uint32_t nodes = 0; nodes <= 25; nodes += 5) {
        struct wire_order order = order_of((uint16_t)(nodes % 4), 9);
        uint32_t head =
            WIRE_ORDER_BYTES + (nodes % 4 + 3u) / 4 * 4 + 16 * nodes;
        struct wire_order back;

        order.tree_nodes = nodes;
        order.tree = tree;
        order.ports = 2;
        order.flags = WIRE_STORE_AND_FORWARD | WIRE_EQUAL_SHARES;
        CHECK_EQUAL(unit, wire_order_head_bytes(&order), head);
        memset(message, 0xa5, sizeof message);
        wire_order_store(message, &order);
        CHECK_EQUAL(unit, message[48], nodes);
        CHECK_EQUAL(unit, message[52], 2);
        CHECK_EQUAL(unit, message[53], 3);
        CHECK_EQUAL(unit, message[head], 0xa5);
        for (uint32_t bytes = 0; bytes <= head + 18; ++bytes) {
            CHECK_EQUAL(unit,
                        wire_order_load(&back, cut(message, bytes), bytes),
                        bytes == head + 9 ? ERR_OK : ERR_PROTOCOL);
        }
        CHECK_EQUAL(unit, wire_order_load(&back, message, head + 9), ERR_OK);
        CHECK_EQUAL(unit, back.tree_nodes, nodes);
        CHECK_EQUAL(unit, back.ports, 2);
        CHECK_EQUAL(unit, back.flags, order.flags);
        CHECK_EQUAL(unit, (back.tree - message) % 4, 0);
        CHECK_EQUAL(unit, memcmp(back.arg, argument, back.arg_bytes), 0);
        CHECK_EQUAL(unit, memcmp(back.tree, tree, 16 * nodes), 0);
        CHECK_EQUAL(unit, back.load - message, head);
    }
}

/* Sizes that would wrap around 32 bits, too. */
static void orders_with_too_large_trees_are_refused(struct unit *unit)
{
    static const uint32_t sizes[] = {
        1,          TREE_NODES_MAX, TREE_NODES_MAX + 1,
        0x10000000, 0x10000001,     UINT32_MAX};
    static uint8_t message[ROOM];
    struct wire_order order = order_of(4, 0);
    struct wire_order back;

    wire_order_store(message, &order);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        bytes_store_u32(message + 48, sizes[i]);
        CHECK_EQUAL(unit,
                    wire_order_load(&back, cut(message, WIRE_ORDER_BYTES + 4),
                                    WIRE_ORDER_BYTES + 4),
                    ERR_PROTOCOL);
    }
}

static void fill_tables(uint32_t shares[], uint32_t volumes[])
{
    for (uint32_t i = 0; i <= TORUS_PHASES_MAX; ++i) {
        shares[i] = 0x80000000u + i;
        volumes[i] = 0xfffffff0u - 17 * i;
    }
}

static struct wire_job job_of(uint8_t phases, uint8_t arg_bytes)
{
    return (struct wire_job){.kernel = 250,
                             .phases = phases,
                             .arg_bytes = arg_bytes,
                             .rounds = ROUNDS_MAX,
                             .slot_us = 0xdeadbeef,
                             .slack_ns = 0x01020304,
                             .overlap_bytes = 0xa0b0,
                             .unit_bytes = 0xc0d0,
                             .gather_ps = 0xfedcba9876543210,
                             .arg = argument};
}

static void job_round_trip(struct unit *unit)
{
    static _Alignas(4) uint8_t message[WIRE_JOB_BYTES_MAX + 1];
    static const uint8_t lengths[] = {0, 1, 2, 3, 4, 5, 254, 255};
    uint32_t shares[TORUS_PHASES_MAX + 1];
    uint32_t volumes[TORUS_PHASES_MAX + 1];

    fill_tables(shares, volumes);
    for (unsigned n = 0; n < 8u * TORUS_PHASES_MAX; ++n) {
        uint8_t phases = (uint8_t)(1 + n / 8);
        struct wire_job job = job_of(phases, lengths[n % 8]);
        uint32_t bytes = wire_job_bytes(phases, lengths[n % 8], false);

        CHECK(unit, bytes <= WIRE_JOB_BYTES_MAX);
        memset(message, 0xa5, sizeof message);
        wire_job_store(message, &job, shares, volumes, NULL);
        CHECK_EQUAL(unit, message[bytes], 0xa5);
        for (unsigned layer = 1; layer <= phases; ++layer) {
            struct wire_job back;

            CHECK_EQUAL(unit,
                        wire_job_load(&back, cut(message, bytes), bytes, layer),
                        ERR_OK);
            CHECK_EQUAL(unit, back.kernel, 250);
            CHECK_EQUAL(unit, back.phases, phases);
            CHECK_EQUAL(unit, back.arg_bytes, job.arg_bytes);
            CHECK_EQUAL(unit, back.slot_us, job.slot_us);
            CHECK_EQUAL(unit, back.slack_ns, job.slack_ns);
            CHECK_EQUAL(unit, back.overlap_bytes, job.overlap_bytes);
            CHECK(unit, back.gather_ps == job.gather_ps);
            CHECK_EQUAL(unit, memcmp(back.arg, argument, back.arg_bytes), 0);
            for (unsigned i = 0; i <= phases; ++i) {
                CHECK_EQUAL(unit, wire_job_shares(message)[i], shares[i]);
                CHECK_EQUAL(unit, wire_job_volumes(message)[i], volumes[i]);
            }
        }
        wire_job_store_gather(message, 42);
        CHECK(unit, bytes_load_u64(message + 8) == 42);
        CHECK_EQUAL(unit, bytes_load_u32(message + 16), job.slack_ns);
    }
}

static void job_of_any_other_length_is_refused(struct unit *unit)
{
    static uint8_t message[ROOM];
    uint32_t shares[TORUS_PHASES_MAX + 1];
    uint32_t volumes[TORUS_PHASES_MAX + 1];

    fill_tables(shares, volumes);
    for (uint8_t phases = 1; phases <= TORUS_PHASES_MAX; phases += 3) {
        struct wire_job job = job_of(phases, 6);
        uint32_t whole = wire_job_bytes(phases, 6, false);
        struct wire_job back;

        wire_job_store(message, &job, shares, volumes, NULL);
        for (uint32_t bytes = 0; bytes <= whole + 9; ++bytes) {
            CHECK_EQUAL(unit,
                        wire_job_load(&back, cut(message, bytes), bytes, 1),
                        bytes == whole ? ERR_OK : ERR_PROTOCOL);
        }
    }
}

static void damaged_jobs_are_refused(struct unit *unit)
{
    static uint8_t message[ROOM];
    uint32_t shares[TORUS_PHASES_MAX + 1];
    uint32_t volumes[TORUS_PHASES_MAX + 1];
    struct wire_job job = job_of(4, 4);
    uint32_t bytes = wire_job_bytes(4, 4, false);
    struct wire_job back;

    fill_tables(shares, volumes);
    wire_job_store(message, &job, shares, volumes, NULL);
    CHECK_EQUAL(unit, wire_job_load(&back, message, bytes, 0), ERR_PROTOCOL);
    CHECK_EQUAL(unit, wire_job_load(&back, message, bytes, 5), ERR_PROTOCOL);
    message[1] = TORUS_PHASES_MAX + 1;
    CHECK_EQUAL(unit,
                wire_job_load(&back, message,
                              wire_job_bytes(TORUS_PHASES_MAX + 1, 4, false),
                              1),
                ERR_PROTOCOL);
    message[1] = 255;
    CHECK_EQUAL(unit, wire_job_load(&back, message, bytes, 1), ERR_PROTOCOL);
    message[1] = 4;
    message[3] = 0;
    CHECK_EQUAL(unit, wire_job_load(&back, message, bytes, 1), ERR_PROTOCOL);
    message[3] = ROUNDS_MAX + 1;
    CHECK_EQUAL(unit, wire_job_load(&back, message, bytes, 1), ERR_PROTOCOL);
}

static void tree_job_round_trip(struct unit *unit)
{
    static _Alignas(4) uint8_t message[ROOM];
    static const uint8_t lengths[] = {0, 1, 2, 3, 4, 5, 254, 255};

    for (unsigned n = 0; n < sizeof lengths; ++n) {
        struct wire_job job = job_of(TREE_PHASES_MAX, lengths[n]);
        uint32_t whole = WIRE_JOB_BYTES + (lengths[n] + 3u) / 4 * 4;
        struct wire_job back;

        job.rounds = 0;
        CHECK_EQUAL(unit, wire_tree_job_bytes(lengths[n]), whole);
        memset(message, 0xa5, sizeof message);
        wire_tree_job_store(message, &job);
        CHECK_EQUAL(unit, message[whole], 0xa5);
        /* The tree and the load follow. */
        for (uint32_t bytes = 0; bytes <= whole + 5; ++bytes) {
            CHECK_EQUAL(unit,
                        wire_tree_job_load(&back, cut(message, bytes), bytes),
                        bytes >= whole ? ERR_OK : ERR_PROTOCOL);
        }
        CHECK_EQUAL(unit, back.kernel, 250);
        CHECK_EQUAL(unit, back.phases, TREE_PHASES_MAX);
        CHECK_EQUAL(unit, back.arg_bytes, lengths[n]);
        CHECK_EQUAL(unit, back.rounds, 0);
        CHECK_EQUAL(unit, back.slot_us, job.slot_us);
        CHECK_EQUAL(unit, back.slack_ns, job.slack_ns);
        CHECK_EQUAL(unit, back.overlap_bytes, job.overlap_bytes);
        CHECK(unit, back.gather_ps == job.gather_ps);
        CHECK_EQUAL(unit, memcmp(back.arg, argument, lengths[n]), 0);
    }
}

/* A job of the pattern is none of a tree, and the other way round. */
static void jobs_of_another_kind_are_refused(struct unit *unit)
{
    static uint8_t message[ROOM];
    uint32_t shares[TORUS_PHASES_MAX + 1];
    uint32_t volumes[TORUS_PHASES_MAX + 1];
    struct wire_job job = job_of(2, 4);
    struct wire_job back;

    fill_tables(shares, volumes);
    wire_job_store(message, &job, shares, volumes, NULL);
    CHECK_EQUAL(unit,
                wire_tree_job_load(&back, message, wire_job_bytes(2, 4, false)),
                ERR_PROTOCOL);
    job.rounds = 0;
    wire_tree_job_store(message, &job);
    CHECK_EQUAL(unit, wire_tree_job_load(&back, message, ROOM), ERR_OK);
    CHECK_EQUAL(unit,
                wire_job_load(&back, message, wire_job_bytes(2, 4, false), 1),
                ERR_PROTOCOL);
    message[1] = 0;
    CHECK_EQUAL(unit, wire_tree_job_load(&back, message, ROOM), ERR_PROTOCOL);
}

static void store_part(uint8_t *message, const struct wire_part *part)
{
    wire_part_store(message, part->units, part->first_unit,
                    wire_part_meta(part->layer, part->round, part->job_bytes),
                    part->port);
}

static void part_round_trip(struct unit *unit)
{
    static uint8_t message[ROOM];

    for (unsigned n = 0; n < 4u * TORUS_PHASES_MAX; ++n) {
        struct wire_part part = {.units = 300 + n,
                                 .first_unit = 0xfffffff0u + n % 16,
                                 .layer = (uint8_t)(1 + n / 4),
                                 .port = (uint8_t)(n % 4),
                                 .round = (uint8_t)(n % ROUNDS_MAX),
                                 .job_bytes = (uint16_t)(260 + 4 * n)};
        uint32_t whole = WIRE_PART_BYTES + part.job_bytes + part.units;
        struct wire_part back;

        store_part(message, &part);
        CHECK_EQUAL(unit, wire_part_load(&back, cut(message, whole), whole),
                    ERR_OK);
        CHECK_EQUAL(unit, back.units, part.units);
        CHECK_EQUAL(unit, back.first_unit, part.first_unit);
        CHECK_EQUAL(unit, back.layer, part.layer);
        CHECK_EQUAL(unit, back.port, part.port);
        CHECK_EQUAL(unit, back.round, part.round);
        CHECK_EQUAL(unit, back.job_bytes, part.job_bytes);
        /* What follows the units is overlap. */
        CHECK_EQUAL(unit,
                    wire_part_load(&back, cut(message, whole + 3), whole + 3),
                    ERR_OK);
        /* How many bytes the units have, the job says. */
        for (uint32_t bytes = 0; bytes < whole - part.units; ++bytes) {
            CHECK_EQUAL(unit, wire_part_load(&back, cut(message, bytes), bytes),
                        ERR_PROTOCOL);
        }
    }
}

static void damaged_parts_are_refused(struct unit *unit)
{
    uint8_t message[64] = {0};
    struct wire_part part = {.layer = 1, .port = TORUS_PORTS};
    struct wire_part back;

    store_part(message, &part);
    CHECK_EQUAL(unit, wire_part_load(&back, message, 64), ERR_PROTOCOL);
    part.port = 3;
    part.units = 0;
    part.job_bytes = 4 * UINT8_MAX;
    store_part(message, &part);
    CHECK_EQUAL(unit, wire_part_load(&back, message, 64), ERR_PROTOCOL);
}

static void report_round_trip(struct unit *unit)
{
    uint8_t message[WIRE_REPORT_BYTES + 1];
    struct rounds_plan tables = {0};
    struct wire_report report = {.error = ERR_PHASES,
                                 .phases = TORUS_PHASES_MAX,
                                 .phases_feasible = 9,
                                 .rounds = 1,
                                 .compute_ps = 1,
                                 .makespan_ps = UINT64_MAX,
                                 .begin_ps = 0x0102030405060708,
                                 .plan_ps = 4,
                                 .scatter_start_ps = 5,
                                 .gather_done_ps = 6,
                                 .overhead_ps = 7};
    struct wire_report back;

    fill_tables(report.share_units, report.volume_units);
    for (unsigned i = 0; i < TORUS_PHASES_MAX; ++i) {
        report.startup_ps[i] = ((uint64_t)i << 56) + i;
    }
    for (unsigned i = 0; i <= TORUS_PHASES_MAX; ++i) {
        report.received_ps[i] = ((uint64_t)i << 48) + 3 * i;
    }
    message[WIRE_REPORT_BYTES] = 0xa5;
    CHECK_EQUAL(unit, wire_report_bytes(&report), WIRE_REPORT_BYTES);
    wire_report_store(message, &report, NULL);
    CHECK_EQUAL(unit, message[WIRE_REPORT_BYTES], 0xa5);
    CHECK_EQUAL(unit,
                wire_report_load(&back, &tables, message, WIRE_REPORT_BYTES),
                ERR_OK);
    CHECK_EQUAL(unit, back.error, ERR_PHASES);
    CHECK_EQUAL(unit, back.phases, TORUS_PHASES_MAX);
    CHECK_EQUAL(unit, back.phases_feasible, 9);
    CHECK_EQUAL(unit, back.rounds, 1);
    CHECK(unit, back.compute_ps == report.compute_ps);
    CHECK(unit, back.makespan_ps == report.makespan_ps);
    CHECK(unit, back.begin_ps == report.begin_ps);
    CHECK(unit, back.plan_ps == report.plan_ps);
    CHECK(unit, back.scatter_start_ps == report.scatter_start_ps);
    CHECK(unit, back.gather_done_ps == report.gather_done_ps);
    CHECK(unit, back.overhead_ps == report.overhead_ps);
    for (unsigned i = 0; i < TORUS_PHASES_MAX; ++i) {
        CHECK(unit, back.startup_ps[i] == report.startup_ps[i]);
    }
    for (unsigned i = 0; i <= TORUS_PHASES_MAX; ++i) {
        CHECK(unit, back.received_ps[i] == report.received_ps[i]);
        CHECK_EQUAL(unit, back.share_units[i], report.share_units[i]);
        CHECK_EQUAL(unit, back.volume_units[i], report.volume_units[i]);
        CHECK_EQUAL(unit, tables.share_units[0][i], report.share_units[i]);
        CHECK_EQUAL(unit, tables.volume_units[0][i], report.volume_units[i]);
    }
    for (uint32_t bytes = 0; bytes < WIRE_REPORT_BYTES; ++bytes) {
        CHECK_EQUAL(
            unit, wire_report_load(&back, &tables, cut(message, bytes), bytes),
            ERR_PROTOCOL);
    }
    message[4] = TORUS_PHASES_MAX + 1;
    CHECK_EQUAL(unit,
                wire_report_load(&back, &tables, message, WIRE_REPORT_BYTES),
                ERR_PROTOCOL);
}

static void report_of_rounds_round_trip(struct unit *unit)
{
    static uint8_t message[WIRE_REPORT_BYTES_MAX + 1];
    struct wire_report report = {.phases = TORUS_PHASES_MAX,
                                 .rounds = ROUNDS_MAX};
    struct wire_report back;
    struct rounds_plan tables;
    struct rounds_plan got = {0};

    for (unsigned round = 0; round < ROUNDS_MAX; ++round) {
        for (unsigned i = 0; i <= TORUS_PHASES_MAX; ++i) {
            tables.share_units[round][i] = 0xfffffff0u - 100 * round - i;
            tables.volume_units[round][i] = 0x10000u * round + i;
        }
    }
    CHECK_EQUAL(unit, wire_report_bytes(&report), WIRE_REPORT_BYTES_MAX);
    message[WIRE_REPORT_BYTES_MAX] = 0xa5;
    wire_report_store(message, &report, &tables);
    CHECK_EQUAL(unit, message[WIRE_REPORT_BYTES_MAX], 0xa5);
    CHECK_EQUAL(unit,
                wire_report_load(&back, &got, message, WIRE_REPORT_BYTES_MAX),
                ERR_OK);
    CHECK_EQUAL(unit, got.rounds, ROUNDS_MAX);
    CHECK_EQUAL(unit, got.phases, TORUS_PHASES_MAX);
    CHECK(unit, memcmp(got.share_units, tables.share_units,
                       sizeof tables.share_units) == 0);
    CHECK(unit, memcmp(got.volume_units, tables.volume_units,
                       sizeof tables.volume_units) == 0);
    CHECK_EQUAL(
        unit, wire_report_load(&back, &got, message, WIRE_REPORT_BYTES_MAX - 1),
        ERR_PROTOCOL);
    message[6] = ROUNDS_MAX + 1;
    CHECK_EQUAL(unit,
                wire_report_load(&back, &got, message, WIRE_REPORT_BYTES_MAX),
                ERR_PROTOCOL);
}

/* Of a tree a report has no rounds, and as many phases as the tree. */
static void report_of_a_tree_round_trip(struct unit *unit)
{
    uint8_t message[WIRE_REPORT_BYTES];
    struct wire_report report = {.phases = TREE_PHASES_MAX, .rounds = 0};
    struct wire_report back;
    struct rounds_plan got = {0};

    CHECK_EQUAL(unit, wire_report_bytes(&report), WIRE_REPORT_BYTES);
    wire_report_store(message, &report, NULL);
    CHECK_EQUAL(unit, wire_report_load(&back, &got, message, WIRE_REPORT_BYTES),
                ERR_OK);
    CHECK_EQUAL(unit, back.phases, TREE_PHASES_MAX);
    CHECK_EQUAL(unit, back.rounds, 0);
    CHECK_EQUAL(unit, got.rounds, 0);
    message[4] = TREE_PHASES_MAX + 1;
    CHECK_EQUAL(unit, wire_report_load(&back, &got, message, WIRE_REPORT_BYTES),
                ERR_PROTOCOL);
    message[4] = TORUS_PHASES_MAX + 1;
    message[6] = 1;
    CHECK_EQUAL(unit, wire_report_load(&back, &got, message, WIRE_REPORT_BYTES),
                ERR_PROTOCOL);
}

static void bytes_are_little_endian_at_any_address(struct unit *unit)
{
    uint8_t room[16];

    for (unsigned at = 0; at < 8; ++at) {
        bytes_store_u64(room + at, 0x8877665544332211);
        for (unsigned i = 0; i < 8; ++i) {
            CHECK_EQUAL(unit, room[at + i], 0x11 * (i + 1));
        }
        CHECK_EQUAL(unit, bytes_load_u16(room + at + 6), 0x8877);
        CHECK_EQUAL(unit, bytes_load_u32(room + at + 4), 0x88776655);
        CHECK(unit, bytes_load_u64(room + at) == 0x8877665544332211);
        bytes_store_u32(room + at, 0xfffefdfc);
        bytes_store_u16(room + at + 4, 0xfbfa);
        CHECK(unit, bytes_load_u64(room + at) == 0x8877fbfafffefdfc);
    }
}

void test_wire(struct unit *unit)
{
    UNIT_RUN(unit, bytes_are_little_endian_at_any_address);
    UNIT_RUN(unit, order_round_trip);
    UNIT_RUN(unit, order_layout_is_the_documented_one);
    UNIT_RUN(unit, order_of_any_other_length_is_refused);
    UNIT_RUN(unit, damaged_orders_are_refused);
    UNIT_RUN(unit, order_with_a_tree_round_trip);
    UNIT_RUN(unit, orders_with_too_large_trees_are_refused);
    UNIT_RUN(unit, job_round_trip);
    UNIT_RUN(unit, job_of_any_other_length_is_refused);
    UNIT_RUN(unit, damaged_jobs_are_refused);
    UNIT_RUN(unit, tree_job_round_trip);
    UNIT_RUN(unit, jobs_of_another_kind_are_refused);
    UNIT_RUN(unit, part_round_trip);
    UNIT_RUN(unit, damaged_parts_are_refused);
    UNIT_RUN(unit, report_round_trip);
    UNIT_RUN(unit, report_of_rounds_round_trip);
    UNIT_RUN(unit, report_of_a_tree_round_trip);
}

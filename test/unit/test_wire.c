/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/wire/wire.h"
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

#define SHORT_MAX 255u

static const uint8_t argument[SHORT_MAX + 1] = {'n', 0xff, 0, 'r', 7};

/* Arguments of any length, and a message with one. */
static uint8_t long_argument[KERNEL_ARG_MAX + 1];
static _Alignas(4) uint8_t long_message[KERNEL_ARG_MAX + ROOM];
static const uint32_t long_lengths[] = {
    256, 257, 4095, 0x7fff, 0xffff, KERNEL_ARG_MAX - 1, KERNEL_ARG_MAX};

#define LONG_LENGTHS (sizeof long_lengths / sizeof *long_lengths)

static void fill_long_argument(void)
{
    for (uint32_t i = 0; i < sizeof long_argument; ++i) {
        long_argument[i] = (uint8_t)(i ^ i >> 8);
    }
}

static struct wire_order order_of(uint32_t arg_bytes, uint32_t load_units)
{
    return (struct wire_order){.kernel = "search",
                               .startup_ps = 0x0123456789abcdef,
                               .transfer_ps = UINT64_MAX,
                               .hop_delay_ps = 1,
                               .load_units = load_units,
                               .phases = WIRE_BEST,
                               .unit_bytes = 1,
                               .arg_bytes = arg_bytes,
                               .arg = argument,
                               .tree = argument};
}

static void order_round_trip(struct unit *unit)
{
    static uint8_t message[ROOM];

    for (uint32_t arg_bytes = 0; arg_bytes <= SHORT_MAX; ++arg_bytes) {
        struct wire_order order = order_of(arg_bytes, 9);
        uint32_t head = wire_order_head_bytes(&order);
        struct wire_order back;

        CHECK_EQUAL(unit, head, 88 + (arg_bytes + 3u) / 4 * 4);
        memset(message, 0xa5, sizeof message);
        wire_order_store(message, &order);
        CHECK_EQUAL(unit, message[head], 0xa5);
        memcpy(message + head, "load here", 9);
        CHECK_EQUAL(unit, wire_order_load(&back, message, head + 9), ERR_OK);
        CHECK_EQUAL(unit, strcmp(back.kernel, "search"), 0);
        CHECK(unit, back.startup_ps == order.startup_ps);
        CHECK(unit, back.transfer_ps == order.transfer_ps);
        CHECK(unit, back.hop_delay_ps == order.hop_delay_ps);
        CHECK_EQUAL(unit, back.load_units, 9);
        CHECK_EQUAL(unit, back.unit_bytes, 1);
        CHECK_EQUAL(unit, back.first_unit, 0);
        CHECK_EQUAL(unit, back.before_bytes, 0);
        CHECK_EQUAL(unit, back.after_bytes, 0);
        CHECK_EQUAL(unit, back.phases, WIRE_BEST);
        CHECK_EQUAL(unit, back.arg_bytes, arg_bytes);
        CHECK_EQUAL(unit, memcmp(back.arg, argument, arg_bytes), 0);
        CHECK_EQUAL(unit, memcmp(back.load, "load here", 9), 0);
    }
}

/* Longer arguments, and one byte more than any kernel's. */
static void orders_with_long_arguments(struct unit *unit)
{
    struct wire_order back;

    fill_long_argument();
    for (unsigned n = 0; n < LONG_LENGTHS; ++n) {
        struct wire_order order = order_of(long_lengths[n], 9);
        uint32_t head = 88 + (long_lengths[n] + 3) / 4 * 4;

        order.arg = long_argument;
        CHECK_EQUAL(unit, wire_order_head_bytes(&order), head);
        long_message[head] = 0xa5;
        wire_order_store(long_message, &order);
        CHECK_EQUAL(unit, long_message[head], 0xa5);
        CHECK_EQUAL(unit, wire_order_load(&back, long_message, head + 9),
                    ERR_OK);
        CHECK_EQUAL(unit, back.arg_bytes, long_lengths[n]);
        CHECK_EQUAL(unit, memcmp(back.arg, long_argument, long_lengths[n]), 0);
        CHECK_EQUAL(unit, back.load - long_message, head);
        CHECK_EQUAL(unit, wire_order_load(&back, long_message, head + 8),
                    ERR_LENGTH);
    }
    bytes_store_u32(long_message + 56, KERNEL_ARG_MAX + 1);
    CHECK_EQUAL(
        unit, wire_order_load(&back, long_message, 88 + KERNEL_ARG_MAX + 4 + 9),
        ERR_FIELD);
}

static void order_layout_is_the_documented_one(struct unit *unit)
{
    uint8_t message[WIRE_ORDER_BYTES + 4];
    struct wire_order order = order_of(3, 0x04030201);

    order.rounds = 16;
    order.ports = 2;
    order.flags = WIRE_STORE_AND_FORWARD | WIRE_MORE;
    order.policy = 7;
    order.unit_bytes = 0x08070605;
    order.first_unit = 0x0c0b0a09;
    order.before_bytes = 0x100f0e0d;
    order.after_bytes = 0x14131211;
    order.compute_ps = 0x1918171615;
    order.call_ps = 0x11d1c1b1a;
    wire_order_store(message, &order);
    CHECK_EQUAL(unit, WIRE_ORDER_BYTES, 88);
    CHECK_EQUAL(unit, memcmp(message, "search\0\0\0\0\0\0\0\0\0\0", 16), 0);
    CHECK_EQUAL(unit, message[16], 0xef);
    CHECK_EQUAL(unit, message[23], 0x01);
    CHECK_EQUAL(unit, message[24], 0xff);
    CHECK_EQUAL(unit, message[32], 1);
    CHECK_EQUAL(unit, message[40], 1);
    CHECK_EQUAL(unit, message[43], 4);
    CHECK_EQUAL(unit, message[44], 0xff);
    CHECK_EQUAL(unit, message[45], 16);
    CHECK_EQUAL(unit, message[46], 2);
    CHECK_EQUAL(unit, message[47], 0x79);
    CHECK_EQUAL(unit, bytes_load_u32(message + 48), 0);
    CHECK_EQUAL(unit, bytes_load_u32(message + 52), 0x08070605);
    CHECK_EQUAL(unit, bytes_load_u32(message + 56), 3);
    CHECK_EQUAL(unit, bytes_load_u32(message + 60), 0x0c0b0a09);
    CHECK_EQUAL(unit, bytes_load_u32(message + 64), 0x100f0e0d);
    CHECK_EQUAL(unit, bytes_load_u32(message + 68), 0x14131211);
    CHECK_EQUAL(unit, bytes_load_u32(message + 72), 0x18171615);
    CHECK_EQUAL(unit, bytes_load_u32(message + 76), 0x19);
    CHECK_EQUAL(unit, bytes_load_u32(message + 80), 0x1d1c1b1a);
    CHECK_EQUAL(unit, bytes_load_u32(message + 84), 1);
    CHECK_EQUAL(unit, message[88], 'n');
    CHECK_EQUAL(unit, message[91], 0);
}

/* Units of any size, or none, and what is around them. */
static void order_with_halos_round_trip(struct unit *unit)
{
    static uint8_t message[ROOM];
    static const uint32_t sizes[] = {0, 1, 2, 7};
    static const uint32_t first_units[] = {0, 1, 1000, UINT32_MAX - 5};

    for (unsigned n = 0; n < 64; ++n) {
        struct wire_order order = order_of(n % 5, 5);
        uint32_t head = wire_order_head_bytes(&order);
        struct wire_order back;
        uint32_t whole;

        order.unit_bytes = sizes[n % 4];
        order.first_unit = first_units[n / 4 % 4];
        order.before_bytes = n % 3;
        order.after_bytes = n % 7;
        whole = head + 5 * order.unit_bytes + n % 3 + n % 7;
        wire_order_store(message, &order);
        CHECK(unit, wire_order_load_bytes(&order) == whole - head);
        for (uint32_t bytes = 0; bytes <= whole + 9; ++bytes) {
            CHECK_EQUAL(unit,
                        wire_order_load(&back, cut(message, bytes), bytes),
                        bytes == whole ? ERR_OK : ERR_LENGTH);
        }
        CHECK_EQUAL(unit, wire_order_load(&back, message, whole), ERR_OK);
        CHECK_EQUAL(unit, back.load_units, 5);
        CHECK_EQUAL(unit, back.unit_bytes, order.unit_bytes);
        CHECK_EQUAL(unit, back.first_unit, order.first_unit);
        CHECK_EQUAL(unit, back.before_bytes, n % 3);
        CHECK_EQUAL(unit, back.after_bytes, n % 7);
        CHECK_EQUAL(unit, back.load - message, head + n % 3);
    }
}

/* Positions are 32 bits; a body's length does not fit in as many. */
static void orders_beyond_32_bits_are_refused(struct unit *unit)
{
    static uint8_t message[ROOM];
    struct wire_order order = order_of(4, 6);
    struct wire_order back;

    order.unit_bytes = 0;
    for (uint32_t over = 0; over < 3; ++over) {
        order.first_unit = UINT32_MAX - 6 + over;
        wire_order_store(message, &order);
        CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES + 4),
                    over == 0 ? ERR_OK : ERR_FIELD);
    }
    /* Each would be a body of no bytes if its length were cut to 32 bits. */
    order = order_of(4, 0x10000);
    order.unit_bytes = 0x10000;
    wire_order_store(message, &order);
    CHECK(unit, wire_order_load_bytes(&order) == 0x100000000);
    CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES + 4),
                ERR_LENGTH);
    order = order_of(4, 0);
    order.before_bytes = 0x80000000;
    order.after_bytes = 0x80000000;
    wire_order_store(message, &order);
    CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES + 4),
                ERR_LENGTH);
    order = order_of(4, UINT32_MAX);
    order.unit_bytes = UINT32_MAX;
    order.before_bytes = UINT32_MAX;
    order.after_bytes = UINT32_MAX;
    CHECK(unit, wire_order_load_bytes(&order) == UINT64_MAX);
    wire_order_store(message, &order);
    CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES + 4),
                ERR_LENGTH);
}

static void order_of_any_other_length_is_refused(struct unit *unit)
{
    static uint8_t message[ROOM];

    for (uint32_t arg_bytes = 0; arg_bytes <= 9; ++arg_bytes) {
        struct wire_order order = order_of(arg_bytes, 5);
        uint32_t whole = wire_order_head_bytes(&order) + 5;
        struct wire_order back;

        wire_order_store(message, &order);
        for (uint32_t bytes = 0; bytes <= whole + 9; ++bytes) {
            CHECK_EQUAL(unit,
                        wire_order_load(&back, cut(message, bytes), bytes),
                        bytes == whole ? ERR_OK : ERR_LENGTH);
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
                ERR_FIELD);
    /* An argument longer than any kernel's, though the length fits. */
    wire_order_store(message, &order);
    bytes_store_u32(message + 56, KERNEL_ARG_MAX + 1);
    CHECK_EQUAL(
        unit,
        wire_order_load(&back, message, WIRE_ORDER_BYTES + KERNEL_ARG_MAX + 4),
        ERR_FIELD);
    bytes_store_u32(message + 56, UINT32_MAX);
    CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES),
                ERR_FIELD);
    CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES + 4),
                ERR_FIELD);
    wire_order_store(message, &order);
    bytes_store_u32(message + 40, UINT32_MAX);
    CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES + 4),
                ERR_LENGTH);
}

/* The rate of an earlier job: any that the planners can count with, and 0. */
static void order_with_a_rate_round_trip(struct unit *unit)
{
    static const struct {
        uint64_t compute_ps;
        uint64_t call_ps;
        int error;
    } rates[] = {{0, 0, ERR_OK},
                 {1, 0, ERR_OK},
                 {98304, 7520000, ERR_OK},
                 {PLANNER_TIME_MAX_PS, WIRE_CALL_MAX_PS, ERR_OK},
                 {PLANNER_TIME_MAX_PS + 1, 0, ERR_FIELD},
                 {UINT64_MAX, 0, ERR_FIELD},
                 {1, WIRE_CALL_MAX_PS + 1, ERR_FIELD},
                 {0, UINT64_MAX, ERR_FIELD}};
    static uint8_t message[ROOM];

    for (unsigned n = 0; n < sizeof rates / sizeof *rates; ++n) {
        struct wire_order order = order_of(4, 0);
        struct wire_order back;

        order.compute_ps = rates[n].compute_ps;
        order.call_ps = rates[n].call_ps;
        wire_order_store(message, &order);
        CHECK_EQUAL(unit, wire_order_load(&back, message, WIRE_ORDER_BYTES + 4),
                    rates[n].error);
        CHECK(unit, back.compute_ps == rates[n].compute_ps);
        CHECK(unit, back.call_ps == rates[n].call_ps);
    }
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
        struct wire_order order = order_of(nodes % 4, 9);
        uint32_t head =
            WIRE_ORDER_BYTES + (nodes % 4 + 3u) / 4 * 4 + 16 * nodes;
        struct wire_order back;

        order.tree_nodes = nodes;
        order.tree = tree;
        order.ports = 2;
        order.flags = WIRE_STORE_AND_FORWARD | WIRE_EQUAL_SHARES;
        order.policy = WIRE_TREE;
        CHECK_EQUAL(unit, wire_order_head_bytes(&order), head);
        memset(message, 0xa5, sizeof message);
        wire_order_store(message, &order);
        CHECK_EQUAL(unit, message[48], nodes);
        CHECK_EQUAL(unit, message[46], 2);
        CHECK_EQUAL(unit, message[47], 0x13);
        CHECK_EQUAL(unit, message[head], 0xa5);
        for (uint32_t bytes = 0; bytes <= head + 18; ++bytes) {
            CHECK_EQUAL(unit,
                        wire_order_load(&back, cut(message, bytes), bytes),
                        bytes == head + 9 ? ERR_OK : ERR_LENGTH);
        }
        CHECK_EQUAL(unit, wire_order_load(&back, message, head + 9), ERR_OK);
        CHECK_EQUAL(unit, back.tree_nodes, nodes);
        CHECK_EQUAL(unit, back.ports, 2);
        CHECK_EQUAL(unit, back.flags, order.flags);
        CHECK_EQUAL(unit, back.policy, order.policy);
        CHECK_EQUAL(unit, (back.tree - message) % 4, 0);
        CHECK_EQUAL(unit, memcmp(back.arg, argument, back.arg_bytes), 0);
        CHECK_EQUAL(unit, memcmp(back.tree, tree, 16 * nodes), 0);
        CHECK_EQUAL(unit, back.load - message, head);
    }
}

static void orders_with_too_large_trees_are_refused(struct unit *unit)
{
    static const uint16_t sizes[] = {1, TREE_NODES_MAX, TREE_NODES_MAX + 1,
                                     UINT16_MAX};
    static uint8_t message[ROOM];
    struct wire_order order = order_of(4, 0);
    struct wire_order back;

    wire_order_store(message, &order);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        bytes_store_u16(message + 48, sizes[i]);
        CHECK_EQUAL(unit,
                    wire_order_load(&back, cut(message, WIRE_ORDER_BYTES + 4),
                                    WIRE_ORDER_BYTES + 4),
                    sizes[i] > TREE_NODES_MAX ? ERR_FIELD : ERR_LENGTH);
    }
}

static void fill_tables(uint32_t shares[], uint32_t volumes[])
{
    for (uint32_t i = 0; i <= TORUS_PHASES_MAX; ++i) {
        shares[i] = 0x80000000u + i;
        volumes[i] = 0xfffffff0u - 17 * i;
    }
}

static void fill_results(uint64_t results[], unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        results[i] = 0x0123456700000000 + 3 * i;
    }
}

static struct wire_job job_of(uint8_t phases)
{
    return (struct wire_job){.phases = phases,
                             .rounds = ROUNDS_MAX,
                             .flags = WIRE_FLAGS(0u, WIRE_PATTERN),
                             .slots = {.gather_ps = 0xfedcba9876543210,
                                       .short_units = 0xdeadbeef,
                                       .long_units = 0x01020304,
                                       .early_units = 0x11223344,
                                       .short_bytes = 0x5566,
                                       .frames = 0x77,
                                       .shift = 0x1e},
                             .before_bytes = 0xa0b0c0d0,
                             .after_bytes = 0x90a0b0c0};
}

static void check_same_job(struct unit *unit, const struct wire_job *back,
                           const struct wire_job *job)
{
    CHECK_EQUAL(unit, back->phases, job->phases);
    CHECK_EQUAL(unit, back->rounds, job->rounds);
    CHECK_EQUAL(unit, back->flags, job->flags);
    CHECK_EQUAL(unit, back->before_bytes, job->before_bytes);
    CHECK_EQUAL(unit, back->after_bytes, job->after_bytes);
}

static void check_same_slots(struct unit *unit, const struct wire_slots *back,
                             const struct wire_slots *slots)
{
    CHECK(unit, back->gather_ps == slots->gather_ps);
    CHECK_EQUAL(unit, back->short_units, slots->short_units);
    CHECK_EQUAL(unit, back->long_units, slots->long_units);
    CHECK_EQUAL(unit, back->early_units, slots->early_units);
    CHECK_EQUAL(unit, back->short_bytes, slots->short_bytes);
    CHECK_EQUAL(unit, back->frames, slots->frames);
    CHECK_EQUAL(unit, back->shift, slots->shift);
}

/* With the table of an output, too. */
static void job_round_trip(struct unit *unit)
{
    static _Alignas(4) uint8_t message[WIRE_JOB_BYTES_MAX + 1];
    uint64_t results[TORUS_PHASES_MAX + 1];

    fill_results(results, TORUS_PHASES_MAX + 1);
    for (unsigned n = 0; n < 2u * TORUS_PHASES_MAX; ++n) {
        uint8_t phases = (uint8_t)(1 + n / 2);
        struct wire_job job = job_of(phases);
        uint32_t layer_bytes = n % 2 == 0 ? 0 : 8;
        struct wire_slots slots;
        uint32_t bytes = 36 + layer_bytes * (phases + 1u);
        struct wire_job back;

        job.flags = (uint8_t)(WIRE_MORE | (layer_bytes > 0 ? WIRE_OUTPUT : 0u));
        CHECK_EQUAL(unit, wire_job_bytes(&job), bytes);
        CHECK(unit, bytes + WIRE_TABLES_BYTES(phases) <= WIRE_JOB_BYTES_MAX);
        memset(message, 0xa5, sizeof message);
        wire_job_store(message, &job, results);
        CHECK_EQUAL(unit, message[bytes], 0xa5);
        CHECK_EQUAL(unit, wire_job_load(&back, cut(message, bytes), bytes),
                    ERR_OK);
        check_same_job(unit, &back, &job);
        for (unsigned i = 0; i <= phases; ++i) {
            CHECK(unit, layer_bytes == 0 ||
                            wire_job_result_ps(message, i) == results[i]);
        }
        slots = wire_job_slots(message);
        check_same_slots(unit, &slots, &job.slots);
        wire_job_store_gather(message, 42);
        CHECK(unit, bytes_load_u64(message + 8) == 42);
        CHECK_EQUAL(unit, bytes_load_u16(message + 4), job.slots.short_bytes);
        CHECK_EQUAL(unit, bytes_load_u32(message + 16), job.slots.short_units);
    }
}

/* Shares and volumes, as a part has them ahead of its job. */
static void tables_round_trip(struct unit *unit)
{
    static _Alignas(4) uint8_t message[WIRE_TABLES_BYTES(TORUS_PHASES_MAX) + 1];
    uint32_t shares[TORUS_PHASES_MAX + 1];
    uint32_t volumes[TORUS_PHASES_MAX + 1];

    fill_tables(shares, volumes);
    for (unsigned phases = 1; phases <= TORUS_PHASES_MAX; ++phases) {
        memset(message, 0xa5, sizeof message);
        wire_tables_store(message, phases, shares, volumes);
        CHECK_EQUAL(unit, message[WIRE_TABLES_BYTES(phases)], 0xa5);
        for (unsigned i = 0; i <= phases; ++i) {
            CHECK_EQUAL(unit, bytes_load_u32(message + 4 * i), shares[i]);
            CHECK_EQUAL(unit, bytes_load_u32(message + 4 * (phases + 1 + i)),
                        volumes[i]);
            CHECK_EQUAL(unit, wire_shares(message)[i], shares[i]);
            CHECK_EQUAL(unit, wire_volumes(message, phases)[i], volumes[i]);
        }
    }
}

/* As of a tree: more phases than the pattern. */
static void tree_job_round_trip(struct unit *unit)
{
    static _Alignas(4)
        uint8_t message[WIRE_JOB_BYTES + 8 * (TREE_PHASES_MAX + 1) + 1];
    static uint64_t results[TREE_PHASES_MAX + 1];

    fill_results(results, TREE_PHASES_MAX + 1);
    for (unsigned n = 0; n < 2; ++n) {
        struct wire_job job = job_of(TREE_PHASES_MAX);
        uint32_t tables = n * 8 * (TREE_PHASES_MAX + 1u);
        uint32_t bytes = 36 + tables;
        struct wire_job back;

        job.rounds = 1;
        job.flags = WIRE_FLAGS(tables > 0 ? WIRE_OUTPUT : 0u, WIRE_TREE);
        CHECK_EQUAL(unit, wire_job_bytes(&job), bytes);
        memset(message, 0xa5, sizeof message);
        wire_job_store(message, &job, results);
        CHECK_EQUAL(unit, message[bytes], 0xa5);
        CHECK_EQUAL(unit, wire_job_load(&back, message, bytes), ERR_OK);
        check_same_job(unit, &back, &job);
        for (unsigned i = 0; tables > 0 && i <= TREE_PHASES_MAX; ++i) {
            CHECK(unit, wire_job_result_ps(message, i) == results[i]);
        }
        message[2] &= 0xfu; /* the pattern's has fewer phases */
        CHECK_EQUAL(unit, wire_job_load(&back, message, sizeof message),
                    ERR_FIELD);
    }
}

static void job_layout_is_the_documented_one(struct unit *unit)
{
    static _Alignas(4) uint8_t message[ROOM];
    uint64_t results[TORUS_PHASES_MAX + 1];
    struct wire_job job = job_of(2);

    fill_results(results, TORUS_PHASES_MAX + 1);
    job.flags = WIRE_FLAGS(WIRE_MORE | WIRE_OUTPUT, 9u);
    wire_job_store(message, &job, results);
    CHECK_EQUAL(unit, WIRE_JOB_BYTES, 36);
    CHECK_EQUAL(unit, message[0], 2);
    CHECK_EQUAL(unit, message[1], ROUNDS_MAX);
    CHECK_EQUAL(unit, message[2], 0x9c);
    CHECK_EQUAL(unit, message[3], 0x77);
    CHECK_EQUAL(unit, bytes_load_u32(message + 4), 0x1e5566);
    CHECK(unit, bytes_load_u64(message + 8) == 0xfedcba9876543210);
    CHECK_EQUAL(unit, bytes_load_u32(message + 16), 0xdeadbeef);
    CHECK_EQUAL(unit, bytes_load_u32(message + 20), 0x01020304);
    CHECK_EQUAL(unit, bytes_load_u32(message + 24), 0x11223344);
    CHECK_EQUAL(unit, bytes_load_u32(message + 28), 0xa0b0c0d0);
    CHECK_EQUAL(unit, bytes_load_u32(message + 32), 0x90a0b0c0);
    for (unsigned i = 0; i <= 2; ++i) {
        CHECK(unit, bytes_load_u64(message + 36 + 8 * i) == results[i]);
    }
}

/* They end with their argument. */
static void announcements_with_long_arguments(struct unit *unit)
{
    struct wire_announce back;

    fill_long_argument();
    for (unsigned n = 0; n < LONG_LENGTHS; ++n) {
        uint32_t length = long_lengths[n];
        uint32_t bytes = 12 + (length + 3) / 4 * 4;
        struct wire_announce announce = {
            .kernel = 250, .unit_bytes = 0xc0d0e0f0, .arg_bytes = length};

        wire_announce_store(long_message, &announce);
        memcpy(long_message + 12, long_argument, length);
        CHECK_EQUAL(unit, long_message[0], 250);
        CHECK_EQUAL(unit, bytes_load_u32(long_message + 4), 0xc0d0e0f0);
        CHECK_EQUAL(unit, bytes_load_u32(long_message + 8), length);
        CHECK_EQUAL(unit, wire_announce_load(&back, long_message, bytes),
                    ERR_OK);
        CHECK_EQUAL(unit, back.kernel, 250);
        CHECK_EQUAL(unit, back.unit_bytes, 0xc0d0e0f0);
        CHECK_EQUAL(unit, back.arg_bytes, length);
        CHECK_EQUAL(unit, memcmp(back.arg, long_argument, length), 0);
        CHECK_EQUAL(unit, wire_announce_load(&back, long_message, bytes - 1),
                    ERR_LENGTH);
        CHECK_EQUAL(unit, wire_announce_load(&back, long_message, bytes + 1),
                    ERR_LENGTH);
    }
    for (uint32_t bytes = 0; bytes < 12; ++bytes) {
        CHECK_EQUAL(unit, wire_announce_load(&back, long_message, bytes),
                    ERR_LENGTH);
    }
    bytes_store_u32(long_message + 8, KERNEL_ARG_MAX + 1);
    CHECK_EQUAL(unit,
                wire_announce_load(&back, long_message, sizeof long_message),
                ERR_FIELD);
    /* Lengths that would wrap around 32 bits when padded. */
    for (uint32_t less = 0; less < 80; ++less) {
        bytes_store_u32(long_message + 8, UINT32_MAX - less);
        CHECK_EQUAL(
            unit, wire_announce_load(&back, long_message, sizeof long_message),
            ERR_FIELD);
    }
}

/* More may follow: a tree, and units. */
static void job_that_is_cut_is_refused(struct unit *unit)
{
    static _Alignas(4) uint8_t message[ROOM];
    uint64_t results[TORUS_PHASES_MAX + 1];

    fill_results(results, TORUS_PHASES_MAX + 1);
    for (unsigned n = 0; n < 16; ++n) {
        struct wire_job job = job_of((uint8_t)(1 + n / 4 * 3));
        struct wire_job back;
        uint32_t whole;

        job.flags = (uint8_t)((n % 2 == 0 ? 0u : WIRE_MORE) |
                              (n % 4 < 2 ? 0u : WIRE_OUTPUT));
        whole = wire_job_bytes(&job);
        wire_job_store(message, &job, results);
        for (uint32_t bytes = 0; bytes <= whole + 9; ++bytes) {
            CHECK_EQUAL(unit, wire_job_load(&back, cut(message, bytes), bytes),
                        bytes >= whole ? ERR_OK : ERR_LENGTH);
        }
        check_same_job(unit, &back, &job);
    }
}

static void damaged_jobs_are_refused(struct unit *unit)
{
    static _Alignas(4) uint8_t message[ROOM];
    struct wire_job job = job_of(4);
    struct wire_job back;

    wire_job_store(message, &job, NULL);
    CHECK_EQUAL(unit, wire_job_load(&back, message, ROOM), ERR_OK);
    message[0] = TORUS_PHASES_MAX + 1;
    CHECK_EQUAL(unit, wire_job_load(&back, message, ROOM), ERR_FIELD);
    message[0] = 255;
    CHECK_EQUAL(unit, wire_job_load(&back, message, ROOM), ERR_FIELD);
    message[0] = 0;
    CHECK_EQUAL(unit, wire_job_load(&back, message, ROOM), ERR_FIELD);
    message[0] = 4;
    message[1] = ROUNDS_MAX + 1;
    CHECK_EQUAL(unit, wire_job_load(&back, message, ROOM), ERR_FIELD);
    /* Along a tree there may be more phases. */
    message[1] = 1;
    message[2] = WIRE_FLAGS(0u, WIRE_TREE);
    message[0] = TREE_PHASES_MAX;
    CHECK_EQUAL(unit, wire_job_load(&back, message, ROOM), ERR_OK);
    message[0] = 0;
    CHECK_EQUAL(unit, wire_job_load(&back, message, ROOM), ERR_FIELD);
    message[0] = TREE_PHASES_MAX + 1;
    CHECK_EQUAL(unit, wire_job_load(&back, message, ROOM), ERR_FIELD);
}

static void part_round_trip(struct unit *unit)
{
    uint8_t message[WIRE_PART_BYTES + 1];

    CHECK_EQUAL(unit, WIRE_PART_BYTES, 12);
    for (unsigned n = 0; n < 4u * TORUS_PHASES_MAX; ++n) {
        struct wire_part part = {
            .units = 0xff000000u + 300 + n,
            .first_unit = 0xfffffff0u + n % 16,
            .label = wire_part_place(1 + n / 4, n % 4, n % ROUNDS_MAX)};
        struct wire_part back;

        memset(message, 0xa5, sizeof message);
        wire_part_store(message, part.units, part.first_unit, part.label);
        CHECK_EQUAL(unit, bytes_load_u32(message), part.units);
        CHECK_EQUAL(unit, bytes_load_u32(message + 4), part.first_unit);
        CHECK_EQUAL(unit, message[8], 1 + n / 4);
        CHECK_EQUAL(unit, message[9], n % 4);
        CHECK_EQUAL(unit, message[10], n % ROUNDS_MAX);
        CHECK_EQUAL(unit, message[11], 0);
        CHECK_EQUAL(unit, message[12], 0xa5);
        CHECK_EQUAL(unit, wire_part_load(&back, cut(message, 12), 12), ERR_OK);
        CHECK_EQUAL(unit, back.units, part.units);
        CHECK_EQUAL(unit, back.first_unit, part.first_unit);
        CHECK_EQUAL(unit, back.label, part.label);
        /* The job and the units follow; how long they are, the job says. */
        CHECK_EQUAL(unit, wire_part_load(&back, cut(message, 13), 13), ERR_OK);
        for (uint32_t bytes = 0; bytes < 12; ++bytes) {
            CHECK_EQUAL(unit, wire_part_load(&back, cut(message, bytes), bytes),
                        ERR_LENGTH);
        }
    }
}

static void report_round_trip(struct unit *unit)
{
    uint8_t message[WIRE_REPORT_BYTES + 1];
    struct rounds_plan tables = {0};
    struct wire_report report = {.error = ERR_PHASES,
                                 .phases = TORUS_PHASES_MAX,
                                 .phases_feasible = 9,
                                 .rounds = 1,
                                 .layers = true,
                                 .compute_ps = 1,
                                 .makespan_ps = UINT64_MAX,
                                 .begin_ps = 0x0102030405060708,
                                 .plan_ps = 4,
                                 .scatter_start_ps = 5,
                                 .gather_done_ps = 6,
                                 .overhead_ps = 7,
                                 .ordered_ps = 8,
                                 .measure_ps = 9,
                                 .measured_units = 10,
                                 .call_ps = 0x1112131415161718,
                                 .announce_ps = 11};
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
    CHECK(unit, back.ordered_ps == report.ordered_ps);
    CHECK(unit, back.measure_ps == report.measure_ps);
    CHECK_EQUAL(unit, back.measured_units, 10);
    CHECK(unit, back.call_ps == report.call_ps);
    CHECK(unit, back.announce_ps == report.announce_ps);
    CHECK_EQUAL(unit, bytes_load_u32(message + 340), 0);
    CHECK_EQUAL(unit, bytes_load_u32(message + 344), 0x15161718);
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
            ERR_LENGTH);
    }
    message[4] = TORUS_PHASES_MAX + 1;
    CHECK_EQUAL(unit,
                wire_report_load(&back, &tables, message, WIRE_REPORT_BYTES),
                ERR_FIELD);
}

static void report_of_rounds_round_trip(struct unit *unit)
{
    static uint8_t message[WIRE_REPORT_BYTES_MAX + 1];
    struct wire_report report = {
        .phases = TORUS_PHASES_MAX, .rounds = ROUNDS_MAX, .layers = true};
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
        ERR_LENGTH);
    message[6] = ROUNDS_MAX + 1;
    CHECK_EQUAL(unit,
                wire_report_load(&back, &got, message, WIRE_REPORT_BYTES_MAX),
                ERR_FIELD);
}

/* Of a tree a report has no tables of layers, and more phases than they. */
static void report_of_a_tree_round_trip(struct unit *unit)
{
    uint8_t message[WIRE_REPORT_BYTES];
    struct wire_report report = {.phases = TREE_PHASES_MAX, .rounds = 1};
    struct wire_report back;
    struct rounds_plan got = {0};

    CHECK_EQUAL(unit, wire_report_bytes(&report), WIRE_REPORT_BYTES);
    wire_report_store(message, &report, NULL);
    CHECK_EQUAL(unit, wire_report_load(&back, &got, message, WIRE_REPORT_BYTES),
                ERR_OK);
    CHECK_EQUAL(unit, back.phases, TREE_PHASES_MAX);
    CHECK_EQUAL(unit, back.rounds, 1);
    CHECK(unit, !back.layers);
    report.rounds = ROUNDS_MAX; /* in several rounds, too */
    CHECK_EQUAL(unit, wire_report_bytes(&report), WIRE_REPORT_BYTES);
    wire_report_store(message, &report, NULL);
    CHECK_EQUAL(unit, wire_report_load(&back, &got, message, WIRE_REPORT_BYTES),
                ERR_OK);
    CHECK_EQUAL(unit, back.rounds, ROUNDS_MAX);
    message[6] = ROUNDS_MAX + 1;
    CHECK_EQUAL(unit, wire_report_load(&back, &got, message, WIRE_REPORT_BYTES),
                ERR_FIELD);
    message[6] = 1;
    message[4] = TREE_PHASES_MAX + 1;
    CHECK_EQUAL(unit, wire_report_load(&back, &got, message, WIRE_REPORT_BYTES),
                ERR_FIELD);
    message[4] = TORUS_PHASES_MAX + 1;
    message[7] = 2; /* layers */
    CHECK_EQUAL(unit, wire_report_load(&back, &got, message, WIRE_REPORT_BYTES),
                ERR_FIELD);
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
    UNIT_RUN(unit, orders_with_long_arguments);
    UNIT_RUN(unit, order_layout_is_the_documented_one);
    UNIT_RUN(unit, order_with_halos_round_trip);
    UNIT_RUN(unit, orders_beyond_32_bits_are_refused);
    UNIT_RUN(unit, order_of_any_other_length_is_refused);
    UNIT_RUN(unit, damaged_orders_are_refused);
    UNIT_RUN(unit, order_with_a_rate_round_trip);
    UNIT_RUN(unit, order_with_a_tree_round_trip);
    UNIT_RUN(unit, orders_with_too_large_trees_are_refused);
    UNIT_RUN(unit, job_round_trip);
    UNIT_RUN(unit, tables_round_trip);
    UNIT_RUN(unit, tree_job_round_trip);
    UNIT_RUN(unit, job_layout_is_the_documented_one);
    UNIT_RUN(unit, announcements_with_long_arguments);
    UNIT_RUN(unit, job_that_is_cut_is_refused);
    UNIT_RUN(unit, damaged_jobs_are_refused);
    UNIT_RUN(unit, part_round_trip);
    UNIT_RUN(unit, report_round_trip);
    UNIT_RUN(unit, report_of_rounds_round_trip);
    UNIT_RUN(unit, report_of_a_tree_round_trip);
}

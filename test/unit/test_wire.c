/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/wire/wire.h"
#include "test/unit/unit.h"

#include <stddef.h>
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

/* ---- fields ---- */

/* A field's bytes in a message, and of the member that it becomes, whose lowest
   they are: boards and hosts are little-endian, as messages are. */
struct field {
    uint16_t at;
    uint8_t bytes;
    uint16_t member;
};

#define FIELD(type, member, at, bytes)                                         \
    {                                                                          \
        (at), (bytes), offsetof(struct type, member)                           \
    }
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct field order_fields[] = {
    FIELD(wire_order, kernel, 0, WIRE_NAME_BYTES),
    FIELD(wire_order, startup_ps, 16, 8),
    FIELD(wire_order, transfer_ps, 24, 8),
    FIELD(wire_order, hop_delay_ps, 32, 8),
    FIELD(wire_order, load_units, 40, 4),
    FIELD(wire_order, phases, 44, 1),
    FIELD(wire_order, rounds, 45, 1),
    FIELD(wire_order, ports, 46, 1),
    FIELD(wire_order, tree_nodes, 48, 2),
    FIELD(wire_order, reserve, 50, 1),
    FIELD(wire_order, unit_bytes, 52, 4),
    FIELD(wire_order, arg_bytes, 56, 4),
    FIELD(wire_order, first_unit, 60, 4),
    FIELD(wire_order, before_bytes, 64, 4),
    FIELD(wire_order, after_bytes, 68, 4),
    FIELD(wire_order, compute_ps, 72, 8),
    FIELD(wire_order, call_ps, 80, 8)};

static const struct field report_fields[] = {
    FIELD(wire_report, error, 0, 4),
    FIELD(wire_report, phases, 4, 1),
    FIELD(wire_report, phases_feasible, 5, 1),
    FIELD(wire_report, rounds, 6, 1),
    FIELD(wire_report, compute_ps, 8, 8),
    FIELD(wire_report, makespan_ps, 16, 8),
    FIELD(wire_report, begin_ps, 24, 8),
    FIELD(wire_report, plan_ps, 32, 8),
    FIELD(wire_report, scatter_start_ps, 40, 8),
    FIELD(wire_report, gather_done_ps, 48, 8),
    FIELD(wire_report, overhead_ps, 56, 8),
    FIELD(wire_report, startup_ps, 64, 80),
    FIELD(wire_report, received_ps, 144, 88),
    FIELD(wire_report, share_units, 232, 44),
    FIELD(wire_report, volume_units, 276, 44),
    FIELD(wire_report, ordered_ps, 320, 8),
    FIELD(wire_report, measure_ps, 328, 8),
    FIELD(wire_report, measured_units, 336, 4),
    FIELD(wire_report, call_ps, 344, 8),
    FIELD(wire_report, announce_ps, 352, 8),
    FIELD(wire_report, sampled_ps, 360, 8)};

/* The first five are all that wire_job_load() reads; the others are slots. */
static const struct field job_fields[] = {
    FIELD(wire_job, phases, 0, 1),
    FIELD(wire_job, rounds, 1, 1),
    FIELD(wire_job, flags, 2, 1),
    FIELD(wire_job, before_bytes, 28, 4),
    FIELD(wire_job, after_bytes, 32, 4),
    FIELD(wire_job, slots.frames, 3, 1),
    FIELD(wire_job, slots.short_bytes, 4, 2),
    FIELD(wire_job, slots.shift, 6, 1),
    FIELD(wire_job, slots.gather_ps, 8, 8),
    FIELD(wire_job, slots.short_units, 16, 4),
    FIELD(wire_job, slots.long_units, 20, 4),
    FIELD(wire_job, slots.early_units, 24, 4)};

#define JOB_LOADED 5u

static const struct field part_fields[] = {FIELD(wire_part, units, 0, 4),
                                           FIELD(wire_part, first_unit, 4, 4),
                                           FIELD(wire_part, label, 8, 4)};

static const struct field chunk_fields[] = {
    FIELD(wire_chunk, units, 0, 4), FIELD(wire_chunk, first_unit, 4, 4),
    FIELD(wire_chunk, worker, 8, 2), FIELD(wire_chunk, number, 10, 2)};

static const struct field demand_fields[] = {
    FIELD(wire_demand, worker, 0, 2), FIELD(wire_demand, number, 2, 2),
    FIELD(wire_demand, units, 4, 4), FIELD(wire_demand, compute_ps, 8, 8)};

static const struct field announce_fields[] = {
    FIELD(wire_announce, kernel, 0, 1), FIELD(wire_announce, unit_bytes, 4, 4),
    FIELD(wire_announce, arg_bytes, 8, 4)};

/* Sets every byte of every field, no two neighbours alike. */
static void fill_fields(void *of, const struct field fields[], unsigned count)
{
    uint8_t next = 0;

    for (unsigned i = 0; i < count; ++i) {
        for (unsigned k = 0; k < fields[i].bytes; ++k) {
            ((uint8_t *)of)[fields[i].member + k] = next += 37;
        }
    }
}

static void check_fields(struct unit *unit, const uint8_t *message,
                         const void *of, const struct field fields[],
                         unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        if (memcmp(message + fields[i].at,
                   (const uint8_t *)of + fields[i].member,
                   fields[i].bytes) != 0) {
            CHECK_EQUAL(unit, fields[i].at, -1); /* the field there is wrong */
        }
    }
}

/* ---- orders ---- */

static void orders_have_the_documented_layout(struct unit *unit)
{
    static uint8_t message[ROOM];

    CHECK_EQUAL(unit, WIRE_ORDER_BYTES, 88);
    for (uint32_t arg_bytes = 0; arg_bytes <= SHORT_MAX; ++arg_bytes) {
        struct wire_order order = {.flags = 0};
        struct wire_order back;
        uint32_t head = 88 + (arg_bytes + 3u) / 4 * 4;

        fill_fields(&order, order_fields, COUNT(order_fields));
        order.kernel[WIRE_NAME_BYTES - 1] = 0;
        order.tree_nodes = 0;
        order.reserve = WIRE_RESERVE_MAX;
        order.arg_bytes = arg_bytes;
        order.unit_bytes = 1;
        order.load_units = 6;
        order.before_bytes = 2;
        order.after_bytes = 1;
        order.compute_ps = PLANNER_TIME_MAX_PS - 0xfedcba;
        order.call_ps = WIRE_CALL_MAX_PS - 0xfedcba;
        order.flags = (uint8_t)(arg_bytes % 16);
        order.policy = (uint8_t)(arg_bytes / 16);
        order.arg = argument;
        CHECK_EQUAL(unit, wire_order_head_bytes(&order), head);
        memset(message, 0xa5, sizeof message);
        wire_order_store(message, &order);
        CHECK_EQUAL(unit, message[head], 0xa5);
        CHECK_EQUAL(unit, message[47], arg_bytes);
        CHECK_EQUAL(unit, message[51], 0);
        CHECK_EQUAL(unit, memcmp(message + 88, argument, arg_bytes), 0);
        check_fields(unit, message, &order, order_fields, COUNT(order_fields));
        CHECK_EQUAL(unit, wire_order_load(&back, message, head + 9), ERR_OK);
        check_fields(unit, message, &back, order_fields, COUNT(order_fields));
        CHECK_EQUAL(unit, back.flags, arg_bytes % 16);
        CHECK_EQUAL(unit, back.policy, arg_bytes / 16);
        CHECK(unit, back.arg == message + 88);
        CHECK(unit, back.load == message + head + 2);
    }
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

/* A field of an order of four bytes of argument and no load, and the error for
   a message of no more bytes. Positions are 32 bits; a body's length does not
   fit in as many, and would be none if it were cut. The rate of an earlier job
   is any that the planners can count with. */
static void orders_that_are_refused(struct unit *unit)
{
    static const struct {
        uint8_t at[2];
        uint64_t value[2];
        int error;
    } cases[] = {{{16, 16}, {0, 0}, ERR_OK},
                 {{15, 16}, {'x', 0}, ERR_FIELD}, /* a name without end */
                 {{56, 16}, {KERNEL_ARG_MAX + 1, 0}, ERR_FIELD},
                 {{56, 16}, {UINT32_MAX, 0}, ERR_FIELD},
                 {{56, 16}, {UINT32_MAX - 3, 0}, ERR_FIELD},
                 {{40, 16}, {UINT32_MAX, 0}, ERR_LENGTH},
                 {{40, 60}, {6, UINT32_MAX - 6}, ERR_LENGTH},
                 {{40, 60}, {6, UINT32_MAX - 5}, ERR_FIELD},
                 {{40, 60}, {6, UINT32_MAX - 4}, ERR_FIELD},
                 {{40, 52}, {0x10000, 0x10000}, ERR_LENGTH},
                 {{64, 68}, {0x80000000, 0x80000000}, ERR_LENGTH},
                 {{40, 52}, {UINT32_MAX, UINT32_MAX}, ERR_LENGTH},
                 {{48, 16}, {1, 0}, ERR_LENGTH},
                 {{48, 16}, {TREE_NODES_MAX, 0}, ERR_LENGTH},
                 {{48, 16}, {TREE_NODES_MAX + 1, 0}, ERR_FIELD},
                 {{48, 16}, {UINT16_MAX, 0}, ERR_FIELD},
                 {{50, 16}, {WIRE_RESERVE_MAX, 0}, ERR_OK},
                 {{50, 16}, {WIRE_RESERVE_MAX + 1, 0}, ERR_FIELD},
                 {{50, 16}, {WIRE_BEST, 0}, ERR_OK},
                 {{72, 80}, {1, 0}, ERR_OK},
                 {{72, 80}, {PLANNER_TIME_MAX_PS, WIRE_CALL_MAX_PS}, ERR_OK},
                 {{72, 80}, {PLANNER_TIME_MAX_PS + 1, 0}, ERR_FIELD},
                 {{72, 80}, {UINT64_MAX, 0}, ERR_FIELD},
                 {{72, 80}, {1, WIRE_CALL_MAX_PS + 1}, ERR_FIELD},
                 {{72, 80}, {0, UINT64_MAX}, ERR_FIELD}};
    static uint8_t message[ROOM];

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        struct wire_order order = order_of(4, 0);
        struct wire_order back;

        wire_order_store(message, &order);
        for (unsigned k = 0; k < 2; ++k) {
            for (unsigned n = 0; n < COUNT(order_fields); ++n) {
                if (order_fields[n].at == cases[i].at[k]) {
                    memcpy(message + order_fields[n].at, &cases[i].value[k],
                           order_fields[n].bytes);
                }
            }
            if (cases[i].at[k] == WIRE_NAME_BYTES - 1) {
                message[WIRE_NAME_BYTES - 1] = (uint8_t)cases[i].value[k];
            }
        }
        CHECK_EQUAL(unit,
                    wire_order_load(&back, cut(message, WIRE_ORDER_BYTES + 4),
                                    WIRE_ORDER_BYTES + 4),
                    cases[i].error);
        check_fields(unit, message, &back, order_fields, COUNT(order_fields));
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
        CHECK_EQUAL(unit, wire_order_head_bytes(&order), head);
        memset(message, 0xa5, sizeof message);
        wire_order_store(message, &order);
        CHECK_EQUAL(unit, message[head], 0xa5);
        for (uint32_t bytes = 0; bytes <= head + 18; ++bytes) {
            CHECK_EQUAL(unit,
                        wire_order_load(&back, cut(message, bytes), bytes),
                        bytes == head + 9 ? ERR_OK : ERR_LENGTH);
        }
        CHECK_EQUAL(unit, wire_order_load(&back, message, head + 9), ERR_OK);
        CHECK_EQUAL(unit, back.tree_nodes, nodes);
        CHECK_EQUAL(unit, (back.tree - message) % 4, 0);
        CHECK_EQUAL(unit, memcmp(back.arg, argument, back.arg_bytes), 0);
        CHECK_EQUAL(unit, memcmp(back.tree, tree, 16 * nodes), 0);
        CHECK_EQUAL(unit, back.load - message, head);
    }
}

static void fill_tables(uint32_t shares[], uint32_t volumes[])
{
    for (uint32_t i = 0; i <= TORUS_PHASES_MAX; ++i) {
        shares[i] = 0x80000000u + i;
        volumes[i] = 0xfffffff0u - 17 * i;
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

/* With the table of an output and without, on the pattern, and of a tree, which
   has more phases; cut, and with more behind it, such as units. */
static void jobs_of_all_lengths(struct unit *unit)
{
    static _Alignas(4)
        uint8_t message[WIRE_JOB_BYTES + 8 * (TREE_PHASES_MAX + 1) + 1];
    static uint64_t results[TREE_PHASES_MAX + 1];

    CHECK_EQUAL(unit, WIRE_JOB_BYTES, 36);
    for (unsigned i = 0; i <= TREE_PHASES_MAX; ++i) {
        results[i] = 0x0123456700000000 + 3 * i;
    }
    for (unsigned n = 0; n < 2u * (TORUS_PHASES_MAX + 1); ++n) {
        bool tree = n / 2 == TORUS_PHASES_MAX;
        unsigned phases = tree ? TREE_PHASES_MAX : 1 + n / 2;
        struct wire_job job = job_of((uint8_t)phases);
        uint32_t bytes = 36 + n % 2 * 8 * (phases + 1);
        struct wire_job back;

        job.flags = WIRE_FLAGS((n % 2 > 0 ? (unsigned)WIRE_OUTPUT : 0u) |
                                   (n % 3 > 0 ? (unsigned)WIRE_MORE : 0u),
                               (unsigned)(tree ? WIRE_TREE : WIRE_PATTERN));
        CHECK_EQUAL(unit, wire_job_bytes(&job), bytes);
        CHECK(unit,
              tree || bytes + WIRE_TABLES_BYTES(phases) <= WIRE_JOB_BYTES_MAX);
        memset(message, 0xa5, sizeof message);
        wire_job_store(message, &job, results);
        CHECK_EQUAL(unit, message[bytes], 0xa5);
        check_fields(unit, message, &job, job_fields, COUNT(job_fields));
        for (unsigned i = 0; n % 2 > 0 && i <= phases; ++i) {
            CHECK(unit, wire_job_result_ps(message, i) == results[i]);
            CHECK(unit, bytes_load_u64(message + 36 + 8 * i) == results[i]);
        }
        for (uint32_t length = 0; !tree && length <= bytes + 9; ++length) {
            CHECK_EQUAL(unit,
                        wire_job_load(&back, cut(message, length), length),
                        length >= bytes ? ERR_OK : ERR_LENGTH);
        }
        CHECK_EQUAL(unit, wire_job_load(&back, message, bytes), ERR_OK);
        check_fields(unit, message, &back, job_fields, JOB_LOADED);
        back.slots = wire_job_slots(message);
        check_fields(unit, message, &back, job_fields, COUNT(job_fields));
        job.slots.gather_ps = 42;
        wire_job_store_gather(message, 42);
        check_fields(unit, message, &job, job_fields, COUNT(job_fields));
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
        check_fields(unit, long_message, &announce, announce_fields,
                     COUNT(announce_fields));
        CHECK_EQUAL(unit, wire_announce_load(&back, long_message, bytes),
                    ERR_OK);
        check_fields(unit, long_message, &back, announce_fields,
                     COUNT(announce_fields));
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

/* Along a tree there may be more phases. */
static void damaged_jobs_are_refused(struct unit *unit)
{
    static const struct {
        uint8_t phases;
        uint8_t rounds;
        uint8_t policy;
        int error;
    } cases[] = {{4, ROUNDS_MAX, WIRE_PATTERN, ERR_OK},
                 {TORUS_PHASES_MAX + 1, 1, WIRE_PATTERN, ERR_FIELD},
                 {255, 1, WIRE_PATTERN, ERR_FIELD},
                 {0, 1, WIRE_PATTERN, ERR_FIELD},
                 {4, 0, WIRE_PATTERN, ERR_FIELD},
                 {4, ROUNDS_MAX + 1, WIRE_PATTERN, ERR_FIELD},
                 {TREE_PHASES_MAX, 1, WIRE_TREE, ERR_OK},
                 {0, 1, WIRE_TREE, ERR_FIELD},
                 {TREE_PHASES_MAX + 1, 1, WIRE_TREE, ERR_FIELD}};
    static _Alignas(4) uint8_t message[ROOM];
    struct wire_job job = job_of(4);
    struct wire_job back;

    wire_job_store(message, &job, NULL);
    for (unsigned i = 0; i < COUNT(cases); ++i) {
        message[0] = cases[i].phases;
        message[1] = cases[i].rounds;
        message[2] = WIRE_FLAGS(0u, cases[i].policy);
        CHECK_EQUAL(unit, wire_job_load(&back, message, ROOM), cases[i].error);
    }
}

/* ---- parts, chunks, demands ---- */

/* What follows is longer or shorter, as the message's own words say. */
#define CHECK_SHORT(unit, type, bytes_of)                                      \
    do {                                                                       \
        struct wire_##type short_of;                                           \
        for (uint32_t bytes = 0; bytes <= (bytes_of) + 1u; ++bytes) {          \
            CHECK_EQUAL(                                                       \
                (unit),                                                        \
                wire_##type##_load(&short_of, cut(message, bytes), bytes),     \
                bytes < (bytes_of) ? ERR_LENGTH : ERR_OK);                     \
        }                                                                      \
        check_fields((unit), message, &short_of, type##_fields,                \
                     COUNT(type##_fields));                                    \
    } while (0)

static void parts_chunks_and_demands(struct unit *unit)
{
    uint8_t message[WIRE_DEMAND_BYTES + 1];
    struct wire_part part;
    struct wire_chunk chunk;
    struct wire_demand demand;

    CHECK_EQUAL(unit, WIRE_PART_BYTES, 12);
    CHECK_EQUAL(unit, WIRE_CHUNK_BYTES, 12);
    CHECK_EQUAL(unit, WIRE_DEMAND_BYTES, 16);
    fill_fields(&part, part_fields, COUNT(part_fields));
    fill_fields(&chunk, chunk_fields, COUNT(chunk_fields));
    fill_fields(&demand, demand_fields, COUNT(demand_fields));

    memset(message, 0xa5, sizeof message);
    wire_part_store(message, part.units, part.first_unit, part.label);
    check_fields(unit, message, &part, part_fields, COUNT(part_fields));
    CHECK_EQUAL(unit, message[WIRE_PART_BYTES], 0xa5);
    CHECK_SHORT(unit, part, WIRE_PART_BYTES);
    memset(message, 0xa5, sizeof message);
    wire_chunk_store(message, &chunk);
    check_fields(unit, message, &chunk, chunk_fields, COUNT(chunk_fields));
    CHECK_EQUAL(unit, message[WIRE_CHUNK_BYTES], 0xa5);
    CHECK_SHORT(unit, chunk, WIRE_CHUNK_BYTES);
    wire_demand_store(message, &demand);
    check_fields(unit, message, &demand, demand_fields, COUNT(demand_fields));
    CHECK_EQUAL(unit, message[WIRE_DEMAND_BYTES], 0xa5);
    CHECK_SHORT(unit, demand, WIRE_DEMAND_BYTES);
    for (unsigned n = 0; n < 4u * TORUS_PHASES_MAX; ++n) {
        uint32_t label = wire_part_place(1 + n / 4, n % 4, n % ROUNDS_MAX);

        CHECK_EQUAL(unit, label,
                    (1 + n / 4) | n % 4 << 8 | n % ROUNDS_MAX << 16);
    }
}

/* ---- reports ---- */

static void reports_have_the_documented_layout(struct unit *unit)
{
    uint8_t message[WIRE_REPORT_BYTES + 1];
    struct rounds_plan tables = {0};
    struct wire_report back;

    CHECK_EQUAL(unit, WIRE_REPORT_BYTES, 368);
    for (unsigned flags = 0; flags < 16; ++flags) {
        struct wire_report report;

        fill_fields(&report, report_fields, COUNT(report_fields));
        report.phases = TORUS_PHASES_MAX;
        report.rounds = 1;
        report.output = (flags & 1) != 0;
        report.layers = (flags & 2) != 0;
        report.advance = (flags & 4) != 0;
        report.meanwhile = (flags & 8) != 0;
        if (!report.layers) { /* what these say is not stored */
            memset(report.startup_ps, 0, sizeof report.startup_ps);
            memset(report.received_ps, 0, sizeof report.received_ps);
            memset(report.share_units, 0, sizeof report.share_units);
            memset(report.volume_units, 0, sizeof report.volume_units);
        }
        message[WIRE_REPORT_BYTES] = 0xa5;
        CHECK_EQUAL(unit, wire_report_bytes(&report), WIRE_REPORT_BYTES);
        wire_report_store(message, &report, NULL);
        CHECK_EQUAL(unit, message[WIRE_REPORT_BYTES], 0xa5);
        CHECK_EQUAL(unit, message[7], flags);
        CHECK_EQUAL(unit, bytes_load_u32(message + 340), 0);
        check_fields(unit, message, &report, report_fields,
                     COUNT(report_fields));
        CHECK_EQUAL(
            unit, wire_report_load(&back, &tables, message, WIRE_REPORT_BYTES),
            ERR_OK);
        check_fields(unit, message, &back, report_fields, COUNT(report_fields));
        CHECK_EQUAL(unit, back.output, report.output);
        CHECK_EQUAL(unit, back.layers, report.layers);
        CHECK_EQUAL(unit, back.advance, report.advance);
        CHECK_EQUAL(unit, back.meanwhile, report.meanwhile);
        CHECK(unit, !report.layers ||
                        (memcmp(tables.share_units[0], report.share_units,
                                sizeof report.share_units) == 0 &&
                         memcmp(tables.volume_units[0], report.volume_units,
                                sizeof report.volume_units) == 0));
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
static void reports_of_trees(struct unit *unit)
{
    static const struct {
        uint8_t phases;
        uint8_t rounds;
        uint8_t flags;
        int error;
    } cases[] = {{TREE_PHASES_MAX, 1, 0, ERR_OK},
                 {TREE_PHASES_MAX, ROUNDS_MAX, 0, ERR_OK},
                 {TREE_PHASES_MAX, ROUNDS_MAX + 1, 0, ERR_FIELD},
                 {TREE_PHASES_MAX + 1, 1, 0, ERR_FIELD},
                 {TORUS_PHASES_MAX + 1, 1, 2, ERR_FIELD}}; /* layers */

    for (unsigned i = 0; i < COUNT(cases); ++i) {
        uint8_t message[WIRE_REPORT_BYTES];
        struct wire_report report = {.phases = TREE_PHASES_MAX, .rounds = 1};
        struct wire_report back;
        struct rounds_plan got = {0};

        CHECK_EQUAL(unit, wire_report_bytes(&report), WIRE_REPORT_BYTES);
        wire_report_store(message, &report, NULL);
        message[4] = cases[i].phases;
        message[6] = cases[i].rounds;
        message[7] = cases[i].flags;
        CHECK_EQUAL(unit,
                    wire_report_load(&back, &got, message, WIRE_REPORT_BYTES),
                    cases[i].error);
        CHECK(unit, cases[i].error != ERR_OK ||
                        (back.phases == cases[i].phases &&
                         back.rounds == cases[i].rounds && !back.layers));
    }
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
    UNIT_RUN(unit, orders_have_the_documented_layout);
    UNIT_RUN(unit, order_with_halos_round_trip);
    UNIT_RUN(unit, orders_that_are_refused);
    UNIT_RUN(unit, order_with_a_tree_round_trip);
    UNIT_RUN(unit, jobs_of_all_lengths);
    UNIT_RUN(unit, tables_round_trip);
    UNIT_RUN(unit, announcements_with_long_arguments);
    UNIT_RUN(unit, damaged_jobs_are_refused);
    UNIT_RUN(unit, parts_chunks_and_demands);
    UNIT_RUN(unit, reports_have_the_documented_layout);
    UNIT_RUN(unit, report_of_rounds_round_trip);
    UNIT_RUN(unit, reports_of_trees);
}

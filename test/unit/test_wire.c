/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as scatter/wire/wire.h has them: each field at its place, nothing
   written or read behind it, and what is refused. */
#include "scatter/wire/wire.h"
#include "test/unit/unit.h"

#include <stddef.h>
#include <string.h>

#define ROOM 1024u
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A message cut to `bytes`, at the very end of its array: the host's sanitizer
   reports a read beyond it. Odd lengths put it at odd addresses. */
static const uint8_t *cut(const uint8_t *message, uint32_t bytes)
{
    static uint8_t room[ROOM];

    memcpy(room + ROOM - bytes, message, bytes);
    return room + ROOM - bytes;
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
    FIELD(wire_order, whole_units, 72, 4),
    FIELD(wire_order, compute_ps, 80, 8),
    FIELD(wire_order, call_ps, 88, 8)};

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
    FIELD(wire_announce, unit_bytes, 0, 4),
    FIELD(wire_announce, load_units, 4, 4)};

/* ---- kinds of messages ---- */

union any {
    struct wire_order order;
    struct wire_report report;
    struct wire_job job;
    struct wire_part part;
    struct wire_chunk chunk;
    struct wire_demand demand;
    struct wire_announce announce;
};

static const uint8_t argument[8] = {'n', 0xff, 0, 'r', 7};
static _Alignas(4) uint8_t tree[2 * TREE_BRANCH_BYTES] = {1, 2, 3};

#define STORES(bytes)                                                          \
    static void store_##bytes(uint8_t *out, const union any *any)              \
    {                                                                          \
        memcpy(out, any, bytes);                                               \
    }
#define LOADS(type, load)                                                      \
    static int load_##type(union any *any, const uint8_t *in, uint32_t bytes)  \
    {                                                                          \
        return load;                                                           \
    }

STORES(12)
STORES(16)
LOADS(order, wire_order_load(&any->order, in, bytes))
LOADS(part, wire_load(any, sizeof any->part, in, bytes))
LOADS(chunk, wire_load(any, sizeof any->chunk, in, bytes))
LOADS(demand, wire_load(any, sizeof any->demand, in, bytes))
LOADS(announce, wire_announce_load(&any->announce, in, bytes))

static void store_order(uint8_t *out, const union any *any)
{
    wire_order_store(out, &any->order);
}

static void store_report(uint8_t *out, const union any *any)
{
    wire_report_store(out, &any->report, NULL);
}

static int load_report(union any *any, const uint8_t *in, uint32_t bytes)
{
    static struct rounds_plan tables;

    return wire_report_load(&any->report, &tables, in, bytes);
}

static void store_job(uint8_t *out, const union any *any)
{
    wire_job_store(out, &any->job, NULL);
}

static int load_job(union any *any, const uint8_t *in, uint32_t bytes)
{
    int error = wire_job_load(&any->job, in, bytes);

    if (error == ERR_OK) {
        any->job.slots = wire_job_slots(in);
    }
    return error;
}

enum kind {
    ORDER,
    REPORT,
    JOB,
    PART,
    CHUNK,
    DEMAND,
    ANNOUNCE,
    KINDS
};

static const struct {
    uint32_t stored; /* bytes that are stored, and .. */
    uint32_t bytes;  /* .. of the message below; */
    bool exact;      /* which may not be longer */
    const struct field *fields;
    unsigned count;
    void (*store)(uint8_t *out, const union any *any);
    int (*load)(union any *any, const uint8_t *in, uint32_t bytes);
} kinds[KINDS] = {
    [ORDER] = {96 + 8 + 32, 96 + 8 + 32 + 9, true, order_fields,
               COUNT(order_fields), store_order, load_order},
    [REPORT] = {368, 368, false, report_fields, COUNT(report_fields),
                store_report, load_report},
    [JOB] = {36, 36, false, job_fields, COUNT(job_fields), store_job, load_job},
    [PART] = {12, 12, false, part_fields, COUNT(part_fields), store_12,
              load_part},
    [CHUNK] = {12, 12, false, chunk_fields, COUNT(chunk_fields), store_12,
               load_chunk},
    [DEMAND] = {16, 16, false, demand_fields, COUNT(demand_fields), store_16,
                load_demand},
    [ANNOUNCE] = {12, 12 + 8, true, announce_fields, COUNT(announce_fields),
                  store_12, load_announce}};

/* Every byte of every field is set, no two neighbours alike; where not all
   values are allowed, to some that are. */
static void make(union any *any, enum kind kind)
{
    uint8_t next = 0;

    memset(any, 0, sizeof *any);
    for (unsigned i = 0; i < kinds[kind].count; ++i) {
        for (unsigned k = 0; k < kinds[kind].fields[i].bytes; ++k) {
            ((uint8_t *)any)[kinds[kind].fields[i].member + k] = next += 37;
        }
    }
    if (kind == ORDER) {
        any->order.kernel[WIRE_NAME_BYTES - 1] = 0;
        any->order.reserve = WIRE_RESERVE_MAX;
        any->order.compute_ps = PLANNER_TIME_MAX_PS - 0xfedcba;
        any->order.call_ps = WIRE_CALL_MAX_PS - 0xfedcba;
        any->order.unit_bytes = 2;
        any->order.load_units = 3;
        any->order.whole_units = UINT32_MAX;
        any->order.before_bytes = 2;
        any->order.after_bytes = 1;
        any->order.flags = 0xa;
        any->order.policy = 0x5;
        any->order.tree_nodes = 2;
        any->order.tree = tree;
        any->order.arg_bytes = 5;
        any->order.arg = argument;
    } else if (kind == REPORT) {
        any->report.phases = TORUS_PHASES_MAX;
        any->report.rounds = 1;
        any->report.layers = true;
    } else if (kind == JOB) {
        any->job.phases = TORUS_PHASES_MAX;
        any->job.rounds = ROUNDS_MAX;
        any->job.flags = WIRE_FLAGS(WIRE_MORE, WIRE_PATTERN);
        any->job.slots.shift = 31;
    } else if (kind == ANNOUNCE) {
        any->announce.arg_bytes = 5;
    }
}

static void check_fields(struct unit *unit, const uint8_t *message,
                         const union any *any, enum kind kind)
{
    for (unsigned i = 0; i < kinds[kind].count; ++i) {
        const struct field *field = &kinds[kind].fields[i];

        if (memcmp(message + field->at, (const uint8_t *)any + field->member,
                   field->bytes) != 0) {
            CHECK_EQUAL(unit, 1000 * kind + field->at, -1); /* is wrong */
        }
    }
}

/* Stored, cut to every length, and read again. */
static void every_kind_has_the_documented_layout(struct unit *unit)
{
    static _Alignas(4) uint8_t message[ROOM];
    static union any any;
    static union any back;

    for (enum kind kind = 0; kind < KINDS; ++kind) {
        uint32_t whole = kinds[kind].bytes;

        make(&any, kind);
        memset(message, 0xa5, sizeof message);
        kinds[kind].store(message, &any);
        CHECK_EQUAL(unit, message[kinds[kind].stored], 0xa5);
        check_fields(unit, message, &any, kind);
        for (uint32_t bytes = 0; bytes <= whole + 9; ++bytes) {
            bool good = bytes == whole || (bytes > whole && !kinds[kind].exact);

            CHECK_EQUAL(unit,
                        kinds[kind].load(&back, cut(message, bytes), bytes),
                        good ? ERR_OK : ERR_LENGTH);
        }
        CHECK_EQUAL(unit, kinds[kind].load(&back, message, whole), ERR_OK);
        check_fields(unit, message, &back, kind);
    }
}

/* A switch takes no message of another kind; and no two are alike. */
static void every_phase_has_kinds_of_its_own(struct unit *unit)
{
    bool seen[CIRCUIT_KIND_MAX + 1] = {false};

    for (unsigned i = 1; i <= TREE_PHASES_MAX + TORUS_PHASES_MAX; ++i) {
        bool outputs = i > TREE_PHASES_MAX;
        unsigned phase = outputs ? i - TREE_PHASES_MAX : i;
        unsigned kind =
            outputs ? WIRE_OUTPUTS_OF(phase) : WIRE_RESULT_OF(phase);

        CHECK_EQUAL(unit, WIRE_KIND(kind), WIRE_RESULT);
        CHECK_EQUAL(unit, WIRE_KIND_PHASE(kind), phase);
        CHECK(unit, kind <= CIRCUIT_KIND_MAX && !seen[kind]);
        seen[kind <= CIRCUIT_KIND_MAX ? kind : 0] = true;
    }
}

/* What lies behind an order's fields, and bits of its flags. */
static void what_an_order_brings(struct unit *unit)
{
    static _Alignas(4) uint8_t message[ROOM];
    static union any any;
    struct wire_order back;

    make(&any, ORDER);
    store_order(message, &any);
    CHECK_EQUAL(unit, wire_order_head_bytes(&any.order), 96 + 8 + 32);
    CHECK_EQUAL(unit, message[47], 0x5a);
    CHECK_EQUAL(unit, memcmp(message + 96, argument, 8), 0);
    CHECK_EQUAL(unit, memcmp(message + 96 + 8, tree, sizeof tree), 0);
    CHECK_EQUAL(unit, wire_order_load(&back, message, kinds[ORDER].bytes),
                ERR_OK);
    CHECK_EQUAL(unit, back.flags, 0xa);
    CHECK_EQUAL(unit, back.policy, 0x5);
    CHECK(unit, back.arg == message + 96);
    CHECK(unit, back.tree == message + 96 + 8);
    CHECK(unit, back.load == message + 96 + 8 + 32 + 2);
}

/* The two fields of an announcement's last word. */
static void length_and_kernel_of_an_announcement(struct unit *unit)
{
    static _Alignas(4) uint8_t message[ROOM];
    static union any any;
    struct wire_announce back;

    make(&any, ANNOUNCE);
    any.announce.kernel = 0xa7;
    kinds[ANNOUNCE].store(message, &any);
    CHECK_EQUAL(unit, bytes_load_u32(message + 8), 0xa7000005u);
    CHECK_EQUAL(unit, wire_announce_load(&back, message, kinds[ANNOUNCE].bytes),
                ERR_OK);
    CHECK_EQUAL(unit, back.kernel, 0xa7);
    CHECK_EQUAL(unit, back.arg_bytes, 5);
    CHECK(unit, back.arg == message + WIRE_ANNOUNCE_BYTES);
}

/* Times of results behind a job with an output; shares and volumes, as a part
   has them ahead of its job; and a part's place. */
static void tables_of_a_job(struct unit *unit)
{
    static _Alignas(4) uint8_t message[ROOM];
    static uint64_t results[TORUS_PHASES_MAX + 1];
    uint32_t shares[TORUS_PHASES_MAX + 1];
    uint32_t volumes[TORUS_PHASES_MAX + 1];

    for (unsigned i = 0; i <= TORUS_PHASES_MAX; ++i) {
        results[i] = 0x0123456700000000 + 3 * i;
        shares[i] = 0x80000000u + i;
        volumes[i] = 0xfffffff0u - 17 * i;
    }
    for (unsigned phases = 1; phases <= TORUS_PHASES_MAX; ++phases) {
        static union any any;
        uint32_t bytes = 36 + 8 * (phases + 1);

        make(&any, JOB);
        any.job.phases = (uint8_t)phases;
        any.job.flags |= WIRE_OUTPUT;
        memset(message, 0xa5, sizeof message);
        wire_job_store(message, &any.job, results);
        CHECK_EQUAL(unit, wire_job_bytes(&any.job), bytes);
        CHECK_EQUAL(unit, message[bytes], 0xa5);
        CHECK_EQUAL(unit, load_job(&any, message, bytes), ERR_OK);
        CHECK_EQUAL(unit, load_job(&any, message, bytes - 1), ERR_LENGTH);
        CHECK(unit, memcmp(message + 36, results, 8 * (phases + 1)) == 0);
        CHECK(unit, wire_job_result_ps(message, phases) == results[phases]);

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
    CHECK_EQUAL(unit, wire_part_place(4, 3, 9), 4 | 3 << 8 | 9 << 16);
}

/* Each of a report's flags alone; and tables of several rounds behind it. */
static void what_a_report_brings(struct unit *unit)
{
    static uint8_t message[WIRE_REPORT_BYTES_MAX + 1];
    static struct rounds_plan tables;
    static struct rounds_plan got;
    struct wire_report report = {
        .phases = TORUS_PHASES_MAX, .rounds = ROUNDS_MAX, .layers = true};
    struct wire_report back;

    for (unsigned flags = 0; flags < 16; ++flags) {
        struct wire_report flagged = {.output = (flags & 1) != 0,
                                      .layers = (flags & 2) != 0,
                                      .advance = (flags & 4) != 0,
                                      .meanwhile = (flags & 8) != 0};

        wire_report_store(message, &flagged, NULL);
        CHECK_EQUAL(unit, message[7], flags);
        CHECK_EQUAL(unit,
                    wire_report_load(&back, &got, message, WIRE_REPORT_BYTES),
                    ERR_OK);
        CHECK_EQUAL(unit,
                    back.output | back.layers << 1 | back.advance << 2 |
                        back.meanwhile << 3,
                    flags);
    }
    for (unsigned round = 0; round < ROUNDS_MAX; ++round) {
        for (unsigned i = 0; i <= TORUS_PHASES_MAX; ++i) {
            tables.share_units[round][i] = 0xfffffff0u - 100 * round - i;
            tables.volume_units[round][i] = 0x10000u * round + i;
        }
    }
    message[WIRE_REPORT_BYTES_MAX] = 0xa5;
    CHECK_EQUAL(unit, wire_report_bytes(&report), WIRE_REPORT_BYTES_MAX);
    wire_report_store(message, &report, &tables);
    CHECK_EQUAL(unit, message[WIRE_REPORT_BYTES_MAX], 0xa5);
    CHECK_EQUAL(
        unit, wire_report_load(&back, &got, message, WIRE_REPORT_BYTES_MAX - 1),
        ERR_LENGTH);
    CHECK_EQUAL(unit,
                wire_report_load(&back, &got, message, WIRE_REPORT_BYTES_MAX),
                ERR_OK);
    CHECK_EQUAL(unit, got.rounds, ROUNDS_MAX);
    CHECK_EQUAL(unit, got.phases, TORUS_PHASES_MAX);
    CHECK(unit, memcmp(got.share_units, tables.share_units,
                       sizeof tables.share_units) == 0);
    CHECK(unit, memcmp(got.volume_units, tables.volume_units,
                       sizeof tables.volume_units) == 0);
}

/* ---- what is refused ---- */

/* Flags of a report's layers; of a job's policy, along a tree. */
#define LAYERS 2u
#define TREE WIRE_FLAGS(0u, WIRE_TREE)

/* Numbers of so many bytes at these places of a message that is good but for
   them, and the error. Positions are 32 bits; a body's length does not fit in
   as many, and would be none if it were cut. */
static const struct {
    enum kind kind;
    uint8_t at[2];
    uint8_t bytes[2];
    uint64_t number[2];
    int error;
} refused[] = {
    {ORDER, {15}, {1}, {'x'}, ERR_FIELD}, /* a name without end */
    {ORDER, {56}, {4}, {KERNEL_ARG_MAX}, ERR_LENGTH},
    {ORDER, {56}, {4}, {KERNEL_ARG_MAX + 1}, ERR_FIELD},
    {ORDER, {56}, {4}, {UINT32_MAX - 3}, ERR_FIELD},
    {ORDER, {40}, {4}, {UINT32_MAX}, ERR_FIELD},
    {ORDER, {40, 60}, {4, 4}, {6, UINT32_MAX - 6}, ERR_LENGTH},
    {ORDER, {40, 60}, {4, 4}, {6, UINT32_MAX - 5}, ERR_FIELD},
    {ORDER, {40, 52}, {4, 4}, {0x10000, 0x10000}, ERR_LENGTH},
    {ORDER, {64, 68}, {4, 4}, {0x80000001, 0x80000002}, ERR_LENGTH},
    {ORDER, {48}, {2}, {TREE_NODES_MAX}, ERR_LENGTH},
    {ORDER, {48}, {2}, {TREE_NODES_MAX + 1}, ERR_FIELD},
    {ORDER, {50}, {1}, {WIRE_RESERVE_MAX + 1}, ERR_FIELD},
    {ORDER, {50}, {1}, {WIRE_BEST}, ERR_OK},
    {ORDER, {60, 72}, {4, 4}, {6, 9}, ERR_OK},
    {ORDER, {60, 72}, {4, 4}, {6, 8}, ERR_FIELD},
    {ORDER, {72}, {4}, {2}, ERR_FIELD},
    {ORDER, {80, 88}, {8, 8}, {PLANNER_TIME_MAX_PS, WIRE_CALL_MAX_PS}, ERR_OK},
    {ORDER, {80}, {8}, {PLANNER_TIME_MAX_PS + 1}, ERR_FIELD},
    {ORDER, {88}, {8}, {WIRE_CALL_MAX_PS + 1}, ERR_FIELD},
    {JOB, {0}, {1}, {0}, ERR_FIELD},
    {JOB, {0}, {1}, {TORUS_PHASES_MAX + 1}, ERR_FIELD},
    {JOB, {1}, {1}, {0}, ERR_FIELD},
    {JOB, {1}, {1}, {ROUNDS_MAX + 1}, ERR_FIELD},
    {JOB, {0, 2}, {1, 1}, {TREE_PHASES_MAX, TREE}, ERR_OK},
    {JOB, {0, 2}, {1, 1}, {0, TREE}, ERR_FIELD},
    {JOB, {0, 2}, {1, 1}, {TREE_PHASES_MAX + 1, TREE}, ERR_FIELD},
    {REPORT, {4}, {1}, {TORUS_PHASES_MAX + 1}, ERR_FIELD},
    {REPORT, {6}, {1}, {ROUNDS_MAX + 1}, ERR_FIELD},
    {REPORT, {6}, {1}, {2}, ERR_LENGTH},
    {REPORT, {6, 7}, {1, 1}, {ROUNDS_MAX, 0}, ERR_OK},
    {REPORT, {6, 7}, {1, 1}, {ROUNDS_MAX + 1, 0}, ERR_FIELD},
    {REPORT, {4, 7}, {1, 1}, {TREE_PHASES_MAX, 0}, ERR_OK},
    {REPORT, {4, 7}, {1, 1}, {TREE_PHASES_MAX + 1, 0}, ERR_FIELD},
    {REPORT, {4, 7}, {1, 1}, {TREE_PHASES_MAX, LAYERS}, ERR_FIELD},
    {ANNOUNCE, {8}, {4}, {KERNEL_ARG_MAX}, ERR_LENGTH},
    {ANNOUNCE, {8}, {4}, {KERNEL_ARG_MAX + 1}, ERR_FIELD},
    {ANNOUNCE, {8}, {4}, {UINT32_MAX - 2}, ERR_FIELD}};

static void what_is_refused(struct unit *unit)
{
    static _Alignas(4) uint8_t message[ROOM];
    static union any any;

    for (unsigned i = 0; i < COUNT(refused); ++i) {
        enum kind kind = refused[i].kind;
        int error;

        make(&any, kind);
        kinds[kind].store(message, &any);
        for (unsigned k = 0; k < 2; ++k) {
            memcpy(message + refused[i].at[k], &refused[i].number[k],
                   refused[i].bytes[k]);
        }
        error = kinds[kind].load(&any, cut(message, kinds[kind].bytes),
                                 kinds[kind].bytes);
        if (error != refused[i].error) {
            CHECK_EQUAL(unit, error, refused[i].error);
            CHECK_EQUAL(unit, i, -1); /* the row */
        }
    }
}

void test_wire(struct unit *unit)
{
    UNIT_RUN(unit, every_kind_has_the_documented_layout);
    UNIT_RUN(unit, every_phase_has_kinds_of_its_own);
    UNIT_RUN(unit, what_an_order_brings);
    UNIT_RUN(unit, length_and_kernel_of_an_announcement);
    UNIT_RUN(unit, tables_of_a_job);
    UNIT_RUN(unit, what_a_report_brings);
    UNIT_RUN(unit, what_is_refused);
}

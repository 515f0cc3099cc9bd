/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node that gets its branch of a tree, or its part on the pattern, and the
 * announcements, rounds and advances around them: whole, cut at every byte, and
 * with every value of every byte. What is malformed is refused with an error;
 * nothing behind a message is looked at, since the world poisons it.
 */
#include "scatter/plan/tree.h"
#include "test/scatter/engine/suite.h"

#include <string.h>

#define WIDTH 9u
#define HEIGHT 6u
#define PHASES 6u
#define SIDE 5u /* of the pattern's torus */
#define PATTERN_PHASES 2u
#define UNIT_BYTES 3u
#define BEFORE_BYTES 4u
#define ROOM_BYTES 4096u
#define TOLD_MAX 3u

static const struct torus_coord place = {1, 1};

/* A whole message. */
struct message {
    enum wire_policy policy;
    enum wire_kind kind;
    unsigned piece; /* of the tree: of `pieces` */
    uint16_t job;
    uint32_t branch_at;
    uint32_t load_at;
    uint32_t bytes;
    uint8_t data[ROOM_BYTES];
};

struct branch {
    uint32_t units;
    uint32_t first_unit;
    uint16_t nodes;
    uint8_t port;
    uint8_t turn;
    uint16_t hops;
    uint16_t hops_after;
    uint8_t phase;
};

/* A leaf; a node with a leaf, a subtree and a child that gets nothing; one
   whose share is empty. */
static const struct branch leaf[] = {{40, 100, 1, 2, 1, 3, 2, 4}};
static const struct branch inner[] = {
    {60, 3, 7, 1, 0, 2, 0, 1},  {10, 23, 1, 0, 0, 1, 0, 2},
    {20, 33, 3, 1, 2, 2, 1, 2}, {5, 40, 1, 0, 0, 1, 0, 3},
    {8, 45, 1, 3, 0, 1, 0, 4},  {0, 53, 1, 2, 0, 1, 0, 3},
    {10, 53, 1, 3, 1, 4, 5, 3}};
static const struct branch idle[] = {{9, 0, 2, 3, 2, 1, 1, 5},
                                     {9, 0, 1, 0, 0, 8, 0, 6}};

static const struct {
    const struct branch *branches;
    uint32_t count;
    uint32_t after_bytes;
} pieces[] = {{leaf, COUNT(leaf), 0},
              {inner, COUNT(inner), 0},
              {inner, COUNT(inner), 5},
              {idle, COUNT(idle), 0}};

/* Of the pattern, by layer: 40 units a node. */
static const uint32_t volume_units[PATTERN_PHASES + 1] = {1000, 200, 40};

/* ---- the messages ---- */

/* Result: its bytes. */
static uint32_t store_piece(uint8_t *at, unsigned piece)
{
    for (uint32_t i = 0; i < pieces[piece].count; ++i) {
        const struct branch *branch = &pieces[piece].branches[i];

        bytes_store_u32(at, branch->units);
        bytes_store_u32(at + 4, branch->first_unit);
        bytes_store_u16(at + 8, branch->nodes);
        at[10] = (uint8_t)(branch->port | branch->turn << 4);
        at[11] = branch->phase;
        bytes_store_u16(at + 12, branch->hops);
        bytes_store_u16(at + 14, branch->hops_after);
        at += TREE_BRANCH_BYTES;
    }
    return TREE_BRANCH_BYTES * pieces[piece].count;
}

/* At `at` of the message. Result: its bytes. */
static uint32_t store_job(struct message *message, uint32_t at,
                          uint32_t after_bytes)
{
    bool part = message->kind == WIRE_PART;
    struct wire_job job = {.phases = part ? PATTERN_PHASES : PHASES,
                           .rounds = 1,
                           .flags = WIRE_FLAGS(0u, message->policy),
                           .slots.long_units = 1,
                           .before_bytes = BEFORE_BYTES,
                           .after_bytes = after_bytes};

    wire_job_store(message->data + at, &job, NULL);
    return wire_job_bytes(&job);
}

/* Bytes of any kind to the message's end. */
static void fill(struct message *message, uint32_t bytes)
{
    message->bytes = message->load_at + bytes;
    for (uint32_t i = 0; i < bytes; ++i) {
        message->data[message->load_at + i] = judge_output(i);
    }
}

static struct message make_branch(unsigned piece)
{
    const struct branch *branches = pieces[piece].branches;
    uint32_t before = branches->first_unit * UNIT_BYTES;
    struct message message = {
        .policy = WIRE_TREE, .kind = WIRE_BRANCH, .piece = piece, .job = 1};

    message.branch_at = store_job(&message, 0, pieces[piece].after_bytes);
    message.load_at = message.branch_at +
                      store_piece(message.data + message.branch_at, piece);
    fill(&message, (before < BEFORE_BYTES ? before : BEFORE_BYTES) +
                       branches->units * UNIT_BYTES +
                       pieces[piece].after_bytes);
    return message;
}

#define ROUND_UNITS 3u /* of each node that got some in the first round */
#define ROUND_FIRST 200u

static struct message make_round(unsigned piece)
{
    const struct branch *branches = pieces[piece].branches;
    uint32_t count = pieces[piece].count;
    uint32_t unit = ROUND_FIRST;
    struct message message = {.policy = WIRE_TREE,
                              .kind = WIRE_BRANCH_ROUND,
                              .piece = piece,
                              .job = 1,
                              .load_at = 8 + 4 * count};

    bytes_store_u32(message.data, 1);
    for (uint32_t i = 0; i < count; ++i) {
        bytes_store_u32(message.data + 4 + 4 * i, unit);
        unit += branches[i].units > 0 ? ROUND_UNITS : 0;
    }
    bytes_store_u32(message.data + 4 + 4 * count, unit);
    fill(&message, BEFORE_BYTES + (unit - ROUND_FIRST) * UNIT_BYTES +
                       pieces[piece].after_bytes);
    return message;
}

static struct torus_role role_of_node(void)
{
    return torus_role_of((struct torus_size){SIDE, SIDE},
                         (struct torus_coord){0, 0}, place);
}

/* Of the job that `of` is of. */
static struct message make_announcement(const struct message *of)
{
    struct wire_announce announce = {.unit_bytes = UNIT_BYTES,
                                     .arg_bytes = JUDGE_ARG_BYTES};
    struct message message = {
        .policy = of->policy, .kind = WIRE_ANNOUNCE, .job = 1};
    bool tree = of->policy == WIRE_TREE;
    uint8_t *arg;

    message.load_at =
        tree ? store_piece(message.data, of->piece) : WIRE_ANNOUNCE_HEAD_BYTES;
    if (!tree) {
        message.data[0] = role_of_node().layer;
    }
    wire_announce_store(message.data + message.load_at, &announce);
    arg = message.data + message.load_at + WIRE_ANNOUNCE_BYTES;
    bytes_store_u32(arg, BEFORE_BYTES);
    bytes_store_u32(arg + 4, tree ? pieces[of->piece].after_bytes : 0);
    message.bytes = message.load_at + WIRE_ANNOUNCE_BYTES + JUDGE_ARG_BYTES;
    return message;
}

/* Bytes of a part's tables, and where its job lies. */
#define TABLES_BYTES WIRE_TABLES_BYTES(PATTERN_PHASES)
#define JOB_AT (WIRE_PART_BYTES + TABLES_BYTES)

static struct message make_part(void)
{
    static const uint32_t share_units[PATTERN_PHASES + 1] = {40, 40, 40};
    struct torus_role role = role_of_node();
    uint32_t units = volume_units[role.layer];
    struct message message = {
        .policy = WIRE_PATTERN, .kind = WIRE_PART, .job = 1};

    wire_part_store(
        message.data, units, 0,
        wire_part_place(role.layer, role.port, 0) |
            circuit_label(PATTERN_PHASES, TABLES_BYTES + WIRE_JOB_BYTES));
    wire_tables_store(message.data + WIRE_PART_BYTES, PATTERN_PHASES,
                      share_units, volume_units);
    message.load_at = JOB_AT + store_job(&message, JOB_AT, 0);
    fill(&message, units * UNIT_BYTES);
    return message;
}

/* The same with tables of equal shares, but no job. */
static struct message make_advance(void)
{
    static const uint32_t share_units[PATTERN_PHASES + 1] = {0, 40, 40};
    struct message message = make_part();

    message.data[11] = TABLES_BYTES / 4 << 1 | 1;
    wire_tables_store(message.data + WIRE_PART_BYTES, PATTERN_PHASES,
                      share_units, volume_units);
    message.load_at = JOB_AT;
    fill(&message, volume_units[role_of_node().layer] * UNIT_BYTES);
    return message;
}

/* The part that comes behind an advance: with the job, in round 1. */
static struct message make_second(void)
{
    uint32_t units = volume_units[role_of_node().layer];
    struct message message = make_part();

    bytes_store_u32(message.data + 4, units);
    message.data[10] = 1;
    message.data[JOB_AT + 1] = 2; /* rounds */
    fill(&message, BEFORE_BYTES + units * UNIT_BYTES);
    return message;
}

/* ---- what must hold of them ---- */

static bool way_fits(const uint8_t *at)
{
    unsigned turn = at[10] >> 4;
    unsigned hops = bytes_load_u16(at + 12);
    unsigned hops_after = bytes_load_u16(at + 14);

    return (at[10] & 15) <= 3 && turn <= 2 && hops >= 1 && hops <= WIDTH &&
           (turn == 0 || (hops_after >= 1 && hops_after <= WIDTH));
}

/* The children's pieces fill their parent's, their ranges its range from where
   the first begins; phases rise, and never fall from child to child. Who gets
   units has a path, and a phase of the job. */
static bool children_fit(const uint8_t *branch, uint64_t units)
{
    uint32_t nodes = bytes_load_u16(branch + 8);
    uint32_t first = bytes_load_u32(branch + 4);
    uint64_t next = 0; /* from there */
    unsigned phase = branch[11] + 1u;

    for (uint32_t i = 1, step; i < nodes; i += step) {
        const uint8_t *child = branch + 16 * i;
        uint32_t begin = bytes_load_u32(child + 4) - first;
        bool sent = bytes_load_u32(child) > 0;

        step = bytes_load_u16(child + 8);
        if (step == 0 || i + step > nodes || child[11] < phase ||
            (sent && (!way_fits(child) || child[11] > PHASES)) ||
            begin < next || (i > 1 && begin != next)) {
            return false;
        }
        next = (uint64_t)begin + bytes_load_u32(child);
        phase = child[11];
    }
    return nodes == 1 || next == units;
}

static uint64_t bytes_before(uint64_t first_unit)
{
    return first_unit * UNIT_BYTES < BEFORE_BYTES ? first_unit * UNIT_BYTES
                                                  : BEFORE_BYTES;
}

/* Whether a node can do with its branch what it must. */
static bool is_branch_sound(const struct message *message)
{
    const uint8_t *branch = message->data + message->branch_at;
    int64_t load_bytes = (int64_t)message->bytes - message->branch_at;
    uint64_t units;

    if (load_bytes < 16) {
        return false;
    }
    units = bytes_load_u32(branch);
    load_bytes -= 16 * bytes_load_u16(branch + 8) +
                  (int64_t)bytes_before(bytes_load_u32(branch + 4));
    return bytes_load_u16(branch + 8) >= 1 && branch[11] >= 1 &&
           branch[11] <= PHASES && way_fits(branch) &&
           load_bytes >= (int64_t)(units * UNIT_BYTES) &&
           children_fit(branch, units);
}

/* Where the range of node `index` begins; of a piece's end, where it ends. */
static uint32_t round_first(const struct message *message, uint32_t index)
{
    return bytes_load_u32(message->data + 4 + 4 * index);
}

/* Whether a round's ranges lie in the node's, those of its children, and it is
   all there. */
static bool is_round_sound(const struct message *message)
{
    const struct branch *branches = pieces[message->piece].branches;
    uint32_t count = pieces[message->piece].count;
    uint64_t first = round_first(message, 0);
    uint64_t end = round_first(message, count);

    if (bytes_load_u32(message->data) != 1 || end < first ||
        bytes_before(first) + (end - first) * UNIT_BYTES >
            message->bytes - message->load_at) {
        return false;
    }
    for (uint32_t at = 1; at < count; at += branches[at].nodes) {
        uint64_t from = round_first(message, at);
        uint64_t to = round_first(message, at + branches[at].nodes);

        if (from < first || to < from || to > end ||
            (branches[at].units == 0 && to > from)) {
            return false;
        }
    }
    return true;
}

/* ---- telling ---- */

/* Messages for one node, of which the last is the one that matters. */
struct script {
    const struct message *told[TOLD_MAX];
    bool with_children;
};

/* Its error. If there is none, it has got as far as to wait for a message or
   for its children, or it is done. */
static int run(const struct script *script)
{
    static struct told told;
    bool tree = script->told[0]->policy == WIRE_TREE;

    told.with_children = script->with_children;
    told_begin(&told, script->told[0]->policy,
               tree ? (struct torus_size){WIDTH, HEIGHT}
                    : (struct torus_size){SIDE, SIDE},
               place);
    for (unsigned i = 0; i < TOLD_MAX && script->told[i] != NULL; ++i) {
        const struct message *message = script->told[i];

        tell(&told, message->kind, message->job, message->data, message->bytes);
    }
    return told_end(&told);
}

/* With the announcement of the first one's job ahead; `second` may be NULL. */
static int run_job(const struct message *first, const struct message *second)
{
    struct message announcement = make_announcement(first);

    return run(&(struct script){.told = {&announcement, first, second}});
}

/* All are taken, and the children do their share. */
static void check_done(struct unit *unit, const struct message *first,
                       const struct message *second)
{
    struct message announcement = make_announcement(first);

    CHECK_EQUAL(unit,
                run(&(struct script){.told = {&announcement, first, second},
                                     .with_children = true}),
                ERR_OK);
}

#define OR(error) | 1u << -(ERR_##error)

/* What becomes of a message with every value of its bytes from `from` to
   `end`. */
struct sweep {
    struct script script;
    unsigned changed; /* which of the script */
    uint32_t from;
    uint32_t end;
    unsigned step;   /* of values; 0: 1 */
    uint32_t errors; /* that there may be: OR() */
    bool (*is_sound)(const struct message *message); /* or NULL: anything */
};

/* Result: how many were refused. */
static uint32_t sweep(struct unit *unit, struct sweep sweep)
{
    const struct message *good = sweep.script.told[sweep.changed];
    static struct message bad;
    uint32_t refused = 0;

    bad = *good;
    sweep.script.told[sweep.changed] = &bad;
    for (uint32_t at = sweep.from; at < sweep.end; ++at) {
        for (unsigned value = 0;
             value<256; value += sweep.step> 0 ? sweep.step : 1) {
            int error;

            bad.data[at] = (uint8_t)value;
            error = run(&sweep.script);
            CHECK(unit, (sweep.errors >> -error & 1u) != 0 || error == ERR_OK);
            if (sweep.is_sound != NULL) {
                CHECK_EQUAL(unit, error == ERR_OK, sweep.is_sound(&bad));
            }
            refused += error != ERR_OK;
        }
        bad.data[at] = good->data[at];
    }
    return refused;
}

/* Every length below `end` is refused: where nothing is behind the range, every
   byte is missed. */
static void check_cuts(struct unit *unit, struct script script,
                       unsigned changed, uint32_t end)
{
    static struct message bad;

    bad = *script.told[changed];
    script.told[changed] = &bad;
    for (bad.bytes = 0; bad.bytes < end; ++bad.bytes) {
        CHECK_EQUAL(unit, run(&script), ERR_LENGTH);
    }
}

/* ---- of a tree ---- */

static void branches(struct unit *unit)
{
    uint32_t refused = 0;

    for (unsigned piece = 0; piece < COUNT(pieces); ++piece) {
        struct message good = make_branch(piece);
        struct message announcement = make_announcement(&good);
        struct script script = {.told = {&announcement, &good}};

        CHECK(unit, is_branch_sound(&good));
        check_done(unit, &good, NULL);
        check_cuts(unit, script, 1, good.bytes - pieces[piece].after_bytes);
        refused += sweep(unit, (struct sweep){.script = script,
                                              .changed = 1,
                                              .from = good.branch_at,
                                              .end = good.load_at,
                                              .errors = 0 OR(LENGTH) OR(FIELD)
                                                  OR(PLAN) OR(NO_ROUTE),
                                              .is_sound = is_branch_sound});
        /* The piece of the announcement, which lies ahead of the job. */
        check_cuts(unit, (struct script){.told = {&announcement}}, 0,
                   announcement.bytes);
        refused +=
            sweep(unit, (struct sweep){.script = {.told = {&announcement}},
                                       .end = announcement.load_at,
                                       .errors = 0 OR(LENGTH) OR(FIELD) OR(PLAN)
                                           OR(IMAGE)});
    }
    CHECK(unit, refused > 11000);
}

/* The second round: good, cut short, with every value of every byte of its
   head, of another round, and the first round once more. */
static void second_rounds(struct unit *unit)
{
    uint32_t refused = 0;

    for (unsigned piece = 0; piece < COUNT(pieces); ++piece) {
        struct message first = make_branch(piece);
        struct message good = make_round(piece);
        struct message announcement = make_announcement(&first);
        struct sweep all = {.script = {.told = {&announcement, &first, &good}},
                            .changed = 2,
                            .end = 4,
                            .errors = 0 OR(PLACE),
                            .is_sound = is_round_sound};

        first.data[1] = 2;
        CHECK(unit, is_round_sound(&good));
        check_done(unit, &first, &good);
        check_cuts(unit, all.script, 2, good.bytes - pieces[piece].after_bytes);
        refused += sweep(unit, all);
        all.from = 4;
        all.end = good.load_at;
        all.errors = 0 OR(LENGTH) OR(PLAN);
        refused += sweep(unit, all);
        CHECK_EQUAL(unit, run_job(&first, &first), ERR_KIND);
    }
    CHECK(unit, refused > 5000);
}

/* A node takes only jobs of its mesh's policy, of 1 to 16 rounds. */
static void jobs_of_other_kinds(struct unit *unit)
{
    for (unsigned value = 0; value < 256; ++value) {
        struct message message = make_branch(0);

        message.data[1] = (uint8_t)value;
        CHECK_EQUAL(unit, run_job(&message, NULL),
                    value >= 1 && value <= 16 ? ERR_OK : ERR_FIELD);
        message = make_branch(0);
        message.data[2] = (uint8_t)(value << 4);
        CHECK_EQUAL(unit, run_job(&message, NULL),
                    value % 16 == WIRE_TREE ? ERR_OK : ERR_FIELD);
        /* Nor more phases than the torus: no form that was not prepared is
           sent. */
        message = make_part();
        message.data[JOB_AT] = (uint8_t)value;
        CHECK_EQUAL(unit, run_job(&message, NULL),
                    value == PATTERN_PHASES ? ERR_OK : ERR_FIELD);
    }
}

/* ---- of the pattern ---- */

/* A node of the pattern takes its own part alone: of its layer, through its
   port, of the round that it waits for; with as many phases and bytes ahead of
   the range as it has. */
static void parts_of_other_places(struct unit *unit)
{
    struct message good = make_part();

    check_done(unit, &good, NULL);
    for (uint32_t at = WIRE_PART_AT_LABEL; at < WIRE_PART_BYTES; ++at) {
        for (unsigned value = 0; value < 256; ++value) {
            struct message message = good;
            int error;

            if (at == 11 && value == (TABLES_BYTES / 4 << 1 | 1)) {
                continue; /* an advance of a longer range: it can't be told */
            }
            message.data[at] = (uint8_t)value;
            error = run_job(&message, NULL);
            if (value == good.data[at]) {
                CHECK_EQUAL(unit, error, ERR_OK);
            } else if (at < 11 && (at > 8 || value % 16 != good.data[8] % 16)) {
                CHECK_EQUAL(unit, error, ERR_PLACE);
            } else {
                CHECK(unit, error == ERR_FIELD || error == ERR_LENGTH ||
                                error == ERR_PLAN);
            }
        }
    }
}

/* Behind an advance comes the job, in round 1, and it has two rounds or more;
   an advance comes once, first, and of the announced job. */
static void advances(struct unit *unit)
{
    struct message advance = make_advance();
    struct message second = make_second();
    struct message part = make_part();
    struct message bad = second;

    check_done(unit, &advance, &second);
    CHECK_EQUAL(unit, run_job(&advance, &advance), ERR_PLACE);
    CHECK_EQUAL(unit, run_job(&advance, &part), ERR_PLACE);
    CHECK_EQUAL(unit, run_job(&part, &advance), ERR_OK); /* one round */
    CHECK_EQUAL(unit, run_job(&second, &part), ERR_PLACE);
    for (unsigned rounds = 0; rounds < 256; ++rounds) {
        bad.data[JOB_AT + 1] = (uint8_t)rounds;
        CHECK_EQUAL(unit, run_job(&advance, &bad),
                    rounds >= 2 && rounds <= ROUNDS_MAX ? ERR_OK : ERR_FIELD);
    }
    bad = second;
    bad.data[11] |= 1;
    CHECK_EQUAL(unit, run_job(&advance, &bad), ERR_PLACE);
    bad = advance;
    bad.job = 2;
    CHECK_EQUAL(unit, run_job(&bad, &second), ERR_FIELD);
    bad = second;
    bad.data[10] = 2;
    CHECK_EQUAL(unit, run_job(&advance, &bad), ERR_PLACE);
    /* What is announced behind it would lie where it does. */
    bad = make_announcement(&part);
    CHECK_EQUAL(unit, run_job(&advance, &bad), ERR_KIND);
}

/* Every byte of jobs and tables, with every value, and every length. */
static void every_byte_of_parts(struct unit *unit)
{
    struct message advance = make_advance();
    struct message second = make_second();
    struct message part = make_part();
    struct message announcement = make_announcement(&part);
    struct sweep all = {.script = {.told = {&announcement, &part}},
                        .changed = 1,
                        .from = WIRE_PART_BYTES,
                        .end = part.load_at,
                        .errors = 0 OR(LENGTH) OR(FIELD) OR(PLAN) OR(TERMS)};

    CHECK(unit, sweep(unit, all) > 256);
    check_cuts(unit, all.script, 1, part.load_at);

    all.script = (struct script){.told = {&announcement, &advance, &second}};
    all.changed = 2;
    all.end = second.load_at;
    CHECK(unit, sweep(unit, all) > 256);
    all.changed = 1;
    all.end = advance.load_at;
    all.step = 15;
    all.errors = 0 OR(PLAN);
    sweep(unit, all);
    check_cuts(unit, all.script, 1, advance.bytes);
}

/* An announcement cut short, for another layer, of another kernel, with an
   argument of another length; of a job that was announced twice, or not. */
static void announcements(struct unit *unit)
{
    struct message part = make_part();
    struct message good = make_announcement(&part);
    struct message bad = good;
    const struct script again = {.told = {&good, &bad, &part}};
    const struct script first = {.told = {&bad, &good, &part}};
    const struct script alone = {.told = {&bad}};

    CHECK_EQUAL(unit, run(&(struct script){.told = {&part}}), ERR_FIELD);
    bad.job = 2;
    CHECK_EQUAL(unit, run(&first), ERR_OK);
    CHECK_EQUAL(unit, run(&again), ERR_FIELD);
    bad.job = 1; /* the last one holds: of longer units than came */
    bytes_store_u32(bad.data + 8, UNIT_BYTES + 1);
    CHECK_EQUAL(unit, run(&again), ERR_LENGTH);

    check_cuts(unit, (struct script){.told = {&good}}, 0, good.bytes);
    for (unsigned value = 0; value < 256; ++value) {
        bad = good;
        bad.data[0] = (uint8_t)value;
        CHECK_EQUAL(unit, run(&alone),
                    value == good.data[0] ? ERR_OK : ERR_PLACE);
        bad = good;
        bad.data[WIRE_ANNOUNCE_HEAD_BYTES] = (uint8_t)value;
        CHECK_EQUAL(unit, run(&alone), value == 0 ? ERR_OK : ERR_IMAGE);
    }
    bad = good;
    bytes_store_u32(bad.data + 12, KERNEL_ARG_MAX + 1);
    CHECK_EQUAL(unit, run(&alone), ERR_FIELD);
    bytes_store_u32(bad.data + 12, JUDGE_ARG_BYTES + 4);
    CHECK_EQUAL(unit, run(&alone), ERR_LENGTH);
}

void test_branches(struct unit *unit)
{
    UNIT_RUN(unit, branches);
    UNIT_RUN(unit, second_rounds);
    UNIT_RUN(unit, jobs_of_other_kinds);
    UNIT_RUN(unit, parts_of_other_places);
    UNIT_RUN(unit, advances);
    UNIT_RUN(unit, every_byte_of_parts);
    UNIT_RUN(unit, announcements);
}

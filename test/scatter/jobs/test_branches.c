/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One node of a tree and a message that brings it its branch, or of the pattern
 * and one that brings it its part, made by hand and damaged: what is malformed
 * is refused with an error, and nothing behind the message is looked at (the
 * sanitizer guards what lies there).
 */
#include "hal/host/host.h"
#include "hal/window/window.h"
#include "scatter/engine/core.h"
#include "scatter/plan/tree.h"
#include "test/scatter/jobs/suite.h"

#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define MESH 7u
#define WIDTH 9u
#define HEIGHT 6u
#define PHASES 6u
#define SIDE 5u /* of the pattern's torus */
#define PATTERN_PHASES 2u
#define UNIT_BYTES 3u
#define BEFORE_BYTES 4u
#define ROOM_BYTES 4096u
#define WINDOW_BYTES                                                           \
    (WINDOW_DMA_OFFSET + 2 * (uint32_t)sizeof(struct scatter_memory) +         \
     ROOM_BYTES)
#define RANDOM_CASES 40000u

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

/* A whole message, without the switch's header. */
struct message {
    enum wire_policy policy;
    enum wire_kind kind; /* WIRE_ANNOUNCE; WIRE_BRANCH or WIRE_PART */
    unsigned piece;      /* of the tree: of `pieces` */
    uint16_t job;
    uint32_t branch_at;
    uint32_t load_at;
    uint32_t bytes;
    uint8_t data[ROOM_BYTES];
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

/* ---- the message ---- */

static void store_branch(uint8_t *at, const struct branch *branch)
{
    bytes_store_u32(at, branch->units);
    bytes_store_u32(at + 4, branch->first_unit);
    bytes_store_u16(at + 8, branch->nodes);
    at[10] = (uint8_t)(branch->port | branch->turn << 4);
    at[11] = branch->phase;
    bytes_store_u16(at + 12, branch->hops);
    bytes_store_u16(at + 14, branch->hops_after);
}

static void store_arg(uint8_t arg[ECHO_ARG_BYTES], uint32_t after_bytes)
{
    memset(arg, 0, ECHO_ARG_BYTES);
    bytes_store_u32(arg + ECHO_AT_BEFORE, BEFORE_BYTES);
    bytes_store_u32(arg + ECHO_AT_AFTER, after_bytes);
    bytes_store_u64(arg + ECHO_AT_UNITS, 1000);
}

/* At `at` of the message. Result: its bytes. */
static uint32_t store_job(struct message *message, uint32_t at,
                          uint32_t after_bytes)
{
    bool part = message->kind == WIRE_PART;
    struct wire_job job = {.phases = part ? PATTERN_PHASES : PHASES,
                           .rounds = 1,
                           .flags = part ? WIRE_FLAGS(0u, WIRE_PATTERN)
                                         : WIRE_FLAGS(0u, WIRE_TREE),
                           .slots.long_units = 1,
                           .before_bytes = BEFORE_BYTES,
                           .after_bytes = after_bytes};

    wire_job_store(message->data + at, &job, NULL);
    return wire_job_bytes(&job);
}

/* Result: its bytes. */
static uint32_t store_piece(uint8_t *at, unsigned piece)
{
    uint32_t bytes = TREE_BRANCH_BYTES * pieces[piece].count;

    for (uint32_t i = 0; i < pieces[piece].count; ++i) {
        store_branch(at + TREE_BRANCH_BYTES * i, &pieces[piece].branches[i]);
    }
    return bytes;
}

static struct message make(unsigned piece)
{
    const struct branch *branches = pieces[piece].branches;
    uint32_t first = branches->first_unit * UNIT_BYTES;
    uint32_t before = first < BEFORE_BYTES ? first : BEFORE_BYTES;
    struct message message = {
        .policy = WIRE_TREE, .kind = WIRE_BRANCH, .piece = piece, .job = 1};

    message.branch_at = store_job(&message, 0, pieces[piece].after_bytes);
    message.load_at =
        message.branch_at + TREE_BRANCH_BYTES * pieces[piece].count;
    store_piece(message.data + message.branch_at, piece);
    message.bytes = message.load_at + before + branches->units * UNIT_BYTES +
                    pieces[piece].after_bytes;
    for (uint32_t at = message.load_at; at < message.bytes; ++at) {
        message.data[at] = echo_load(first - before + at - message.load_at);
    }
    return message;
}

/* Units of the second round's ranges, of each node of a piece, own ones. */
#define ROUND_UNITS 3u
#define ROUND_FIRST 200u

/* The second round's message: every node that got units in the first one
   computes some. */
static struct message make_round(unsigned piece)
{
    const struct branch *branches = pieces[piece].branches;
    uint32_t count = pieces[piece].count;
    uint32_t unit = ROUND_FIRST;
    struct message message = {.policy = WIRE_TREE,
                              .kind = WIRE_BRANCH_ROUND,
                              .piece = piece,
                              .job = 1};

    message.load_at = 8 + 4 * count;
    bytes_store_u32(message.data, 1);
    for (uint32_t i = 0; i < count; ++i) {
        bytes_store_u32(message.data + 4 + 4 * i, unit);
        unit += branches[i].units > 0 ? ROUND_UNITS : 0;
    }
    bytes_store_u32(message.data + 4 + 4 * count, unit);
    message.bytes = message.load_at + BEFORE_BYTES +
                    (unit - ROUND_FIRST) * UNIT_BYTES +
                    pieces[piece].after_bytes;
    for (uint32_t at = message.load_at; at < message.bytes; ++at) {
        message.data[at] = echo_load(ROUND_FIRST * UNIT_BYTES - BEFORE_BYTES +
                                     at - message.load_at);
    }
    return message;
}

/* Where the range of node `index` begins; of a piece's end, where it ends. */
static uint32_t round_first(const struct message *message, uint32_t index)
{
    return bytes_load_u32(message->data + 4 + 4 * index);
}

/* Whether its ranges lie in the node's, those of its children, and it is all
   there. */
static bool round_sound(const struct message *message)
{
    const struct branch *branches = pieces[message->piece].branches;
    uint32_t count = pieces[message->piece].count;
    uint64_t first = round_first(message, 0);
    uint64_t end = round_first(message, count);
    uint64_t before = first * UNIT_BYTES;

    before = before < BEFORE_BYTES ? before : BEFORE_BYTES;
    if (bytes_load_u32(message->data) != 1 || end < first ||
        before + (end - first) * UNIT_BYTES >
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

static struct torus_role role_of_node(void)
{
    return torus_role_of((struct torus_size){SIDE, SIDE},
                         (struct torus_coord){0, 0},
                         (struct torus_coord){1, 1});
}

/* Of the job that `of` is of. */
static struct message make_announcement(const struct message *of)
{
    struct wire_announce announce = {.unit_bytes = UNIT_BYTES,
                                     .arg_bytes = ECHO_ARG_BYTES};
    struct message message = {
        .policy = of->policy, .kind = WIRE_ANNOUNCE, .job = 1};
    bool tree = of->policy == WIRE_TREE;

    message.load_at =
        tree ? store_piece(message.data, of->piece) : WIRE_ANNOUNCE_HEAD_BYTES;
    if (!tree) {
        message.data[0] = role_of_node().layer;
    }
    wire_announce_store(message.data + message.load_at, &announce);
    store_arg(message.data + message.load_at + WIRE_ANNOUNCE_BYTES,
              tree ? pieces[of->piece].after_bytes : 0);
    message.bytes =
        message.load_at + WIRE_ANNOUNCE_BYTES + WIRE_PAD4(ECHO_ARG_BYTES);
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
    message.bytes = message.load_at + units * UNIT_BYTES;
    for (uint32_t at = message.load_at; at < message.bytes; ++at) {
        message.data[at] = echo_load(at - message.load_at);
    }
    return message;
}

/* An advance of the job that `of` is of: tables of equal shares, but no job. */
static struct message make_advance(void)
{
    static const uint32_t share_units[PATTERN_PHASES + 1] = {0, 40, 40};
    struct message message = make_part();
    uint32_t load_at = JOB_AT;

    message.data[11] = TABLES_BYTES / 4 << 1 | 1;
    wire_tables_store(message.data + WIRE_PART_BYTES, PATTERN_PHASES,
                      share_units, volume_units);
    memmove(message.data + load_at, message.data + message.load_at,
            message.bytes - message.load_at);
    message.bytes -= message.load_at - load_at;
    message.load_at = load_at;
    return message;
}

/* The part that comes behind an advance: with the job, in round 1. */
static struct message make_second(void)
{
    uint32_t units = volume_units[role_of_node().layer];
    uint32_t before = units * UNIT_BYTES - BEFORE_BYTES;
    struct message message = make_part();

    bytes_store_u32(message.data + 4, units);
    message.data[10] = 1;
    message.data[JOB_AT + 1] = 2; /* rounds */
    message.bytes += BEFORE_BYTES;
    for (uint32_t at = message.load_at; at < message.bytes; ++at) {
        message.data[at] = echo_load(before + at - message.load_at);
    }
    return message;
}

/* ---- what must hold of it ---- */

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

/* Whether the node can do with it what it must. */
static bool sound(const struct message *message)
{
    const uint8_t *branch = message->data + message->branch_at;
    int64_t load_bytes = (int64_t)message->bytes - message->branch_at;
    uint64_t first;
    uint64_t units;

    if (load_bytes < 16) {
        return false;
    }
    first = bytes_load_u32(branch + 4);
    units = bytes_load_u32(branch);
    load_bytes -= 16 * bytes_load_u16(branch + 8);
    load_bytes -= first * UNIT_BYTES < BEFORE_BYTES
                      ? (int64_t)first * UNIT_BYTES
                      : BEFORE_BYTES;
    return bytes_load_u16(branch + 8) >= 1 && branch[11] >= 1 &&
           branch[11] <= PHASES && way_fits(branch) &&
           load_bytes >= (int64_t)(units * UNIT_BYTES) &&
           children_fit(branch, units);
}

/* ---- the node ---- */

/* Beside a window of WINDOW_BYTES. */
static struct window *window;

static uint8_t *at_offset(uint32_t offset)
{
    return (uint8_t *)window + offset;
}

static void identify(const struct message *message)
{
    bool part = message->policy == WIRE_PATTERN;

    memset(window, 0, sizeof *window);
    window->node.identity =
        (struct node_identity){.magic = WINDOW_MAGIC,
                               .version = WINDOW_VERSION,
                               .bytes = WINDOW_BYTES,
                               .mesh = MESH,
                               .width = part ? SIDE : WIDTH,
                               .height = part ? SIDE : HEIGHT,
                               .x = 1,
                               .y = 1,
                               .policy = (uint8_t)message->policy};
}

/* As the switch does, right where the node wants it. */
static void deliver(const struct message *message)
{
    uint8_t *at = at_offset(window->request.offset);

    memset(at, 0, CIRCUIT_HEADER_BYTES);
    at[CIRCUIT_AT_VERSION] = CIRCUIT_VERSION;
    at[CIRCUIT_AT_KIND] = (uint8_t)message->kind;
    bytes_store_u16(at + CIRCUIT_AT_JOB, message->job);
    bytes_store_u32(at + CIRCUIT_AT_MESH, MESH);
    bytes_store_u32(at + CIRCUIT_AT_LENGTH, message->bytes);
    memcpy(at + CIRCUIT_HEADER_BYTES, message->data, message->bytes);
    window->response =
        (struct window_response){.bytes = CIRCUIT_HEADER_BYTES + message->bytes,
                                 .sequence = window->request.sequence};
}

static bool inside(const struct window_segment *segment, uint32_t begin,
                   uint32_t end)
{
    return segment->bytes == 0 ||
           (segment->offset >= begin && segment->offset <= end &&
            segment->bytes <= end - segment->offset);
}

/* The units of a range's rows, with the table of their volumes, lie in what it
   got; the switch cuts off what their halo has beyond that. */
static bool rows_fit(const struct window_rows *rows, uint32_t begin,
                     uint32_t end)
{
    uint64_t units = 0;

    for (uint32_t form = rows->cut.form; form <= rows->cut.last_form; ++form) {
        struct window_segment volume = {rows->volumes + 4 * form, 4};

        if (!inside(&volume, begin, end)) {
            return false;
        }
        units +=
            (uint64_t)TORUS_PORTS * bytes_load_u32(at_offset(volume.offset));
    }
    return units + rows->extra_units <= rows->units && rows->begin >= begin &&
           rows->end <= end && inside(&rows->shared, begin, end) &&
           rows->offset + BEFORE_BYTES >= rows->begin &&
           (uint64_t)rows->units * UNIT_BYTES <=
               end - rows->offset - BEFORE_BYTES;
}

/* What it passes on from send number `from` on lies in what it got. */
static bool sends_fit(uint32_t from, uint32_t begin, uint32_t end)
{
    bool fit = true;

    for (uint32_t i = from; i < window->queued; ++i) {
        const struct window_send *send = &window->entry[i].send;

        if (send->form != 0) {
            fit = fit && rows_fit(&window->entry[i].rows, begin, end);
            continue;
        }
        if (send->kind != WIRE_BRANCH && send->kind != WIRE_BRANCH_ROUND) {
            continue; /* its result */
        }
        fit = fit && inside(&send->head, begin, end) &&
              inside(&send->shared, begin, end);
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            if ((send->ports & 1u << port) != 0) {
                fit = fit && inside(&send->body[port], begin, end);
            }
        }
    }
    return fit;
}

static void tell_one(struct unit *unit, struct host_node *node,
                     const struct message *message)
{
    uint32_t begin = window->request.offset + CIRCUIT_HEADER_BYTES;
    uint32_t end = begin + message->bytes;
    uint32_t top = WINDOW_BYTES - (uint32_t)sizeof(struct scatter_memory);
    uint32_t from = window->queued;

    deliver(message);
    ASAN_POISON_MEMORY_REGION(at_offset(end), top - end);
    host_node_resume(node);
    ASAN_UNPOISON_MEMORY_REGION(at_offset(end), top - end);
    CHECK(unit, sends_fit(from, begin, end));
}

/* Tells a node these messages, as far as it asks for them. Result: its error,
   or 0. */
static int tell_all(struct unit *unit, const struct message *const messages[],
                    unsigned count)
{
    struct host_node *node;
    int error;

    identify(messages[0]);
    node = host_node_new(window);
    if (node == NULL) {
        exit(2);
    }
    host_node_resume(node);
    CHECK_EQUAL(unit, window->request.offset, WINDOW_DMA_OFFSET);
    for (unsigned i = 0; i < count; ++i) {
        while (window->request.op == WINDOW_OP_DRAIN) {
            window->response =
                (struct window_response){.sequence = window->request.sequence};
            host_node_resume(node);
        }
        if (window->request.op == WINDOW_OP_RECEIVE) {
            tell_one(unit, node, messages[i]);
        }
    }
    host_node_free(node);
    error = window->node.status.error;
    CHECK_EQUAL(unit, window->node.status.state == NODE_STATE_FAILED,
                error != 0);
    return error;
}

/* The node's error, or 0 if it got as far as to wait for its children or to
   return its result. */
static int tell(struct unit *unit, const struct message *message)
{
    struct message announcement = make_announcement(message);
    const struct message *const both[] = {&announcement, message};
    int error = tell_all(unit, both, 2);

    CHECK(unit, error != 0 ||
                    window->node.status.state == NODE_STATE_GATHERING ||
                    window->node.status.state == NODE_STATE_DONE);
    return error;
}

static void begin(void)
{
    window = aligned_alloc(64, (WINDOW_BYTES + 63u) & ~63u);
    if (window == NULL) {
        exit(2);
    }
    memset(window, 0, WINDOW_BYTES);
    ASAN_POISON_MEMORY_REGION(at_offset(sizeof *window),
                              WINDOW_DMA_OFFSET - sizeof *window);
}

static void end(void)
{
    ASAN_UNPOISON_MEMORY_REGION(window, WINDOW_BYTES);
    free(window);
}

/* ---- tests ---- */

static void good_branches(struct unit *unit)
{
    begin();
    for (unsigned piece = 0; piece < COUNT(pieces); ++piece) {
        struct message message = make(piece);

        CHECK(unit, sound(&message));
        echo_wrong = 0;
        CHECK_EQUAL(unit, tell(unit, &message), ERR_OK);
        CHECK_EQUAL(unit, echo_wrong, 0);
    }
    end();
}

/* Where there is nothing behind the range, every byte is missed. */
static void every_truncation(struct unit *unit)
{
    begin();
    for (unsigned piece = 0; piece < COUNT(pieces); ++piece) {
        struct message message = make(piece);
        uint32_t least = message.bytes - pieces[piece].after_bytes;

        for (message.bytes = 0; message.bytes < least; ++message.bytes) {
            CHECK_EQUAL(unit, tell(unit, &message), ERR_LENGTH);
        }
    }
    end();
}

static bool refused_if_malformed(struct unit *unit,
                                 const struct message *message)
{
    bool refused = !sound(message);
    int error = tell(unit, message);

    CHECK_EQUAL(unit, error != ERR_OK, refused);
    CHECK(unit, error == ERR_OK || error == ERR_LENGTH || error == ERR_FIELD ||
                    error == ERR_PLAN || error == ERR_IMAGE ||
                    error == ERR_NO_ROUTE);
    return refused;
}

/* Every byte of every branch, with every value. */
static void every_byte(struct unit *unit)
{
    uint32_t refused = 0;

    begin();
    for (unsigned piece = 0; piece < COUNT(pieces); ++piece) {
        const struct message good = make(piece);

        for (uint32_t at = good.branch_at; at < good.load_at; ++at) {
            struct message message = good;

            for (unsigned value = 0; value < 256; ++value) {
                message.data[at] = (uint8_t)value;
                refused += refused_if_malformed(unit, &message);
            }
        }
    }
    CHECK(unit, refused > 10000);
    end();
}

/* A node's error after the first round of two, and `second`. */
static int tell_round(struct unit *unit, const struct message *second)
{
    struct message first = make(second->piece);
    struct message announcement = make_announcement(&first);
    const struct message *const all[] = {&announcement, &first, second};
    int error;

    first.data[1] = 2;
    error = tell_all(unit, all, 3);
    CHECK(unit, error != 0 ||
                    window->node.status.state == NODE_STATE_GATHERING ||
                    window->node.status.state == NODE_STATE_DONE);
    return error;
}

/* The second round: good, cut short, with every value of every byte of its
   head, of another round, and the first round once more. */
static void second_rounds(struct unit *unit)
{
    uint32_t refused = 0;

    begin();
    for (unsigned piece = 0; piece < COUNT(pieces); ++piece) {
        const struct message good = make_round(piece);
        struct message message = good;
        uint32_t least = good.bytes - pieces[piece].after_bytes;

        CHECK(unit, round_sound(&good));
        echo_wrong = 0;
        CHECK_EQUAL(unit, tell_round(unit, &good), ERR_OK);
        CHECK_EQUAL(unit, echo_wrong, 0);
        for (message.bytes = 0; message.bytes < least; ++message.bytes) {
            CHECK_EQUAL(unit, tell_round(unit, &message), ERR_LENGTH);
        }
        for (uint32_t at = 0; at < good.load_at; ++at) {
            message = good;
            for (unsigned value = 0; value < 256; ++value) {
                int error;

                message.data[at] = (uint8_t)value;
                error = tell_round(unit, &message);
                CHECK_EQUAL(unit, error == ERR_OK, round_sound(&message));
                CHECK(unit, error == ERR_OK || error == ERR_LENGTH ||
                                error == ERR_PLAN || error == ERR_PLACE);
                CHECK(unit,
                      at > 3 || error == ERR_PLACE || value == good.data[at]);
                refused += error != ERR_OK;
            }
        }
        message = make(piece);
        CHECK_EQUAL(unit, tell_round(unit, &message), ERR_KIND);
    }
    CHECK(unit, refused > 5000);
    end();
}

/* A node takes only jobs of its mesh's policy, of 1 to 16 rounds. */
static void other_policies(struct unit *unit)
{
    begin();
    for (unsigned policy = 0; policy < 16; ++policy) {
        struct message message = make(0);

        message.data[2] = (uint8_t)(policy << 4);
        CHECK_EQUAL(unit, tell(unit, &message),
                    policy == WIRE_TREE ? ERR_OK : ERR_FIELD);
    }
    for (unsigned rounds = 0; rounds < 256; ++rounds) {
        struct message message = make(0);

        struct message announcement = make_announcement(&message);
        const struct message *const both[] = {&announcement, &message};

        message.data[1] = (uint8_t)rounds;
        CHECK_EQUAL(unit, tell_all(unit, both, 2),
                    rounds >= 1 && rounds <= 16 ? ERR_OK : ERR_FIELD);
    }
    end();
}

/* A node of the pattern takes its own part alone: of its layer, through its
   port, of the round that it waits for; with as many phases and bytes ahead of
   the range as it has. */
static void parts_of_other_places(struct unit *unit)
{
    struct message good = make_part();

    begin();
    echo_wrong = 0;
    CHECK_EQUAL(unit, tell(unit, &good), ERR_OK);
    CHECK_EQUAL(unit, echo_wrong, 0);
    for (uint32_t at = WIRE_PART_AT_LABEL; at < WIRE_PART_BYTES; ++at) {
        for (unsigned value = 0; value < 256; ++value) {
            struct message message = good;
            int error;

            if (at == 11 && value == (TABLES_BYTES / 4 << 1 | 1)) {
                continue; /* an advance of a longer range: it can't be told */
            }
            message.data[at] = (uint8_t)value;
            error = tell(unit, &message);
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
    end();
}

/* Tells a node of an announced job these two. */
static int tell_both(struct unit *unit, const struct message *first,
                     const struct message *second)
{
    struct message part = make_part();
    struct message announcement = make_announcement(&part);
    const struct message *const all[] = {&announcement, first, second};

    return tell_all(unit, all, 3);
}

/* Behind an advance comes the job, in round 1, and it has two rounds or more;
   an advance comes once, first, and of the announced job. */
static void advances(struct unit *unit)
{
    struct message advance = make_advance();
    struct message second = make_second();
    struct message part = make_part();
    struct message bad;

    begin();
    echo_wrong = 0;
    CHECK_EQUAL(unit, tell_both(unit, &advance, &second), ERR_OK);
    CHECK_EQUAL(unit, window->node.status.state, NODE_STATE_DONE);
    CHECK_EQUAL(unit, tell_both(unit, &advance, &advance), ERR_PLACE);
    CHECK_EQUAL(unit, tell_both(unit, &advance, &part), ERR_PLACE);
    CHECK_EQUAL(unit, tell_both(unit, &part, &advance), ERR_OK); /* one round */
    CHECK_EQUAL(unit, tell_both(unit, &second, &part), ERR_PLACE);
    for (unsigned rounds = 0; rounds < 256; ++rounds) {
        bad = second;
        bad.data[JOB_AT + 1] = (uint8_t)rounds;
        CHECK_EQUAL(unit, tell_both(unit, &advance, &bad),
                    rounds >= 2 && rounds <= ROUNDS_MAX ? ERR_OK : ERR_FIELD);
    }
    bad = second;
    bad.data[11] |= 1;
    CHECK_EQUAL(unit, tell_both(unit, &advance, &bad), ERR_PLACE);
    bad = advance;
    bad.job = 2;
    CHECK_EQUAL(unit, tell_both(unit, &bad, &second), ERR_FIELD);
    bad = second;
    bad.data[10] = 2;
    CHECK_EQUAL(unit, tell_both(unit, &advance, &bad), ERR_PLACE);
    /* What is announced behind it would lie where it does. */
    bad = make_announcement(&part);
    CHECK_EQUAL(unit, tell_both(unit, &advance, &bad), ERR_KIND);
    CHECK_EQUAL(unit, echo_wrong, 0);
    end();
}

/* A job has no more phases than the torus: nothing behind its head is read, and
   no form that was not prepared is sent. */
static void jobs_of_other_phases(struct unit *unit)
{
    begin();
    for (unsigned phases = 0; phases < 256; ++phases) {
        struct message part = make_part();

        part.data[JOB_AT] = (uint8_t)phases;
        CHECK_EQUAL(unit, tell(unit, &part),
                    phases == PATTERN_PHASES ? ERR_OK : ERR_FIELD);
    }
    end();
}

/* Every byte of the job behind an advance, with every value; every byte of an
   advance's tables; every length. */
static void every_byte_of_an_advance(struct unit *unit)
{
    struct message advance = make_advance();
    struct message second = make_second();
    struct message bad;
    uint32_t refused = 0;

    begin();
    for (uint32_t at = WIRE_PART_BYTES; at < second.load_at; ++at) {
        for (unsigned value = 0; value < 256; ++value) {
            int error;

            bad = second;
            bad.data[at] = (uint8_t)value;
            error = tell_both(unit, &advance, &bad);
            CHECK(unit, error == ERR_OK || error == ERR_LENGTH ||
                            error == ERR_FIELD || error == ERR_PLAN ||
                            error == ERR_TERMS);
            refused += error != ERR_OK;
        }
    }
    CHECK(unit, refused > 256);
    for (uint32_t at = WIRE_PART_BYTES; at < advance.load_at; ++at) {
        for (unsigned value = 0; value < 256; value += 15) {
            int error;

            bad = advance;
            bad.data[at] = (uint8_t)value;
            error = tell_both(unit, &bad, &second);
            CHECK(unit, error == ERR_OK || error == ERR_PLAN);
        }
    }
    bad = advance;
    for (bad.bytes = 0; bad.bytes < advance.bytes; ++bad.bytes) {
        CHECK_EQUAL(unit, tell_both(unit, &bad, &second), ERR_LENGTH);
    }
    end();
}

/* Every byte of the job and its tables, with every value, and every length:
   what the node passes on lies in what it got, as tell_one() checks. */
static void every_byte_of_a_job(struct unit *unit)
{
    struct message good = make_part();
    struct message announcement = make_announcement(&good);
    uint32_t refused = 0;

    begin();
    for (uint32_t at = WIRE_PART_BYTES; at < good.load_at; ++at) {
        for (unsigned value = 0; value < 256; ++value) {
            struct message message = good;
            const struct message *const both[] = {&announcement, &message};
            int error;

            message.data[at] = (uint8_t)value;
            error = tell_all(unit, both, 2);
            CHECK(unit, error == ERR_OK || error == ERR_LENGTH ||
                            error == ERR_FIELD || error == ERR_PLAN ||
                            error == ERR_TERMS);
            refused += error != ERR_OK;
        }
    }
    CHECK(unit, refused > 256);
    for (good.bytes = 0; good.bytes < good.load_at; ++good.bytes) {
        CHECK_EQUAL(unit, tell(unit, &good), ERR_LENGTH);
    }
    end();
}

/* What is announced twice is begun twice; a part of a job that was not
   announced is refused. */
static void announced_jobs(struct unit *unit)
{
    struct message part = make_part();
    struct message announcement = make_announcement(&part);
    struct message other = announcement;
    const struct message *const unannounced[] = {&part};
    const struct message *const again[] = {&other, &announcement, &part};
    const struct message *const changed[] = {&announcement, &other, &part};

    begin();
    echo_wrong = 0;
    CHECK_EQUAL(unit, tell_all(unit, unannounced, 1), ERR_FIELD);
    other.job = 2;
    CHECK_EQUAL(unit, tell_all(unit, again, 3), ERR_OK);
    CHECK_EQUAL(unit, window->node.status.state, NODE_STATE_DONE);
    CHECK_EQUAL(unit, tell_all(unit, changed, 3), ERR_FIELD);
    bytes_store_u32(other.data + 8, UNIT_BYTES + 1);
    other.job = 1; /* the last one holds: of longer units than came */
    CHECK_EQUAL(unit, tell_all(unit, changed, 3), ERR_LENGTH);
    CHECK_EQUAL(unit, echo_wrong, 0);
    end();
}

/* An announcement cut short, for another layer, of another kernel, with an
   argument of another length. */
static void damaged_announcements(struct unit *unit)
{
    struct message part = make_part();
    struct message good = make_announcement(&part);
    const struct message *told = &good;
    struct message bad;

    begin();
    for (uint32_t bytes = 0; bytes <= good.bytes; ++bytes) {
        bad = good;
        bad.bytes = bytes;
        told = &bad;
        CHECK_EQUAL(unit, tell_all(unit, &told, 1),
                    bytes == good.bytes ? ERR_OK : ERR_LENGTH);
    }
    for (unsigned value = 0; value < 256; ++value) {
        bad = good;
        bad.data[0] = (uint8_t)value;
        CHECK_EQUAL(unit, tell_all(unit, &told, 1),
                    value == good.data[0] ? ERR_OK : ERR_PLACE);
        bad = good;
        bad.data[WIRE_ANNOUNCE_HEAD_BYTES] = (uint8_t)value;
        CHECK_EQUAL(unit, tell_all(unit, &told, 1),
                    value == 0 ? ERR_OK : ERR_IMAGE);
    }
    bad = good;
    bytes_store_u32(bad.data + 12, KERNEL_ARG_MAX + 1);
    CHECK_EQUAL(unit, tell_all(unit, &told, 1), ERR_FIELD);
    bytes_store_u32(bad.data + 12, ECHO_ARG_BYTES + 4);
    CHECK_EQUAL(unit, tell_all(unit, &told, 1), ERR_LENGTH);
    end();
}

/* An announcement along a tree that is cut short, or with any value in a byte
   of its piece: what it passes on lies in what it got. */
static void damaged_pieces(struct unit *unit)
{
    uint32_t refused = 0;

    begin();
    for (unsigned piece = 0; piece < COUNT(pieces); ++piece) {
        struct message branch = make(piece);
        const struct message good = make_announcement(&branch);
        struct message bad = good;
        const struct message *told = &bad;

        for (bad.bytes = 0; bad.bytes <= good.bytes; ++bad.bytes) {
            CHECK_EQUAL(unit, tell_all(unit, &told, 1),
                        bad.bytes == good.bytes ? ERR_OK : ERR_LENGTH);
        }
        for (uint32_t at = 0; at < good.load_at; ++at) {
            for (unsigned value = 0; value < 256; ++value) {
                int error;

                bad = good;
                bad.data[at] = (uint8_t)value;
                error = tell_all(unit, &told, 1);
                CHECK(unit, error == ERR_OK || error == ERR_LENGTH ||
                                error == ERR_PLAN || error == ERR_FIELD ||
                                error == ERR_IMAGE);
                refused += error != ERR_OK;
            }
        }
    }
    CHECK(unit, refused > 1000);
    end();
}

static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* A field of some branch: what it was and a little, or anything. */
static void damage(struct message *message, uint64_t *random)
{
    static const struct {
        uint8_t at;
        uint8_t bytes;
    } fields[] = {{0, 4}, {4, 4}, {8, 2}, {10, 1}, {11, 1}, {12, 2}, {14, 2}};
    uint32_t branches =
        (message->load_at - message->branch_at) / TREE_BRANCH_BYTES;
    uint64_t chance = random_next(random);
    unsigned field = (unsigned)(chance % COUNT(fields));
    uint8_t *at = message->data + message->branch_at +
                  (chance >> 8) % branches * TREE_BRANCH_BYTES +
                  fields[field].at;
    uint32_t value = bytes_load_u32(at);

    value += (uint32_t)(chance >> 24) % 33 - 16;
    if ((chance >> 16) % 4 == 0) {
        value = (uint32_t)random_next(random);
    }
    memcpy(at, &value, fields[field].bytes);
}

static void random_fields(struct unit *unit)
{
    const char *text = getenv("QUINCUNX_SEED");
    uint64_t random = text != NULL ? strtoull(text, NULL, 0) : 1999;
    uint32_t refused = 0;

    printf("# QUINCUNX_SEED=%llu\n", (unsigned long long)random);
    begin();
    for (uint32_t n = 0; n < RANDOM_CASES; ++n) {
        struct message message = make(n % COUNT(pieces));

        for (uint64_t i = random_next(&random) % 3 + 1; i > 0; --i) {
            damage(&message, &random);
        }
        refused += refused_if_malformed(unit, &message);
    }
    CHECK(unit, refused > RANDOM_CASES / 2 && refused < RANDOM_CASES);
    end();
}

void test_branches(struct unit *unit)
{
    UNIT_RUN(unit, good_branches);
    UNIT_RUN(unit, every_truncation);
    UNIT_RUN(unit, every_byte);
    UNIT_RUN(unit, other_policies);
    UNIT_RUN(unit, second_rounds);
    UNIT_RUN(unit, parts_of_other_places);
    UNIT_RUN(unit, every_byte_of_a_job);
    UNIT_RUN(unit, jobs_of_other_phases);
    UNIT_RUN(unit, advances);
    UNIT_RUN(unit, every_byte_of_an_advance);
    UNIT_RUN(unit, announced_jobs);
    UNIT_RUN(unit, damaged_announcements);
    UNIT_RUN(unit, damaged_pieces);
    UNIT_RUN(unit, random_fields);
}

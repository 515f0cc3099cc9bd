/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One node of a tree and a message that brings it its branch, made by hand and
 * damaged: what is malformed is refused with an error, and nothing behind the
 * message is looked at (the sanitizer guards what lies there).
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

static void store_job(struct message *message, uint32_t after_bytes)
{
    uint8_t arg[ECHO_ARG_BYTES] = {0};
    struct wire_job job = {.phases = PHASES,
                           .rounds = 1,
                           .flags = WIRE_FLAGS(0u, WIRE_TREE),
                           .slot_us = 1,
                           .unit_bytes = UNIT_BYTES,
                           .before_bytes = BEFORE_BYTES,
                           .after_bytes = after_bytes,
                           .arg_bytes = sizeof arg,
                           .arg = arg};

    bytes_store_u32(arg + ECHO_AT_BEFORE, BEFORE_BYTES);
    bytes_store_u32(arg + ECHO_AT_AFTER, after_bytes);
    bytes_store_u64(arg + ECHO_AT_UNITS, 1000);
    wire_job_store(message->data, &job, NULL, NULL, NULL);
    message->branch_at = wire_job_bytes(&job);
}

static struct message make(unsigned piece)
{
    const struct branch *branches = pieces[piece].branches;
    uint32_t first = branches->first_unit * UNIT_BYTES;
    uint32_t before = first < BEFORE_BYTES ? first : BEFORE_BYTES;
    struct message message = {.bytes = 0};

    store_job(&message, pieces[piece].after_bytes);
    message.load_at =
        message.branch_at + TREE_BRANCH_BYTES * pieces[piece].count;
    for (uint32_t i = 0; i < pieces[piece].count; ++i) {
        store_branch(message.data + message.branch_at + TREE_BRANCH_BYTES * i,
                     &branches[i]);
    }
    message.bytes = message.load_at + before + branches->units * UNIT_BYTES +
                    pieces[piece].after_bytes;
    for (uint32_t at = message.load_at; at < message.bytes; ++at) {
        message.data[at] = echo_load(first - before + at - message.load_at);
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
   the first begins; phases rise, and never fall from child to child. */
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
            (sent && !way_fits(child)) || begin < next ||
            (i > 1 && begin != next)) {
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

static void identify(void)
{
    memset(window, 0, sizeof *window);
    window->node.identity = (struct node_identity){.magic = WINDOW_MAGIC,
                                                   .version = WINDOW_VERSION,
                                                   .bytes = WINDOW_BYTES,
                                                   .mesh = MESH,
                                                   .width = WIDTH,
                                                   .height = HEIGHT,
                                                   .x = 1,
                                                   .y = 1,
                                                   .policy = WIRE_TREE};
}

/* As the switch does, right where the node wants it. */
static void deliver(const struct message *message)
{
    uint8_t *at = at_offset(window->request.offset);

    memset(at, 0, CIRCUIT_HEADER_BYTES);
    at[CIRCUIT_AT_VERSION] = CIRCUIT_VERSION;
    at[CIRCUIT_AT_KIND] = WIRE_BRANCH;
    bytes_store_u16(at + CIRCUIT_AT_JOB, 1);
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

/* What it passes on lies in what it got. */
static bool sends_fit(uint32_t begin, uint32_t end)
{
    bool fit = true;

    for (uint32_t i = 0; i < window->queued; ++i) {
        const struct window_send *send = &window->send[i];

        if (send->kind != WIRE_BRANCH) {
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

/* The node's error, or 0 if it got as far as to wait for its children or to
   return its result. */
static int tell(struct unit *unit, const struct message *message)
{
    uint32_t begin = WINDOW_DMA_OFFSET + CIRCUIT_HEADER_BYTES;
    uint32_t end = begin + message->bytes;
    uint32_t top = WINDOW_BYTES - (uint32_t)sizeof(struct scatter_memory);
    struct host_node *node;
    int error;

    identify();
    node = host_node_new(window);
    if (node == NULL) {
        exit(2);
    }
    host_node_resume(node);
    CHECK_EQUAL(unit, window->request.op, WINDOW_OP_RECEIVE);
    CHECK_EQUAL(unit, window->request.offset, WINDOW_DMA_OFFSET);
    deliver(message);
    ASAN_POISON_MEMORY_REGION(at_offset(end), top - end);
    host_node_resume(node);
    ASAN_UNPOISON_MEMORY_REGION(at_offset(end), top - end);
    host_node_free(node);
    CHECK(unit, sends_fit(begin, end));
    error = window->node.status.error;
    CHECK_EQUAL(unit, window->node.status.state == NODE_STATE_FAILED,
                error != 0);
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

/* A node takes only jobs of its mesh's policy, along a tree in one round. */
static void other_policies(struct unit *unit)
{
    begin();
    for (unsigned policy = 0; policy < 16; ++policy) {
        struct message message = make(0);

        message.data[3] = (uint8_t)(policy << 4);
        CHECK_EQUAL(unit, tell(unit, &message),
                    policy == WIRE_TREE ? ERR_OK : ERR_FIELD);
    }
    for (unsigned rounds = 0; rounds < 256; ++rounds) {
        struct message message = make(0);

        message.data[2] = (uint8_t)rounds;
        CHECK_EQUAL(unit, tell(unit, &message),
                    rounds == 1 ? ERR_OK : ERR_FIELD);
    }
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
    UNIT_RUN(unit, random_fields);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes for the nodes of one rank, and what they send, qemu/ranks/local.h,
 * as TAP. Exit status: 0, or 1 if a test failed. Nodes are windows alone; what
 * goes to other ranks is counted here.
 */
#include "qemu/fabric/message.h"
#include "qemu/ranks/local.h"
#include "qemu/ranks/ranks.h"
#include "test/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 3u
#define AT WINDOW_DMA_OFFSET
#define BODY 100u
#define BYTES (CIRCUIT_HEADER_BYTES + BODY)

/* ---- in place of a mesh and of other ranks ---- */

static struct {
    struct local *local;
    uint8_t *window;
    unsigned rung[NODES];
    uint32_t rings; /* nodes that have not rung at the start */
    unsigned to_others;
    bool sound; /* of the payloads that nodes here have sent each other */
    FILE *stderr_of_all;
    char *said; /* on standard error */
    size_t said_bytes;
} mesh;

static struct window *window_of(void *context, uint32_t node)
{
    (void)context;
    return windows_at(mesh.window, node);
}

static void slow(void *context, uint32_t node, unsigned shift, uint64_t from_ps)
{
    (void)from_ps;
    (void)context;
    (void)node;
    (void)shift;
}

static enum backend_event wait_for(void *context, uint32_t *node, uint64_t ns)
{
    (void)context;
    (void)ns;
    mesh.rings -= mesh.rings > 0;
    *node = mesh.rings;
    return BACKEND_RANG;
}

static void ring(void *context, uint32_t node)
{
    (void)context;
    mesh.rung[node] += 1;
}

static void stop(void *context)
{
    (void)context;
}

int native_start(struct backend *backend, uint32_t nodes, unsigned threads,
                 const struct host_program *program)
{
    (void)nodes;
    (void)threads;
    (void)program;
    *backend = (struct backend){.window = window_of,
                                .slow = slow,
                                .wait = wait_for,
                                .ring = ring,
                                .stop = stop};
    return 0;
}

int boards_start(struct backend *backend, const struct boards_config *config)
{
    (void)backend;
    (void)config;
    return -1;
}

unsigned slices_processors(void)
{
    return 1;
}

void limits_print_own(FILE *out)
{
    (void)out;
}

unsigned ranks_own(void)
{
    return 0;
}

unsigned ranks_count(void)
{
    return 2;
}

/* What is sent to this rank comes at once. */
void ranks_put(unsigned to, enum record_kind kind, uint32_t node,
               const struct ranks_body body[], unsigned pieces)
{
    uint8_t data[sizeof(struct record_payload) + BYTES];
    struct ranks_record record = {
        .head = {.kind = (uint16_t)kind, .node = node}, .body = data};

    mesh.to_others += kind == RECORD_PAYLOAD && to != 0;
    if (kind != RECORD_PAYLOAD || to != 0) {
        return;
    }
    for (unsigned i = 0; i < pieces; ++i) {
        memcpy(data + record.head.bytes, body[i].data, body[i].bytes);
        record.head.bytes += (uint32_t)body[i].bytes;
    }
    mesh.sound = local_obey(mesh.local, &record) && mesh.sound;
}

/* An order about a node. Result: whether it, and what has come by it, makes
   sense. */
static bool obey(enum record_kind kind, uint32_t node, const void *body,
                 size_t bytes)
{
    bool sound = local_obey(
        mesh.local, &(struct ranks_record){.head = {.kind = (uint16_t)kind,
                                                    .node = node,
                                                    .bytes = (uint32_t)bytes},
                                           .body = body});

    return sound && mesh.sound;
}

/* The nodes 0 to 2 are here, and have rung; the fourth is another rank's. */
static void begin(void)
{
    static const uint32_t first[] = {0, NODES, NODES + 1};
    static const struct record_start start[NODES];

    memset(&mesh, 0, sizeof mesh);
    mesh.stderr_of_all = stderr;
    mesh.sound = true;
    mesh.rings = NODES;
    stderr = open_memstream(&mesh.said, &mesh.said_bytes);
    mesh.window = windows_new(NODES);
    mesh.local = local_new(&(struct local_config){
        .first = first, .in_process = true, .identity = 7});
    (void)!obey(RECORD_START, 0, start, sizeof start);
    for (unsigned i = 0; i < NODES; ++i) {
        (void)local_listen(mesh.local, 0);
    }
}

static void end(void)
{
    local_free(mesh.local);
    windows_free(mesh.window, NODES);
    fclose(stderr);
    stderr = mesh.stderr_of_all;
    free(mesh.said);
}

/* ---- what the tests say ---- */

static uint8_t *dma(uint32_t node)
{
    return (uint8_t *)windows_at(mesh.window, node) + AT;
}

/* The node is answered, and rung when that message has come. */
static bool answer(uint32_t node, const struct record_answer *answer)
{
    return obey(RECORD_ANSWER, node, answer, sizeof *answer);
}

static bool expect(uint32_t node, uint32_t number)
{
    return answer(node,
                  &(struct record_answer){.number = number, .offset = AT});
}

static void ring_again(uint32_t node)
{
    mesh.rings = node + 1;
    (void)local_listen(mesh.local, 0);
}

/* Sends BODY bytes that lie behind a message's place. */
static bool send_to(uint32_t node, uint32_t to, uint32_t number,
                    uint32_t offset)
{
    struct record_send send = {.to = to, .number = number, .kind = 1};

    send.piece[0] = (struct window_segment){.offset = offset, .bytes = BODY};
    return obey(RECORD_SEND, node, &send, sizeof send);
}

static bool payload(uint32_t node, uint32_t number, size_t bytes)
{
    uint8_t data[sizeof(struct record_payload) + BYTES] = {0};

    memcpy(data, &number, sizeof number);
    return obey(RECORD_PAYLOAD, node, data,
                sizeof(struct record_payload) + bytes);
}

/* Whether a node has the message whose body is these bytes, all alike. */
static bool has(uint32_t node, uint8_t byte)
{
    const uint8_t *body = dma(node) + CIRCUIT_HEADER_BYTES;

    for (unsigned i = 0; i < BODY; ++i) {
        if (body[i] != byte) {
            return false;
        }
    }
    return true;
}

/* Whether it failed, and it was said of which node and why. */
static bool refused(bool done, const char *node_and_why)
{
    fflush(stderr);
    return !done && strstr(mesh.said, node_and_why) != NULL;
}

/* ---- tests ---- */

static void test_to_another(struct unit *unit)
{
    begin();
    memset(dma(0) + BYTES, 'a', BODY);
    CHECK(unit, expect(1, 5));
    CHECK_EQUAL(unit, mesh.rung[1], 0);
    CHECK(unit, send_to(0, 1, 5, AT + BYTES));
    CHECK_EQUAL(unit, mesh.rung[1], 1);
    CHECK(unit, has(1, 'a'));
    CHECK(unit, send_to(0, NODES, 6, AT + BYTES));
    CHECK_EQUAL(unit, mesh.to_others, 1);
    /* All around the torus, back to the sender, who does not wait for itself */
    ring_again(1);
    CHECK(unit, expect(1, 9));
    CHECK(unit, send_to(1, 1, 9, AT + CIRCUIT_HEADER_BYTES));
    CHECK_EQUAL(unit, mesh.rung[1], 2);
    CHECK(unit, has(1, 'a'));
    end();
}

/* The order may come behind the message, and the sending on before it. */
static void test_any_order(struct unit *unit)
{
    begin();
    memset(dma(0) + BYTES, 'b', BODY);
    CHECK(unit, send_to(0, 1, 5, AT + BYTES));
    CHECK(unit, expect(2, 6));
    CHECK(unit, expect(1, 5));
    CHECK_EQUAL(unit, mesh.rung[1], 1);
    ring_again(1);
    CHECK(unit, expect(1, 7));
    CHECK(unit, send_to(1, 2, 6, AT + CIRCUIT_HEADER_BYTES));
    CHECK_EQUAL(unit, mesh.rung[2], 0);
    memset(dma(0) + BYTES, 'c', BODY);
    CHECK(unit, send_to(0, 1, 7, AT + BYTES));
    CHECK_EQUAL(unit, mesh.rung[2], 1);
    CHECK(unit, has(2, 'c'));
    /* A message that no answer names rings nobody. */
    CHECK(unit, send_to(0, 2, 8, AT + BYTES));
    CHECK_EQUAL(unit, mesh.rung[2], 1);
    end();
}

/* As a test asks for: gone whole, or but for a bit. */
static void test_damage_on_the_way(struct unit *unit)
{
    struct record_answer late = {
        .number = 5, .offset = AT, .damage = MESSAGE_DAMAGED_LATE};
    struct record_answer whole = {
        .number = 6, .offset = AT, .damage = MESSAGE_DAMAGED};
    const uint8_t *got;

    begin();
    got = dma(1);
    memset(dma(0) + BYTES, 'd', BODY);
    CHECK(unit, answer(1, &late));
    CHECK(unit, send_to(0, 1, 5, AT + BYTES));
    CHECK_EQUAL(unit, got[BYTES / 2], 'd' ^ 0x10);
    CHECK_EQUAL(unit, got[BYTES - 1], 'd');
    ring_again(1);
    CHECK(unit, answer(1, &whole));
    CHECK(unit, send_to(0, 1, 6, AT + BYTES));
    CHECK(unit, has(1, 0));
    end();
}

/* Failures that the node has not taken, across the end of the window's ring; a
   part of one is none. */
static void test_failures(struct unit *unit)
{
    struct {
        struct record_answer answer;
        struct circuit_failure failure[3];
    } record = {.answer.failed = WINDOW_FAILURES + 2};
    const struct window *window;

    begin();
    window = windows_at(mesh.window, 1);
    for (uint16_t i = 0; i < 3; ++i) {
        record.failure[i].job = (uint16_t)(70 + i);
    }
    static_assert(sizeof record == sizeof record.answer + 3 * 32, "no gap");
    CHECK(unit, !obey(RECORD_ANSWER, 1, &record, sizeof record - 1));
    CHECK(unit, obey(RECORD_ANSWER, 1, &record, sizeof record));
    CHECK_EQUAL(unit, mesh.rung[1], 1);
    CHECK_EQUAL(unit, window->failed, WINDOW_FAILURES + 2);
    CHECK_EQUAL(unit, window->failure[WINDOW_FAILURES - 1].job, 70);
    CHECK_EQUAL(unit, window->failure[0].job, 71);
    CHECK_EQUAL(unit, window->failure[1].job, 72);
    CHECK_EQUAL(unit, window->failure[2].job, 0);
    end();
}

static void test_what_is_refused(struct unit *unit)
{
    struct record_answer known = {
        .number = 9, .offset = AT, .known = BYTES + 1};

    begin();
    CHECK(unit, expect(1, 5));
    CHECK(unit, !expect(1, 6)); /* it waits for nothing more */
    ring_again(1);
    CHECK(unit, refused(expect(1, 6), "node number 1: two messages"));
    CHECK(unit, refused(payload(1, 5, BYTES),
                        "node number 1: a message was damaged between ranks"));
    CHECK(unit, refused(payload(2, 5, 1),
                        "node number 2: a message that makes no sense"));
    CHECK(unit, refused(payload(2, 0, BYTES),
                        "node number 2: a message without a number"));
    CHECK(unit, refused(send_to(0, 1, 8, 0),
                        "node number 0: is to send what makes no sense"));
    CHECK(unit, refused(send_to(0, NODES + 1, 7, AT + BYTES),
                        "node number 0: is to send to a node that there is"));
    CHECK(unit, answer(2, &known));
    CHECK(unit, refused(payload(2, 9, BYTES),
                        "node number 2: a message does not fit"));
    CHECK(unit, !expect(NODES, 1)); /* another rank's */
    end();
}

static void all(struct unit *unit)
{
    UNIT_RUN(unit, test_to_another);
    UNIT_RUN(unit, test_any_order);
    UNIT_RUN(unit, test_damage_on_the_way);
    UNIT_RUN(unit, test_failures);
    UNIT_RUN(unit, test_what_is_refused);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}

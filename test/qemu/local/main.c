/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes for the nodes of one rank, and what they send, qemu/ranks/local.h,
 * as TAP. Exit status: 0, or 1 if a test failed. Nodes are windows alone; what
 * goes to other ranks is counted here.
 */
#include "hal/bytes.h"
#include "qemu/fabric/message.h"
#include "qemu/ranks/local.h"
#include "qemu/ranks/ranks.h"
#include "qemu/base/memory.h"
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
    uint8_t *window[NODES];
    unsigned rung[NODES];
    unsigned to_others;
    FILE *stderr_of_all;
    char *said; /* on standard error */
    size_t said_bytes;
} mesh;

static struct window *window_of(void *context, uint32_t node)
{
    (void)context;
    return (struct window *)(void *)mesh.window[node];
}

static void ring(void *context, uint32_t node)
{
    (void)context;
    mesh.rung[node] += 1;
}

unsigned ranks_own(void)
{
    return 0;
}

void ranks_put(unsigned to, enum record_kind kind, uint32_t node,
               const struct ranks_body body[], unsigned pieces)
{
    (void)to;
    (void)node;
    (void)body;
    (void)pieces;
    mesh.to_others += kind == RECORD_PAYLOAD;
}

/* The nodes 0 to 2 are here, the fourth is another rank's. */
static struct local *begin(void)
{
    static const struct backend backend = {.window = window_of, .ring = ring};
    static const uint32_t first[] = {0, NODES, NODES + 1};

    for (unsigned i = 0; i < NODES; ++i) {
        mesh.window[i] = memory_or_exit(calloc(1, AT + (size_t)4 * BYTES));
        mesh.rung[i] = 0;
    }
    mesh.to_others = 0;
    mesh.stderr_of_all = stderr;
    stderr = open_memstream(&mesh.said, &mesh.said_bytes);
    return local_new(&(struct local_config){
        .backend = &backend, .first = first, .ranks = 2, .identity = 7});
}

static void end(struct local *local)
{
    local_free(local);
    fclose(stderr);
    stderr = mesh.stderr_of_all;
    free(mesh.said);
    for (unsigned i = 0; i < NODES; ++i) {
        free(mesh.window[i]);
    }
}

/* ---- what the tests say ---- */

static bool expect_damaged(struct local *local, uint32_t node, uint32_t number,
                           enum message_damage damage)
{
    struct record_answer answer = {
        .number = number, .offset = AT, .damage = damage};

    return local_expect(local, node, &answer);
}

static bool expect(struct local *local, uint32_t node, uint32_t number)
{
    return expect_damaged(local, node, number, MESSAGE_SOUND);
}

/* Sends BODY bytes that lie behind a message's place. */
static bool send_to(struct local *local, uint32_t node, uint32_t to,
                    uint32_t number, uint32_t offset)
{
    struct record_send send = {.to = to, .number = number, .kind = 1};

    send.piece[0] = (struct window_segment){.offset = offset, .bytes = BODY};
    return local_send(local, node, &send);
}

/* Whether a node has the message whose body is these bytes, all alike. */
static bool has(uint32_t node, uint8_t byte)
{
    const uint8_t *body = mesh.window[node] + AT + CIRCUIT_HEADER_BYTES;

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
    struct local *local = begin();

    memset(mesh.window[0] + AT + BYTES, 'a', BODY);
    CHECK(unit, expect(local, 1, 5));
    CHECK(unit, local_ring(local, 1));
    CHECK_EQUAL(unit, mesh.rung[1], 0);
    CHECK(unit, send_to(local, 0, 1, 5, AT + BYTES));
    CHECK_EQUAL(unit, mesh.rung[1], 1);
    CHECK(unit, has(1, 'a'));
    CHECK(unit, send_to(local, 0, NODES, 6, AT + BYTES));
    CHECK_EQUAL(unit, mesh.to_others, 1);
    /* All around the torus, back to the sender, who does not wait for itself */
    CHECK(unit, expect(local, 1, 9));
    CHECK(unit, local_ring(local, 1));
    CHECK(unit, send_to(local, 1, 1, 9, AT + CIRCUIT_HEADER_BYTES));
    CHECK_EQUAL(unit, mesh.rung[1], 2);
    CHECK(unit, has(1, 'a'));
    end(local);
}

/* The order may come behind the message, and the sending on before it. */
static void test_any_order(struct unit *unit)
{
    struct local *local = begin();

    memset(mesh.window[0] + AT + BYTES, 'b', BODY);
    CHECK(unit, send_to(local, 0, 1, 5, AT + BYTES));
    CHECK(unit, expect(local, 2, 6));
    CHECK(unit, local_ring(local, 2));
    CHECK(unit, expect(local, 1, 5));
    CHECK(unit, local_ring(local, 1));
    CHECK_EQUAL(unit, mesh.rung[1], 1);
    CHECK(unit, expect(local, 1, 7));
    CHECK(unit, send_to(local, 1, 2, 6, AT + CIRCUIT_HEADER_BYTES));
    CHECK_EQUAL(unit, mesh.rung[2], 0);
    memset(mesh.window[0] + AT + BYTES, 'c', BODY);
    CHECK(unit, send_to(local, 0, 1, 7, AT + BYTES));
    CHECK_EQUAL(unit, mesh.rung[2], 1);
    CHECK(unit, has(2, 'c'));
    /* The next message rings for itself alone. */
    CHECK(unit, expect(local, 2, 8));
    CHECK(unit, send_to(local, 0, 2, 8, AT + BYTES));
    CHECK_EQUAL(unit, mesh.rung[2], 1);
    end(local);
}

/* As a test asks for: gone whole, or but for a bit. */
static void test_damage_on_the_way(struct unit *unit)
{
    struct local *local = begin();
    const uint8_t *got = mesh.window[1] + AT;

    memset(mesh.window[0] + AT + BYTES, 'd', BODY);
    CHECK(unit, expect_damaged(local, 1, 5, MESSAGE_DAMAGED_LATE));
    CHECK(unit, send_to(local, 0, 1, 5, AT + BYTES));
    CHECK_EQUAL(unit, got[BYTES / 2], 'd' ^ 0x10);
    CHECK_EQUAL(unit, got[BYTES - 1], 'd');
    CHECK(unit, expect_damaged(local, 1, 6, MESSAGE_DAMAGED));
    CHECK(unit, send_to(local, 0, 1, 6, AT + BYTES));
    CHECK(unit, has(1, 0));
    end(local);
}

static void test_what_is_refused(struct unit *unit)
{
    struct local *local = begin();
    uint8_t message[BYTES] = {0};

    CHECK(unit, expect(local, 1, 5));
    CHECK(unit, refused(expect(local, 1, 6), "node number 1: two messages"));
    CHECK(unit, refused(local_payload(local, 1, 5, message, BYTES),
                        "node number 1: a message was damaged between ranks"));
    CHECK(unit, refused(local_payload(local, 2, 5, message, 1),
                        "node number 2: a message that makes no sense"));
    CHECK(unit, refused(send_to(local, 0, 1, 8, 0),
                        "node number 0: is to send what makes no sense"));
    CHECK(unit, refused(send_to(local, 0, NODES + 1, 7, AT + BYTES),
                        "node number 0: is to send to a node that there is"));
    CHECK(unit,
          local_expect(local, 2,
                       &(struct record_answer){
                           .number = 9, .offset = AT, .known = BYTES + 1}));
    CHECK(unit, refused(local_payload(local, 2, 9, message, BYTES),
                        "node number 2: a message does not fit"));
    end(local);
}

static void all(struct unit *unit)
{
    UNIT_RUN(unit, test_to_another);
    UNIT_RUN(unit, test_any_order);
    UNIT_RUN(unit, test_damage_on_the_way);
    UNIT_RUN(unit, test_what_is_refused);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/local.h"

#include "hal/bytes.h"
#include "qemu/fabric/message.h"
#include "qemu/fabric/slices.h"
#include "qemu/ranks/patch.h"
#include "qemu/ranks/share.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message that a node passes on, and whose bytes have not come yet. */
struct waiting {
    struct waiting *next;
    struct record_send send;
};

/* A node of this rank, and the payload that it expects: bytes of a message. */
struct local_node {
    uint32_t number; /* number of the expected payload; 0: none is expected */
    uint32_t offset;
    uint32_t known;
    enum message_damage damage;
    bool rings; /* true: ring the node when the payload has come */
    bool waits; /* true: the node has rung and has no answer yet */
    bool up;
    struct waiting *first;
    struct waiting **end;
};

/* A payload (bytes of a message) that has come before its node expects it. */
struct early {
    struct early *next;
    uint32_t index;
    uint32_t number;
    size_t bytes;
    uint8_t data[];
};

/* The nodes of this rank. A node has a number in the mesh, which records use,
   and an index in this rank, from 0. */
struct local {
    struct local_config config;
    struct backend backend;
    uint32_t first; /* number of the rank's first node in the mesh */
    uint32_t count;
    struct local_node *node;
    struct early *early;
    uint8_t *copies; /* copies of the nodes' windows (qemu/ranks/patch.h) */
    struct patch patch;
    bool running; /* true: nodes were started, and none has died */
    uint64_t between_bytes;
    uint32_t up;
    double start_s; /* host time */
    double up_s;    /* host time when all nodes were up; or 0 */
};

/* ---- beginning and end ---- */

static int start(struct local *local)
{
    struct local_config *config = &local->config;

    config->boards.nodes = local->count;
    config->boards.first = local->first;
    return config->in_process ? native_start(&local->backend, local->count,
                                             slices_processors(), NULL)
                              : boards_start(&local->backend, &config->boards);
}

struct local *local_new(const struct local_config *config)
{
    struct local *local = memory_or_exit(calloc(1, sizeof *local));

    local->config = *config;
    local->start_s = host_clock_s(host_clock());
    local->first = config->first[ranks_own()];
    local->count = config->first[ranks_own() + 1] - local->first;
    local->node = memory_or_exit(calloc(local->count, sizeof *local->node));
    for (uint32_t i = 0; i < local->count; ++i) {
        local->node[i].end = &local->node[i].first;
    }
    local->copies =
        config->copies != NULL ? config->copies : windows_new(local->count);
    if (local->copies == NULL || start(local) != 0) {
        local_free(local);
        return NULL;
    }
    return local;
}

void local_free(struct local *local)
{
    if (local == NULL) {
        return;
    }
    if (local->backend.stop != NULL) {
        local->backend.stop(local->backend.context);
    }
    for (uint32_t i = 0; i < local->count; ++i) {
        while (local->node[i].first != NULL) {
            struct waiting *next = local->node[i].first->next;

            free(local->node[i].first);
            local->node[i].first = next;
        }
    }
    while (local->early != NULL) {
        struct early *next = local->early->next;

        free(local->early);
        local->early = next;
    }
    if (local->config.copies == NULL) {
        windows_free(local->copies, local->count);
    }
    free(local->patch.data);
    free(local->node);
    free(local);
}

static struct window *window_of(const struct local *local, uint32_t index)
{
    return local->backend.window(local->backend.context, index);
}

static bool refuse(const struct local *local, uint32_t index, const char *what)
{
    fprintf(stderr, "quincunx: rank %u, node number %u: %s\n", ranks_own(),
            local->first + index, what);
    return false;
}

/* ---- out ---- */

/* Makes the message that a record SEND describes. Returns false if it is
   invalid. */
static bool read_send(struct message *message, const struct local *local,
                      uint32_t index, const struct record_send *send)
{
    const struct window *window = window_of(local, index);
    bool sound = true;

    *message = (struct message){.bytes = CIRCUIT_HEADER_BYTES,
                                .mesh = local->config.identity,
                                .job = send->job,
                                .kind = send->kind};
    for (unsigned i = 0; sound && i < MESSAGE_PIECES; ++i) {
        if (i == 0 && send->has_head) {
            message->piece[0] =
                (struct message_piece){send->head, sizeof send->head};
            message->bytes += (uint32_t)sizeof send->head;
        } else {
            sound = message_add(message, i, window, send->piece[i]);
        }
    }
    return sound && message->bytes <= BACKEND_WINDOW_BYTES;
}

static bool send_now(struct local *local, uint32_t index,
                     const struct record_send *send)
{
    struct record_payload payload = {.number = send->number};
    unsigned to = share_rank_of(local->config.first, send->to);
    struct message message;
    uint8_t *whole;

    if (!read_send(&message, local, index, send)) {
        return refuse(local, index, "is to send what makes no sense");
    }
    whole = memory_or_exit(malloc(message.bytes));
    message_join(whole, &message);
    message_seal(whole, message.bytes);
    ranks_put(to, RECORD_PAYLOAD, send->to,
              (struct ranks_body[]){{&payload, sizeof payload},
                                    {whole, message.bytes}},
              2);
    local->between_bytes += to != ranks_own() ? message.bytes : 0;
    free(whole);
    return true;
}

/* Sends a node's message now; or, if the node passes on a payload, when that
   has come. */
static bool send(struct local *local, uint32_t index,
                 const struct ranks_record *record)
{
    struct local_node *node = &local->node[index];
    struct record_send what;
    struct waiting *waiting;

    if (record->head.bytes != sizeof what || !node->up) {
        return false;
    }
    memcpy(&what, record->body, sizeof what);
    if (what.to >= local->config.first[ranks_count()] || what.number == 0) {
        return refuse(local, index, "is to send to a node that there is not");
    }
    /* A message from a node to itself does not wait for its own bytes. */
    if (node->number == 0 ||
        (what.to == local->first + index && what.number == node->number)) {
        return send_now(local, index, &what);
    }
    waiting = memory_or_exit(calloc(1, sizeof *waiting));
    waiting->send = what;
    *node->end = waiting;
    node->end = &waiting->next;
    return true;
}

/* ---- in ---- */

static bool send_waiting(struct local *local, uint32_t index)
{
    struct local_node *node = &local->node[index];
    struct waiting *waiting = node->first;
    bool sound = true;

    node->first = NULL;
    node->end = &node->first;
    while (waiting != NULL) {
        struct waiting *next = waiting->next;

        sound = sound && send_now(local, index, &waiting->send);
        free(waiting);
        waiting = next;
    }
    return sound;
}

/* Handles a payload that its node expects: checks it, sends the messages that
   have waited for it, and rings the node's doorbell. */
static bool take_in(struct local *local, uint32_t index, const uint8_t *data,
                    size_t bytes)
{
    struct local_node *node = &local->node[index];
    uint8_t *to = (uint8_t *)window_of(local, index) + node->offset;

    if (!window_has(node->offset, bytes) || node->known > bytes) {
        return refuse(local, index, "a message does not fit");
    }
    if (!message_is_sound(data, bytes)) {
        return refuse(local, index, "a message was damaged between ranks");
    }
    memcpy(to, data, bytes);
    if (!message_damage(to, bytes, node->damage)) {
        bytes_store_u32(to + CIRCUIT_AT_CRC, 0);
    }
    memcpy((uint8_t *)windows_at(local->copies, index) + node->offset, to,
           node->known);
    node->number = 0;
    if (!send_waiting(local, index)) {
        return false;
    }
    if (node->rings) {
        node->rings = false;
        local->backend.ring(local->backend.context, index);
    }
    return true;
}

/* Handles a payload. If its node does not expect it yet, stores it. */
static bool take_payload(struct local *local, uint32_t index,
                         const struct ranks_record *record)
{
    struct record_payload payload;
    size_t bytes = record->head.bytes - sizeof payload;
    struct early *early;

    if (record->head.bytes < sizeof payload + CIRCUIT_HEADER_BYTES ||
        bytes > BACKEND_WINDOW_BYTES) {
        return refuse(local, index, "a message that makes no sense");
    }
    memcpy(&payload, record->body, sizeof payload);
    if (payload.number == 0) {
        return refuse(local, index, "a message without a number");
    }
    if (local->node[index].number == payload.number) {
        return take_in(local, index, record->body + sizeof payload, bytes);
    }
    early = memory_or_exit(malloc(sizeof *early + bytes));
    *early = (struct early){.next = local->early,
                            .index = index,
                            .number = payload.number,
                            .bytes = bytes};
    memcpy(early->data, record->body + sizeof payload, bytes);
    local->early = early;
    return true;
}

static bool expect(struct local *local, uint32_t index,
                   const struct record_answer *answer)
{
    struct local_node *node = &local->node[index];

    if (node->number != 0 || answer->known > BACKEND_WINDOW_BYTES) {
        return refuse(local, index, "two messages at once");
    }
    node->number = answer->number;
    node->offset = answer->offset;
    node->known = answer->known;
    node->damage = (enum message_damage)answer->damage;
    for (struct early **i = &local->early; *i != NULL; i = &(*i)->next) {
        struct early *early = *i;

        if (early->index == index && early->number == answer->number) {
            bool sound = take_in(local, index, early->data, early->bytes);

            *i = early->next;
            free(early);
            return sound;
        }
    }
    return true;
}

/* Writes the last failures of `failed` into a window. Returns false if there
   are too many. */
static bool take_failures(struct window *window, uint32_t failed,
                          const uint8_t *data, size_t bytes)
{
    uint32_t count = (uint32_t)(bytes / sizeof(struct circuit_failure));

    if (bytes % sizeof(struct circuit_failure) != 0 ||
        count > WINDOW_FAILURES) {
        return false;
    }
    for (uint32_t i = failed - count; i != failed; ++i) {
        memcpy(&window->failure[i % WINDOW_FAILURES], data,
               sizeof(struct circuit_failure));
        data += sizeof(struct circuit_failure);
    }
    window->failed = failed;
    return true;
}

/* Gives a waiting node its answer. Its doorbell rings now, or when its payload
   has come. */
static bool answer(struct local *local, uint32_t index,
                   const struct ranks_record *record)
{
    struct local_node *node = &local->node[index];
    struct window *window = window_of(local, index);
    struct record_answer answer;

    if (record->head.bytes < sizeof answer || !node->waits) {
        return false;
    }
    memcpy(&answer, record->body, sizeof answer);
    if (answer.response.port >= NODE_PORTS ||
        answer.response.bytes > BACKEND_WINDOW_BYTES ||
        !take_failures(window, answer.failed, record->body + sizeof answer,
                       record->head.bytes - sizeof answer)) {
        return false;
    }
    node->waits = false;
    window->done = answer.done;
    windows_at(local->copies, index)->done = answer.done;
    window->response = answer.response;
    node->rings = true;
    if (answer.number != 0) {
        return expect(local, index, &answer);
    }
    node->rings = false;
    local->backend.ring(local->backend.context, index);
    return true;
}

/* ---- other orders ---- */

static bool slow_from(struct local *local, uint32_t index,
                      const struct record_start *start)
{
    if (start->slow_from_shift > BACKEND_SLOW_SHIFT_MAX) {
        return false;
    }
    if (start->slow_from_shift > 0) {
        local->backend.slow(local->backend.context, index,
                            start->slow_from_shift, start->slow_from_ps);
    }
    return true;
}

static bool start_nodes(struct local *local, const struct ranks_record *record)
{
    const struct backend *backend = &local->backend;

    if (local->running ||
        record->head.bytes != local->count * sizeof(struct record_start)) {
        return false;
    }
    for (uint32_t i = 0; i < local->count; ++i) {
        struct record_start start;

        memcpy(&start, record->body + i * sizeof start, sizeof start);
        if (start.slow_shift > BACKEND_SLOW_SHIFT_MAX ||
            !slow_from(local, i, &start)) {
            return false;
        }
        window_of(local, i)->node.identity = start.identity;
        backend->slow(backend->context, i, start.slow_shift, 0);
    }
    local->running = true;
    return true;
}

/* Sends what has changed in a node's window to rank 0, in a record of this
   kind. On rank 0 itself patch_make() has updated the copy already. */
static void tell(struct local *local, uint32_t index, enum record_kind kind)
{
    struct patch *patch = &local->patch;
    bool shared = local->config.copies != NULL;

    patch->bytes = 0;
    patch_make(patch, window_of(local, index),
               windows_at(local->copies, index));
    ranks_put(0, kind, local->first + index,
              &(struct ranks_body){patch->data, shared ? 0 : patch->bytes}, 1);
}

/* Sends this rank's statistics to rank 0; if `windows`, all windows before. */
static void look(struct local *local, bool windows)
{
    struct record_looked looked = {.between_bytes = local->between_bytes};

    if (local->up_s > 0) {
        looked.boot_s = local->up_s - local->start_s;
        looked.run_s = host_clock_s(host_clock()) - local->up_s;
    }
    for (uint32_t i = 0; windows && i < local->count; ++i) {
        tell(local, i, RECORD_LOOKED);
    }
    ranks_put(0, RECORD_WORDS, 0, &(struct ranks_body){&looked, sizeof looked},
              1);
}

static void explain(const struct local *local, uint32_t index)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &bytes));

    if (local->backend.explain != NULL) {
        local->backend.explain(local->backend.context, index, out);
    }
    fclose(out);
    ranks_put(0, RECORD_WORDS, local->first + index,
              &(struct ranks_body){text, bytes}, 1);
    free(text);
}

static bool obey_node(struct local *local, uint32_t index,
                      const struct ranks_record *record)
{
    struct record_start start;

    switch (record->head.kind) {
    case RECORD_PAYLOAD:
        return take_payload(local, index, record);
    case RECORD_ANSWER:
        return answer(local, index, record);
    case RECORD_SEND:
        return send(local, index, record);
    case RECORD_SLOW_FROM:
        if (record->head.bytes != sizeof start) {
            return false;
        }
        memcpy(&start, record->body, sizeof start);
        return slow_from(local, index, &start);
    case RECORD_KILL:
        if (local->backend.kill != NULL) {
            local->backend.kill(local->backend.context, index);
        }
        return true;
    case RECORD_EXPLAIN:
        explain(local, index);
        return true;
    default:
        return false;
    }
}

bool local_obey(struct local *local, const struct ranks_record *record)
{
    switch (record->head.kind) {
    case RECORD_START:
        return start_nodes(local, record);
    case RECORD_LOOK:
        look(local, record->head.node != 0);
        return true;
    default:
        return record->head.node >= local->first &&
               record->head.node - local->first < local->count &&
               obey_node(local, record->head.node - local->first, record);
    }
}

/* ---- doorbells ---- */

static void note_ring(struct local *local, struct local_node *node)
{
    node->waits = true;
    local->up += !node->up;
    node->up = true;
    if (local->up == local->count && local->up_s == 0) {
        local->up_s = host_clock_s(host_clock());
    }
}

enum backend_event local_listen(struct local *local, uint64_t ns)
{
    const struct backend *backend = &local->backend;
    enum backend_event event = BACKEND_QUIET;
    uint32_t index = 0;

    if (local->running) {
        event = backend->wait(backend->context, &index, ns);
    }
    if (event == BACKEND_QUIET) {
        event = BACKEND_TIMEOUT;
        if (ns > 0) {
            host_clock_pause(host_clock(), ns);
        }
    }
    if (event == BACKEND_RANG) {
        note_ring(local, &local->node[index]);
        tell(local, index, RECORD_RANG);
    } else if (event == BACKEND_DIED) {
        tell(local, index, RECORD_DIED);
        local->running = false;
    }
    return event;
}

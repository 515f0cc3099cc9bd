/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/local.h"

#include "hal/bytes.h"
#include "qemu/fabric/message.h"
#include "qemu/ranks/ranks.h"
#include "qemu/ranks/share.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A message to be sent on, whose bytes have not come yet. */
struct waiting {
    struct waiting *next;
    struct record_send send;
};

/* A node, and the message that comes for it. */
struct inbound {
    uint32_t number; /* of the payload that is to come; 0: none */
    uint32_t offset;
    uint32_t known;
    enum message_damage damage;
    bool rung; /* it is to be rung then */
    bool up;
    struct waiting *first;
    struct waiting **end;
};

/* A payload that came before it was expected. */
struct early {
    struct early *next;
    uint32_t node;
    uint32_t number;
    size_t bytes;
    uint8_t data[];
};

struct local {
    struct local_config config;
    uint32_t first;
    uint32_t count;
    struct inbound *inbound;
    struct early *early;
    uint8_t *copies;
    uint64_t between_bytes;
    uint32_t up;
    double up_s; /* when the last node was up; 0: not yet */
};

static size_t copies_bytes(const struct local *local)
{
    return (size_t)local->count * BACKEND_WINDOW_BYTES;
}

struct local *local_new(const struct local_config *config)
{
    struct local *local = memory_or_exit(calloc(1, sizeof *local));

    local->config = *config;
    local->first = config->first[config->own];
    local->count = config->first[config->own + 1] - local->first;
    local->inbound =
        memory_or_exit(calloc(local->count, sizeof *local->inbound));
    for (uint32_t i = 0; i < local->count; ++i) {
        local->inbound[i].end = &local->inbound[i].first;
    }
    if (config->copies) {
        void *at = mmap(NULL, copies_bytes(local), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (at == MAP_FAILED) {
            fprintf(stderr, "quincunx: no memory for copies of %u windows\n",
                    local->count);
            local_free(local);
            return NULL;
        }
        local->copies = at;
    }
    return local;
}

void local_free(struct local *local)
{
    if (local == NULL) {
        return;
    }
    for (uint32_t i = 0; i < local->count; ++i) {
        while (local->inbound[i].first != NULL) {
            struct waiting *next = local->inbound[i].first->next;

            free(local->inbound[i].first);
            local->inbound[i].first = next;
        }
    }
    while (local->early != NULL) {
        struct early *next = local->early->next;

        free(local->early);
        local->early = next;
    }
    if (local->copies != NULL) {
        munmap(local->copies, copies_bytes(local));
    }
    free(local->inbound);
    free(local);
}

bool local_has(const struct local *local, uint32_t node)
{
    return node >= local->first && node - local->first < local->count;
}

static struct inbound *inbound_of(const struct local *local, uint32_t node)
{
    return &local->inbound[node - local->first];
}

struct window *local_window(const struct local *local, uint32_t node)
{
    const struct backend *backend = local->config.backend;

    return backend->window(backend->context, node - local->first);
}

struct window *local_copy(const struct local *local, uint32_t node)
{
    return (struct window *)(void *)(local->copies +
                                     (size_t)(node - local->first) *
                                         BACKEND_WINDOW_BYTES);
}

void local_note_up(struct local *local, uint32_t node)
{
    struct inbound *inbound = inbound_of(local, node);

    local->up += !inbound->up;
    inbound->up = true;
    if (local->up == local->count && local->up_s == 0) {
        local->up_s = host_clock_s(host_clock());
    }
}

bool local_is_up(const struct local *local, uint32_t node)
{
    return inbound_of(local, node)->up;
}

struct record_looked local_looked(const struct local *local)
{
    struct record_looked looked = {.between_bytes = local->between_bytes};

    if (local->up_s > 0) {
        looked.boot_s = local->up_s - local->config.start_s;
        looked.run_s = host_clock_s(host_clock()) - local->up_s;
    }
    return looked;
}

static bool refuse(uint32_t node, const char *what)
{
    fprintf(stderr, "quincunx: rank %u, node number %u: %s\n", ranks_own(),
            node, what);
    return false;
}

/* ---- in ---- */

static bool send_now(struct local *local, uint32_t node,
                     const struct record_send *send);

/* Checks a payload that is in the window, sends waiting messages, rings the
   node. */
static bool arrive(struct local *local, uint32_t node, size_t bytes)
{
    const struct backend *backend = local->config.backend;
    struct inbound *inbound = inbound_of(local, node);
    uint8_t *message = (uint8_t *)local_window(local, node) + inbound->offset;
    struct waiting *waiting = inbound->first;
    bool sound = message_is_sound(message, bytes);

    inbound->number = 0;
    inbound->first = NULL;
    inbound->end = &inbound->first;
    if (!message_damage(message, bytes, inbound->damage)) {
        bytes_store_u32(message + CIRCUIT_AT_CRC, 0);
    }
    if (local->copies != NULL) {
        memcpy((uint8_t *)local_copy(local, node) + inbound->offset, message,
               inbound->known);
    }
    while (waiting != NULL) {
        struct waiting *next = waiting->next;

        sound = sound && send_now(local, node, &waiting->send);
        free(waiting);
        waiting = next;
    }
    if (!sound) {
        return refuse(node, "a message was damaged between ranks");
    }
    if (inbound->rung) {
        inbound->rung = false;
        backend->ring(backend->context, node - local->first);
    }
    return true;
}

bool local_payload(struct local *local, uint32_t node, uint32_t number,
                   const uint8_t *data, size_t bytes)
{
    struct inbound *inbound;
    struct early *early;

    if (!local_has(local, node) || number == 0 ||
        bytes < CIRCUIT_HEADER_BYTES || bytes > BACKEND_WINDOW_BYTES) {
        return refuse(node, "a message that makes no sense");
    }
    inbound = inbound_of(local, node);
    if (inbound->number == number) {
        if (!window_has(inbound->offset, bytes) || inbound->known > bytes) {
            return refuse(node, "a message does not fit");
        }
        memcpy((uint8_t *)local_window(local, node) + inbound->offset, data,
               bytes);
        return arrive(local, node, bytes);
    }
    early = memory_or_exit(malloc(sizeof *early + bytes));
    early->node = node;
    early->number = number;
    early->bytes = bytes;
    memcpy(early->data, data, bytes);
    early->next = local->early;
    local->early = early;
    return true;
}

bool local_take_payload(struct local *local, const struct ranks_record *record)
{
    struct record_payload payload;

    if (record->head.bytes < sizeof payload) {
        return false;
    }
    memcpy(&payload, record->body, sizeof payload);
    return local_payload(local, record->head.node, payload.number,
                         record->body + sizeof payload,
                         record->head.bytes - sizeof payload);
}

bool local_expect(struct local *local, uint32_t node,
                  const struct record_answer *answer)
{
    struct inbound *inbound = inbound_of(local, node);

    if (inbound->number != 0 || answer->known > BACKEND_WINDOW_BYTES) {
        return refuse(node, "two messages at once");
    }
    inbound->number = answer->number;
    inbound->offset = answer->offset;
    inbound->known = answer->known;
    inbound->damage = (enum message_damage)answer->damage;
    for (struct early **i = &local->early; *i != NULL; i = &(*i)->next) {
        struct early *early = *i;

        if (early->node == node && early->number == answer->number) {
            bool sound;

            *i = early->next;
            sound = local_payload(local, node, early->number, early->data,
                                  early->bytes);
            free(early);
            return sound;
        }
    }
    return true;
}

bool local_ring(struct local *local, uint32_t node)
{
    const struct backend *backend = local->config.backend;
    struct inbound *inbound = inbound_of(local, node);

    if (inbound->number != 0) {
        inbound->rung = true;
    } else {
        backend->ring(backend->context, node - local->first);
    }
    return true;
}

/* ---- out ---- */

/* The message that a node is to send. Result: false if it makes no sense. */
static bool read_send(struct message *message, const struct local *local,
                      uint32_t node, const struct record_send *send)
{
    const struct window *window = local_window(local, node);
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

static bool send_now(struct local *local, uint32_t node,
                     const struct record_send *send)
{
    const struct local_config *config = &local->config;
    struct record_payload payload = {.number = send->number};
    unsigned to = share_rank_of(config->first, config->ranks, send->to);
    struct message message;
    uint8_t *whole;
    bool sound = true;

    if (!read_send(&message, local, node, send)) {
        return refuse(node, "is to send what makes no sense");
    }
    whole = memory_or_exit(malloc(message.bytes));
    message_join(whole, &message);
    message_seal(whole, message.bytes);
    if (to == config->own) {
        sound =
            local_payload(local, send->to, send->number, whole, message.bytes);
    } else {
        struct ranks_body body[] = {{&payload, sizeof payload},
                                    {whole, message.bytes}};

        ranks_put(to, RECORD_PAYLOAD, send->to, body, 2);
        local->between_bytes += message.bytes;
    }
    free(whole);
    return sound;
}

bool local_send(struct local *local, uint32_t node,
                const struct record_send *send)
{
    struct inbound *inbound = inbound_of(local, node);
    struct waiting *waiting;

    if (send->to >= local->config.first[local->config.ranks] ||
        send->number == 0) {
        return refuse(node, "is to send to a node that there is not");
    }
    /* A node's message to itself does not wait for itself. */
    if (inbound->number == 0 ||
        (send->to == node && send->number == inbound->number)) {
        return send_now(local, node, send);
    }
    waiting = memory_or_exit(calloc(1, sizeof *waiting));
    waiting->send = *send;
    *inbound->end = waiting;
    inbound->end = &waiting->next;
    return true;
}

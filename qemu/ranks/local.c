/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/local.h"

#include "hal/bytes.h"
#include "hal/crc32.h"
#include "qemu/fabric/message.h"
#include "qemu/ranks/ranks.h"
#include "qemu/ranks/share.h"
#include "qemu/support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A sending that waits for what it sends. */
struct waiting {
    struct waiting *next;
    struct record_send send;
};

/* What comes for a node. */
struct inbound {
    uint32_t number; /* of the payload that is to come; 0: none */
    uint32_t offset;
    uint32_t known;
    uint32_t damage;
    bool rung; /* it is to be rung then */
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

uint64_t local_between_bytes(const struct local *local)
{
    return local->between_bytes;
}

static bool refuse(uint32_t node, const char *what)
{
    fprintf(stderr, "quincunx: rank %u, node number %u: %s\n", ranks_own(),
            node, what);
    return false;
}

static bool inside(uint32_t offset, uint64_t bytes)
{
    return offset >= WINDOW_DMA_OFFSET && offset <= BACKEND_WINDOW_BYTES &&
           bytes <= BACKEND_WINDOW_BYTES - offset;
}

/* ---- what comes ---- */

static bool send_now(struct local *local, uint32_t node,
                     const struct record_send *send);

/* A test flips a bit behind the sender's CRC; the receiver finds it. */
static bool damage(uint8_t *message, size_t bytes, uint32_t how)
{
    message[bytes / 2] ^= 0x10;
    if (message_is_sound(message, bytes)) {
        return false;
    }
    if (how == RECORD_DAMAGED) {
        memset(message, 0, bytes);
    }
    return true;
}

/* The payload is in the window: checks it, and does what waited for it. */
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
    if (sound && inbound->damage != RECORD_SOUND) {
        sound = damage(message, bytes, inbound->damage);
    } else {
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

/* Where a payload is to be written, if it is expected, and fits. NULL: it is
   not expected yet. */
static uint8_t *place_for(const struct local *local, uint32_t node,
                          uint32_t number, size_t bytes)
{
    const struct inbound *inbound = inbound_of(local, node);

    return inbound->number == number && inside(inbound->offset, bytes) &&
                   inbound->known <= bytes && bytes >= CIRCUIT_HEADER_BYTES
               ? (uint8_t *)local_window(local, node) + inbound->offset
               : NULL;
}

bool local_payload(struct local *local, uint32_t node, uint32_t number,
                   const uint8_t *data, size_t bytes)
{
    uint8_t *to;
    struct early *early;

    if (!local_has(local, node) || number == 0 ||
        bytes < CIRCUIT_HEADER_BYTES || bytes > BACKEND_WINDOW_BYTES) {
        return refuse(node, "a message that makes no sense");
    }
    to = place_for(local, node, number, bytes);
    if (to != NULL) {
        memcpy(to, data, bytes);
        return arrive(local, node, bytes);
    }
    if (inbound_of(local, node)->number == number) {
        return refuse(node, "a message does not fit");
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
    inbound->damage = answer->damage;
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

/* ---- what goes out ---- */

/* The parts of a message, header first. */
struct parts {
    struct ranks_body part[1 + RECORD_PIECES];
    uint8_t header[CIRCUIT_HEADER_BYTES];
    size_t bytes;
};

/* Result: false if the pieces make no sense. */
static bool gather(struct parts *parts, const struct local *local,
                   uint32_t node, const struct record_send *send)
{
    const uint8_t *window = (const uint8_t *)local_window(local, node);
    size_t bytes = CIRCUIT_HEADER_BYTES;

    parts->part[0] = (struct ranks_body){parts->header, sizeof parts->header};
    for (unsigned i = 0; i < RECORD_PIECES; ++i) {
        const struct window_segment *piece = &send->piece[i];
        struct ranks_body *part = &parts->part[1 + i];

        *part = (struct ranks_body){.bytes = piece->bytes};
        if (i == 0 && send->has_head) {
            *part = (struct ranks_body){send->head, sizeof send->head};
        } else if (piece->bytes > 0) {
            if (!inside(piece->offset, piece->bytes)) {
                return false;
            }
            part->data = window + piece->offset;
        }
        bytes += part->bytes;
    }
    parts->bytes = bytes;
    message_header(parts->header, send->kind, send->job, local->config.identity,
                   (uint32_t)bytes);
    return bytes <= BACKEND_WINDOW_BYTES;
}

static uint32_t crc_of_parts(const struct parts *parts)
{
    uint32_t crc = crc32_update(0, parts->header, CIRCUIT_AT_CRC);

    for (unsigned i = 1; i <= RECORD_PIECES; ++i) {
        if (parts->part[i].bytes > 0) {
            crc = crc32_update(crc, parts->part[i].data, parts->part[i].bytes);
        }
    }
    return crc;
}

static void join(uint8_t *to, const struct parts *parts)
{
    for (unsigned i = 0; i <= RECORD_PIECES; ++i) {
        if (parts->part[i].bytes > 0) {
            memcpy(to, parts->part[i].data, parts->part[i].bytes);
            to += parts->part[i].bytes;
        }
    }
}

/* To a node of the same rank. */
static bool send_here(struct local *local, const struct record_send *send,
                      const struct parts *parts)
{
    uint8_t *to = place_for(local, send->to, send->number, parts->bytes);
    uint8_t *whole;
    bool sound;

    if (to != NULL) {
        join(to, parts);
        return arrive(local, send->to, parts->bytes);
    }
    whole = memory_or_exit(malloc(parts->bytes));
    join(whole, parts);
    sound = local_payload(local, send->to, send->number, whole, parts->bytes);
    free(whole);
    return sound;
}

static bool send_now(struct local *local, uint32_t node,
                     const struct record_send *send)
{
    const struct local_config *config = &local->config;
    struct record_payload payload = {.number = send->number};
    struct parts parts;
    struct ranks_body body[2 + RECORD_PIECES] = {{&payload, sizeof payload}};
    unsigned to = share_rank_of(config->first, config->ranks, send->to);

    if (!gather(&parts, local, node, send)) {
        return refuse(node, "is to send what makes no sense");
    }
    bytes_store_u32(parts.header + CIRCUIT_AT_CRC, crc_of_parts(&parts));
    if (to == config->own) {
        return send_here(local, send, &parts);
    }
    memcpy(body + 1, parts.part, sizeof parts.part);
    ranks_put(to, RECORD_PAYLOAD, send->to, body, 2 + RECORD_PIECES);
    local->between_bytes += parts.bytes;
    return true;
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
    /* What a node sends to itself does not wait for itself. */
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

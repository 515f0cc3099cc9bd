/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/switch/internal.h"

#include "hal/bytes.h"
#include "hal/check.h"

#include <string.h>

#define CHECK_FILE CHECK_SWITCH_DESTINATION

static bool same_stream(const struct switch_id *a, const struct switch_id *b)
{
    return a->source == b->source && a->port == b->port;
}

static bool same_message(const struct switch_id *a, const struct switch_id *b)
{
    return same_stream(a, b) && a->sequence == b->sequence;
}

/* Returns the stream's entry of memory[], else an unused or the oldest one. */
static struct switch_memory *find_place(struct switch_core *core,
                                        const struct switch_id *from)
{
    struct switch_memory *oldest = &core->memory[0];

    ASSERT(core->remembered <= SWITCH_REMEMBERED);
    for (unsigned i = 0; i < core->remembered; ++i) {
        struct switch_memory *other = &core->memory[i];

        if (same_stream(&other->from, from)) {
            return other;
        }
        if ((uint16_t)(core->heard - other->heard) >
            (uint16_t)(core->heard - oldest->heard)) {
            oldest = other;
        }
    }
    if (core->remembered < SWITCH_REMEMBERED) {
        return &core->memory[core->remembered++];
    }
    return oldest;
}

static bool is_delivered(const struct switch_core *core,
                         const struct switch_id *from)
{
    for (unsigned i = 0; i < core->remembered; ++i) {
        if (same_message(&core->memory[i].from, from)) {
            return true;
        }
    }
    return false;
}

/* Sends DONE if the message needs no further byte, else a frame of `type`. */
static void answer(struct switch_core *core, unsigned port, unsigned type)
{
    const struct switch_port *at = &core->port[port];
    const struct switch_destination *to = &at->destination;
    const struct switch_config *config = &core->config;
    uint8_t content[SWITCH_DONE_BYTES + SWITCH_STATUS_BYTES];
    unsigned bytes = SWITCH_ANSWER_BYTES;

    type = to->done ? SWITCH_FRAME_DONE : type;
    content[0] = (uint8_t)(type | at->parity | (unsigned)to->round << 4);
    bytes_store_u32(content + 1, to->offset);
    if (type == SWITCH_FRAME_DONE) {
        bytes = SWITCH_DONE_BYTES;
        if (to->kind == SWITCH_PEEK && config->status != NULL) {
            bytes += config->status(config->context, to->question, to->bytes,
                                    content + 1);
            ASSERT(bytes <= sizeof content);
        }
    }
    /* A later ACK may get lost: each ACK names all bytes that have come in. */
    switch_frame_write(core, port, content, bytes, at->tag,
                       type != SWITCH_FRAME_ACK || !at->answered);
}

void switch_destination_again(struct switch_core *core, unsigned port)
{
    if (core->port[port].role == SWITCH_ROLE_DESTINATION) {
        answer(core, port, SWITCH_FRAME_AGAIN);
    }
}

void switch_destination_damaged(struct switch_core *core, unsigned port)
{
    core->counters[port].damaged += 1;
    switch_destination_again(core, port);
}

/* Returns the first waiting receive for this port and kind; NULL: none. */
static struct switch_receive *find_receive(const struct switch_core *core,
                                           unsigned port, unsigned kind)
{
    struct switch_receive *receive = core->receive;

    while (receive != NULL &&
           !(receive->state == SWITCH_QUEUED &&
             (receive->ports & 1u << port) != 0 &&
             (receive->kind == 0 || receive->kind == kind))) {
        receive = receive->next;
    }
    return receive;
}

static void remove_receive(struct switch_core *core,
                           struct switch_receive *receive)
{
    struct switch_receive **at = &core->receive;

    while (*at != receive) {
        ASSERT(*at != NULL);
        at = &(*at)->next;
    }
    *at = receive->next;
}

/* Bytes that an earlier circuit put into the buffer stay. */
static void attach(struct switch_receive *receive,
                   struct switch_destination *to, unsigned port)
{
    bool goes_on = same_message(&receive->from, &to->from) &&
                   receive->delivered_kind == to->kind &&
                   receive->bytes == to->bytes;

    to->receive = receive;
    to->offset = goes_on ? receive->offset : 0;
    ASSERT(to->offset <= to->bytes);
    receive->from = to->from;
    receive->port = (uint8_t)port;
    receive->delivered_kind = to->kind;
    receive->bytes = to->bytes;
    receive->state = SWITCH_ACTIVE;
}

static void deliver(struct switch_core *core, struct switch_destination *to,
                    int error)
{
    struct switch_receive *receive = to->receive;
    struct switch_memory *memory;

    to->done = true;
    if (receive != NULL) {
        ASSERT(receive->state == SWITCH_ACTIVE);
        memory = find_place(core, &to->from);
        core->heard += 1;
        memory->from = to->from;
        memory->heard = core->heard;
        remove_receive(core, receive);
        switch_note_end(core, receive->port, to->kind, to->bytes, error);
        receive->error = (int8_t)error;
        receive->state = SWITCH_DONE; /* now the caller owns the receive */
    }
}

void switch_destination_arrive(struct switch_core *core, unsigned port,
                               const uint8_t *setup)
{
    struct switch_destination *to = &core->port[port].destination;
    bool ping = setup[SWITCH_AT_KIND] >= SWITCH_PEEK;

    memset(to, 0, sizeof *to);
    to->from.source = bytes_load_u16(setup + SWITCH_AT_SOURCE);
    to->from.sequence = bytes_load_u32(setup + SWITCH_AT_SEQUENCE);
    to->from.port = setup[SWITCH_AT_PORT];
    to->kind = setup[SWITCH_AT_KIND];
    to->bytes = bytes_load_u32(setup + SWITCH_AT_LENGTH);
    to->done = !ping && is_delivered(core, &to->from);
    if (!ping && !to->done) {
        unsigned aside =
            bytes_load_u16(setup + SWITCH_AT_HOPS_AFTER) >> SWITCH_TURN_SHIFT;
        unsigned as = (port + aside) % TORUS_PORTS;
        struct switch_receive *receive = find_receive(core, as, to->kind);

        if (receive == NULL) {
            switch_relay_refuse(core, port, setup, SWITCH_REASON_UNWANTED);
            return;
        }
        attach(receive, to, as);
        if (to->bytes > receive->capacity_bytes) {
            deliver(core, to, ERR_BUFFER);
        }
    }
    switch_relay_hold(core, port, SWITCH_ROLE_DESTINATION, setup);
    answer(core, port, SWITCH_FRAME_ACK);
}

void switch_destination_lost(struct switch_core *core, unsigned port)
{
    struct switch_destination *to = &core->port[port].destination;

    if (to->done) {
        return;
    }
    core->counters[port].broken += 1;
    if (to->receive != NULL) {
        ASSERT(to->receive->state == SWITCH_ACTIVE);
        to->receive->offset = to->offset;
        to->receive->state = SWITCH_QUEUED;
    }
}

static void take(struct switch_core *core, unsigned port, const uint8_t *data,
                 unsigned bytes)
{
    struct switch_destination *to = &core->port[port].destination;

    if (to->receive != NULL && bytes > 0) {
        ASSERT(to->bytes <= to->receive->capacity_bytes);
        memcpy(to->receive->buffer + to->offset, data, bytes);
    }
    for (uint32_t i = 0; to->receive == NULL && i < bytes &&
                         to->offset + i < SWITCH_QUESTION_BYTES;
         ++i) {
        to->question[to->offset + i] = data[i];
    }
    to->offset += bytes;
    ASSERT(to->offset <= to->bytes);
    if (to->offset == to->bytes) {
        core->counters[port].received_messages += 1;
        core->counters[port].received_bytes += to->bytes;
        deliver(core, to, ERR_OK);
    }
}

void switch_destination_data(struct switch_core *core, unsigned port,
                             unsigned bytes)
{
    struct switch_port *at = &core->port[port];
    struct switch_destination *to = &at->destination;
    const uint8_t *content = core->reader[port].content;
    unsigned data_bytes = bytes - SWITCH_DATA_HEADER_BYTES;
    int32_t ahead = (int16_t)(bytes_load_u16(content + 1) - to->offset);

    ASSERT(at->role == SWITCH_ROLE_DESTINATION);
    if (bytes < SWITCH_DATA_HEADER_BYTES ||
        !frame_check(&core->reader[port], SWITCH_DATA_HEADER_BYTES, bytes,
                     switch_relay_data_crc(at, content[0],
                                           to->offset + (uint32_t)ahead))) {
        switch_destination_damaged(core, port);
        return;
    }
    at->active_us = core->now_us;
    at->answered = true;
    at->parity = SWITCH_FRAME_PARITY(content[0]);
    if (ahead != 0 || to->done) {
        core->counters[port].stale += 1;
        answer(core, port, ahead < 0 ? SWITCH_FRAME_ACK : SWITCH_FRAME_AGAIN);
    } else if (data_bytes > to->bytes - to->offset) {
        switch_destination_damaged(core, port); /* data beyond the message */
    } else {
        take(core, port, content + SWITCH_DATA_HEADER_BYTES, data_bytes);
        answer(core, port, SWITCH_FRAME_ACK);
    }
}

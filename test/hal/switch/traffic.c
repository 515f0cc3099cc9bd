/* SPDX-License-Identifier: Apache-2.0 */
#include "test/hal/switch/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the nodes' programs ---- */

static const char *judge(struct traffic *traffic, uint32_t node)
{
    const struct switch_receive *receive = &traffic->receive[node];
    unsigned index = receive->delivered_kind - 1u;
    struct parcel *parcel = &traffic->parcel[index];

    if (index >= traffic->parcels || !parcel->sent) {
        return "a kind that nobody sent";
    }
    parcel->delivered += 1;
    if (parcel->delivered > 1) {
        return "delivered twice";
    }
    if (parcel->to != node || parcel->arrival != receive->port) {
        return "delivered elsewhere";
    }
    if (receive->error != ERR_OK || receive->bytes != parcel->length) {
        return "delivered with another length";
    }
    return memcmp(traffic->buffer[node], parcel->bytes, parcel->length) == 0
               ? NULL
               : "delivered with other bytes";
}

static void post(struct traffic *traffic, uint32_t node)
{
    struct switch_receive *receive = &traffic->receive[node];

    memset(traffic->buffer[node], 0xa5, traffic->capacity_bytes);
    *receive =
        (struct switch_receive){.buffer = traffic->buffer[node],
                                .capacity_bytes = traffic->capacity_bytes,
                                .ports = (1u << TORUS_PORTS) - 1u};
    switch_post(&traffic->mesh->core[node], receive);
}

static void tick(struct mesh *mesh, uint32_t node)
{
    struct traffic *traffic = mesh->context;
    struct switch_receive *receive = &traffic->receive[node];

    if (receive->state == SWITCH_DONE) {
        const char *what = judge(traffic, node);

        traffic->wrong += what != NULL;
        traffic->what = what != NULL ? what : traffic->what;
        receive->state = SWITCH_IDLE;
        traffic->post_us[node] =
            mesh->now_us + mesh_below(&traffic->random, traffic->slow_us + 1);
    }
    if (receive->state == SWITCH_IDLE && !traffic->deaf[node] &&
        mesh->now_us >= traffic->post_us[node]) {
        post(traffic, node);
    }
    for (uint32_t i = 0; i < traffic->parcels; ++i) {
        struct parcel *parcel = &traffic->parcel[i];

        if (parcel->from == node && !parcel->sent &&
            mesh->now_us >= parcel->at_us) {
            parcel->sent = true;
            mesh_send(mesh, node, &parcel->message);
        }
    }
}

/* What a node answers to a peek: its number, the page, then more of them. */
static unsigned status(void *context, const uint8_t *question, uint32_t bytes,
                       uint8_t *out)
{
    const uint32_t node = ((const struct mesh_end *)context)->node;
    const unsigned answer = node + 2;

    for (unsigned i = 0; i < answer; ++i) {
        out[i] = (uint8_t)(node + i);
    }
    out[1] = bytes == 1 ? question[0] : 0;
    return answer;
}

/* ---- making it ---- */

struct traffic *traffic_make(struct torus_size size, uint64_t seed,
                             uint32_t capacity_bytes)
{
    struct traffic *traffic = calloc(1, sizeof *traffic);

    traffic->mesh = mesh_make(size, seed);
    traffic->random = ~seed;
    traffic->capacity_bytes = capacity_bytes;
    traffic->mesh->tick = tick;
    traffic->mesh->context = traffic;
    for (uint32_t node = 0; node < traffic->mesh->nodes; ++node) {
        traffic->buffer[node] = malloc(capacity_bytes);
        traffic->mesh->core[node].config.status = status;
        post(traffic, node);
    }
    return traffic;
}

void traffic_free(struct traffic *traffic)
{
    for (uint32_t i = 0; i < traffic->parcels; ++i) {
        free(traffic->parcel[i].bytes);
    }
    for (uint32_t node = 0; node < traffic->mesh->nodes; ++node) {
        free(traffic->buffer[node]);
    }
    free(traffic->mesh);
    free(traffic);
}

void traffic_deafen(struct traffic *traffic)
{
    for (uint32_t node = 0; node < traffic->mesh->nodes; ++node) {
        switch_cancel(&traffic->mesh->core[node]);
        traffic->deaf[node] = true;
    }
}

/* Cuts the bytes into segments anywhere, also into empty ones. */
static void cut(struct traffic *traffic, struct parcel *parcel)
{
    uint32_t at = 0;

    for (unsigned i = 0; i < SWITCH_SEGMENTS; ++i) {
        uint32_t left = parcel->length - at;
        uint32_t bytes = i + 1 < SWITCH_SEGMENTS
                             ? mesh_below(&traffic->random, left + 1)
                             : left;

        parcel->message.segment[i] =
            (struct switch_segment){parcel->bytes + at, bytes};
        at += bytes;
    }
}

struct parcel *traffic_add(struct traffic *traffic, uint32_t from,
                           struct torus_path path, uint32_t length,
                           uint32_t after_us)
{
    struct torus_size size = traffic->mesh->size;
    struct parcel *parcel = &traffic->parcel[traffic->parcels];

    traffic->parcels += 1;
    parcel->length = length;
    parcel->bytes = malloc(length + 1u);
    for (uint32_t i = 0; i < length; ++i) {
        uint64_t drawn = mesh_random(&traffic->random);

        /* Many zeros, for the stuffing. */
        parcel->bytes[i] = (drawn & 0x700u) == 0 ? 0 : (uint8_t)drawn;
    }
    cut(traffic, parcel);
    parcel->from = from;
    parcel->to = torus_index(
        size, torus_path_end(size, torus_coord_of(size, from), path));
    parcel->arrival = torus_path_arrival(path);
    parcel->at_us = traffic->mesh->now_us + after_us;
    parcel->message.path = path;
    parcel->message.kind = (uint8_t)traffic->parcels;
    return parcel;
}

void traffic_peek(struct parcel *parcel)
{
    static const uint8_t question = TRAFFIC_PAGE;
    struct switch_message *message = &parcel->message;

    message->kind = SWITCH_PEEK;
    message->reply = parcel->reply;
    memset(message->segment, 0, sizeof message->segment);
    message->segment[0] = (struct switch_segment){&question, 1};
}

/* ---- running and judging ---- */

uint32_t duration_us(const struct parcel *parcel)
{
    return parcel->message.done_us - parcel->message.queued_us;
}

/* ---- running and judging ---- */

bool traffic_done(struct mesh *mesh)
{
    struct traffic *traffic = mesh->context;

    for (uint32_t i = 0; i < traffic->parcels; ++i) {
        if (traffic->parcel[i].message.state != SWITCH_DONE) {
            return false;
        }
    }
    return true;
}

static bool all_quiet(struct mesh *mesh)
{
    return traffic_done(mesh) && mesh_quiet(mesh);
}

bool traffic_run(struct traffic *traffic)
{
    if (!mesh_run(traffic->mesh, all_quiet, TRAFFIC_LIMIT_US)) {
        return false;
    }
    /* Deliveries are looked at in ticks. */
    mesh_run(traffic->mesh, NULL, 2 * traffic->mesh->tick_us);
    return true;
}

/* Of a peek that was answered: by the node at its end, and no byte more. */
static const char *judge_peek(const struct parcel *parcel)
{
    const uint8_t *reply = parcel->reply;
    const unsigned bytes = parcel->to + 2;

    if (parcel->message.error != ERR_OK) {
        return parcel->message.reply_bytes == 0 ? NULL
                                                : "an answer of a failed peek";
    }
    for (unsigned i = 0; i < bytes; ++i) {
        if (reply[i] != (i == 1 ? TRAFFIC_PAGE : parcel->to + i)) {
            return "an answer with other bytes";
        }
    }
    return parcel->message.reply_bytes == bytes && reply[bytes] == 0
               ? NULL
               : "an answer of another length";
}

/* A ping or a peek, which no program receives. */
static const char *judge_silent(const struct parcel *parcel)
{
    if (parcel->delivered > 0) {
        return "a ping was delivered";
    }
    return parcel->message.kind == SWITCH_PEEK ? judge_peek(parcel) : NULL;
}

const char *traffic_wrong(const struct traffic *traffic)
{
    if (traffic->wrong > 0) {
        return traffic->what;
    }
    if (traffic->mesh->astray > 0) {
        return "something is relayed without a circuit";
    }
    for (uint32_t i = 0; i < traffic->parcels; ++i) {
        const struct parcel *parcel = &traffic->parcel[i];
        bool silent = parcel->message.kind == SWITCH_PING ||
                      parcel->message.kind == SWITCH_PEEK;

        if (parcel->message.state != SWITCH_DONE) {
            return "a message without an end";
        }
        if (silent && judge_silent(parcel) != NULL) {
            return judge_silent(parcel);
        }
        if (parcel->message.error == ERR_OK && !silent &&
            parcel->delivered != 1) {
            return "acknowledged, and not delivered";
        }
    }
    return NULL;
}

const char *traffic_trouble(const struct traffic *traffic)
{
    const struct mesh *mesh = traffic->mesh;
    struct switch_counters sum = mesh_counters(mesh);
    uint32_t messages = 0;

    for (uint32_t i = 0; i < traffic->parcels; ++i) {
        const struct switch_message *message = &traffic->parcel[i].message;
        bool peek = message->kind == SWITCH_PEEK;

        if (message->error != ERR_OK &&
            !(peek && (message->error == ERR_PORT_BUSY || mesh->faults > 0))) {
            return "a message failed";
        }
        messages += !peek;
    }
    if (sum.sent_messages != messages) {
        return "another number of messages was counted as sent";
    }
    /* A delayed answer is one to an earlier try. */
    if (mesh->faults == 0 && mesh->fault_ppm[MESH_DELAY] == 0 &&
        sum.damaged + sum.lost > 0) {
        return "damage was counted where there was none";
    }
    if (mesh->faults == 0 && mesh->fault_ppm[MESH_NONE] == 0 &&
        sum.retransmitted + sum.expired + sum.broken > 0) {
        return "something was repeated on good lines";
    }
    return traffic_wrong(traffic);
}

void traffic_check(struct unit *unit, struct traffic *traffic)
{
    const char *trouble;

    CHECK(unit, traffic_run(traffic));
    trouble = traffic_trouble(traffic);
    if (trouble != NULL) {
        unit_fail(unit, __FILE__, __LINE__, trouble);
    }
    traffic_free(traffic);
}

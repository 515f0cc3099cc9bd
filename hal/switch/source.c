/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that begin at this node: queue, set-up, DATA, answers, tries. */
#include "hal/switch/internal.h"

#include "hal/bytes.h"
#include "hal/check.h"

#include <string.h>

#define CHECK_FILE CHECK_SWITCH_SOURCE

#define FRAME_LEAST 16u    /* least data of a frame but the last, bytes */
#define FRAME_GROWTH 8u    /* data by which frames grow after an answer */
#define FRAME_COSTS 18u    /* most bytes of a frame on a line besides data */
#define BAD_DATA_BYTES 56u /* most data of a frame on a bad line, bytes */
#define CLEAN_ANSWERS 32u  /* undamaged answers that make a bad line good */
#define TIMEOUTS_MAX 8u    /* waits without answer that a circuit survives */
#define BACKOFF_MAX 6u     /* a random wait is at most 2^6 units */
#define BACKOFF_BYTES 32u  /* unit of random waits, in bytes on a line */
#define HOP_BYTES 128u     /* time for a hop and back, in bytes on a line */
#define ENDS_BYTES 256u    /* time for both end nodes, in bytes on a line */
#define SETUP_BYTES 40u    /* most bytes of a set-up or its answer on a line */
#define HASTE 5u           /* a wait is latest_us() >> HASTE or more */
#define TICK_US 1000u      /* longest delay of now_us, us */
#define GIVE_WAY_US (2u * TICK_US) /* pause for a set-up of a neighbour */
#define WAIT_US_MAX 16000000u      /* us; in ms, twice this must fit a u16 */
#define PEEK_TIMEOUTS_MAX 48u /* waits without answer that a peek survives */
#define AHEAD_BYTES 256u      /* DATA is made while the ring has fewer bytes */

static uint32_t line_us(const struct switch_core *core, uint32_t bytes)
{
    return bytes * (core->config.byte_ns / 1000u + 1u);
}

/* Returns the longest time from the end of a frame to the answer, us. */
static uint32_t latest_us(const struct switch_core *core,
                          const struct switch_message *message)
{
    uint32_t hops = torus_path_hops(message->path);

    return core->config.slack_us + line_us(core, ENDS_BYTES + HOP_BYTES * hops);
}

static uint32_t with_line_us(const struct switch_core *core, uint32_t us,
                             uint32_t bytes)
{
    us += line_us(core, bytes);
    return us < WAIT_US_MAX ? us : WAIT_US_MAX;
}

/* Returns the wait for an answer, us, after `times` waits in vain. bytes: bytes
   on the line before the answer. */
static uint32_t wait_us(const struct switch_core *core,
                        const struct switch_message *message, uint32_t bytes,
                        unsigned times)
{
    const struct switch_source *source = &core->port[message->path.port].source;
    uint32_t most_us = latest_us(core, message);
    uint32_t us = 2u * source->late_us;

    us = us > most_us >> HASTE ? us : most_us >> HASTE;
    for (unsigned i = 1; i < times && us < most_us; i += 2) {
        us *= 2u;
    }
    us = us < most_us ? us : most_us;
    return with_line_us(core, us + TICK_US, bytes);
}

/* late_us rises at once, and falls slowly. */
static void learn(const struct switch_core *core, struct switch_source *source)
{
    uint32_t us = core->now_us - source->timed_us;
    uint32_t most_us = latest_us(core, source->first);

    us = us < most_us ? us : most_us;
    source->late_us = us > source->late_us
                          ? us
                          : source->late_us - (source->late_us - us) / 8u;
    source->timing = false;
}

static bool is_peek(const struct switch_source *source)
{
    return source->first->kind == SWITCH_PEEK;
}

static void wait_for_answer(struct switch_core *core, unsigned port)
{
    struct switch_source *source = &core->port[port].source;
    uint32_t bytes = source->next - source->base + source->vain_bytes +
                     SWITCH_WINDOW * FRAME_COSTS;

    source->until_us =
        core->now_us + wait_us(core, source->first, bytes,
                               is_peek(source) ? 0 : source->timeouts);
}

static int measure(struct switch_message *message)
{
    static const struct torus_size most = {SWITCH_HOPS_MASK, SWITCH_HOPS_MASK};

    if (!torus_path_valid(most, message->path)) {
        return ERR_NO_ROUTE;
    }
    message->bytes = 0;
    for (unsigned i = 0; i < SWITCH_SEGMENTS; ++i) {
        if (message->segment[i].bytes > UINT32_MAX - message->bytes) {
            return ERR_RANGE;
        }
        message->bytes += message->segment[i].bytes;
    }
    return message->kind == 0 ||
                   (message->kind == SWITCH_PEEK && message->reply == NULL)
               ? ERR_RANGE
               : ERR_OK;
}

/* Prepares a port for a new first message. */
static void renew(struct switch_core *core, unsigned port)
{
    struct switch_source *source = &core->port[port].source;

    source->until_us = core->now_us;
    source->base = 0;
    source->next = 0;
    source->backoff = 0;
    source->timing = false;
    /* frame_bytes and late_us stay: they depend on the line. */
}

/* Moves a peek ahead of a first message that waits for its next try. */
static void let_peek_by(struct switch_core *core, unsigned port)
{
    struct switch_source *source = &core->port[port].source;
    struct switch_message *first = source->first;
    struct switch_message *peek = first->next;

    if (peek == NULL || peek->kind != SWITCH_PEEK ||
        first->kind == SWITCH_PEEK || first->state != SWITCH_QUEUED) {
        return;
    }
    first->next = peek->next;
    peek->next = first;
    source->first = peek;
    renew(core, port);
}

void switch_source_queue(struct switch_core *core,
                         struct switch_message *message)
{
    struct switch_source *source;
    struct switch_message **at;

    message->queued_us = core->now_us;
    message->accepted_us = core->now_us;
    message->error = (int8_t)measure(message);
    if (message->error != ERR_OK) {
        message->state = SWITCH_DONE;
        return;
    }
    core->sequence += 1;
    message->sequence = core->sequence;
    message->top = 0;
    message->reply_bytes = 0;
    message->tries = 0;
    message->tried = false;
    message->refused = false;
    message->state = SWITCH_QUEUED;
    source = &core->port[message->path.port].source;
    /* A peek goes behind the first message, any other message to the end. */
    for (at = &source->first;
         *at != NULL && (message->kind != SWITCH_PEEK || at == &source->first);
         at = &(*at)->next) {
        ASSERT(*at != message);
    }
    message->next = *at;
    *at = message;
    if (source->first == message) {
        renew(core, message->path.port);
    } else {
        let_peek_by(core, message->path.port);
    }
    switch_source_start(core, message->path.port);
}

static void finish(struct switch_core *core, unsigned port, int error)
{
    struct switch_source *source = &core->port[port].source;
    struct switch_message *message = source->first;

    ASSERT(message->state == SWITCH_QUEUED || message->state == SWITCH_ACTIVE);
    source->first = message->next;
    renew(core, port);
    core->counters[port].dead +=
        error == ERR_DEAD_LINK && message->kind != SWITCH_PEEK;
    switch_note_end(core, TORUS_PORTS + port, message->kind, message->bytes,
                    error);
    message->done_us = core->now_us;
    message->error = (int8_t)error;
    message->state = SWITCH_DONE; /* now the caller owns the message */
}

void switch_source_abandon(struct switch_core *core, unsigned port)
{
    struct switch_port *at = &core->port[port];

    if (at->role == SWITCH_ROLE_SOURCE) {
        at->role = SWITCH_ROLE_FREE;
        switch_relay_release(core, port, SWITCH_REASON_BROKEN);
    }
    while (at->source.first != NULL) {
        finish(core, port, ERR_PORT_BUSY);
    }
}

void switch_source_turn_bad(struct switch_port *at)
{
    struct switch_source *source = &at->source;

    source->bad = true;
    source->clean = 0;
    if (source->frame_bytes > BAD_DATA_BYTES) {
        source->frame_bytes = BAD_DATA_BYTES;
    }
}

static void compose(uint8_t *setup, const struct switch_core *core,
                    const struct switch_source *source)
{
    const struct switch_message *message = source->first;
    const struct torus_path *path = &message->path;
    uint32_t hold_us =
        2u * with_line_us(core, latest_us(core, message), SWITCH_RING_BYTES);
    unsigned after = path->turn == TORUS_STRAIGHT ? 0u : path->hops_after;

    setup[0] = SWITCH_FRAME_SETUP | (source->bad ? FRAME_PARITY : 0);
    setup[SWITCH_AT_ATTEMPT] = source->attempt;
    bytes_store_u16(setup + SWITCH_AT_SOURCE, core->config.node);
    bytes_store_u32(setup + SWITCH_AT_SEQUENCE, message->sequence);
    setup[SWITCH_AT_PORT] = path->port;
    setup[SWITCH_AT_KIND] = message->kind;
    bytes_store_u32(setup + SWITCH_AT_LENGTH, message->bytes);
    bytes_store_u16(
        setup + SWITCH_AT_HOPS,
        (uint16_t)(path->hops | (unsigned)path->turn << SWITCH_TURN_SHIFT));
    bytes_store_u16(
        setup + SWITCH_AT_HOPS_AFTER,
        (uint16_t)(after | (unsigned)message->aside << SWITCH_TURN_SHIFT));
    bytes_store_u16(setup + SWITCH_AT_HOLD, (uint16_t)(hold_us / 1000u + 1u));
}

void switch_source_start(struct switch_core *core, unsigned port)
{
    struct switch_port *at = &core->port[port];
    struct switch_source *source = &at->source;
    struct switch_message *message = source->first;
    uint8_t setup[SWITCH_SETUP_BYTES];
    uint32_t bytes;

    if (message == NULL || at->role != SWITCH_ROLE_FREE ||
        !switch_time_reached(core, source->until_us) ||
        !switch_frame_room(core, port, SWITCH_SETUP_BYTES)) {
        return;
    }
    ASSERT(message->state == SWITCH_QUEUED);
    source->attempt += 1;
    compose(setup, core, source);
    switch_frame_write(core, port, setup, SWITCH_SETUP_BYTES, SWITCH_VERSION,
                       true);
    switch_relay_hold(core, port, SWITCH_ROLE_SOURCE, setup);
    core->counters[port].retries +=
        message->tried && message->kind != SWITCH_PEEK;
    message->tried = true;
    message->state = SWITCH_ACTIVE;
    source->timed_us = core->now_us;
    bytes = SETUP_BYTES * (torus_path_hops(message->path) + 1u);
    source->until_us =
        core->now_us + wait_us(core, message, bytes, message->tries);
}

static void back_off(struct switch_core *core, unsigned port)
{
    struct switch_source *source = &core->port[port].source;
    uint32_t times;

    if (source->backoff < BACKOFF_MAX) {
        source->backoff += 1;
    }
    times = 1u + switch_random(core) % (1u << source->backoff);
    source->until_us = core->now_us + times * line_us(core, BACKOFF_BYTES);
    source->first->state = SWITCH_QUEUED;
    let_peek_by(core, port);
}

/* Counts a set-up in vain. Result: whether it was the message's last one. */
static bool was_last_try(const struct switch_core *core,
                         struct switch_message *message)
{
    if (message->tries == 0) {
        message->vain_us = core->now_us;
    }
    if (message->tries < UINT8_MAX) {
        message->tries += 1;
    }
    return message->kind == SWITCH_PEEK
               ? message->tries >= SWITCH_PEEK_TRIES
               : message->tries >= SWITCH_TRIES &&
                     core->now_us - message->vain_us >= SWITCH_VAIN_US;
}

/* Refusals count as tries of a peek only. */
void switch_source_lost(struct switch_core *core, unsigned port,
                        unsigned reason)
{
    struct switch_port *at = &core->port[port];
    struct switch_message *message = at->source.first;
    bool refused =
        reason == SWITCH_REASON_HELD || reason == SWITCH_REASON_UNWANTED;
    bool peek = message->kind == SWITCH_PEEK;

    ASSERT(message->state == SWITCH_ACTIVE && at->role == SWITCH_ROLE_FREE);
    core->counters[port].broken += at->answered && !peek;
    if (!refused && !at->answered) {
        switch_source_turn_bad(at);
    }
    if (refused && !message->refused) {
        message->refused = true;
        message->refused_us = core->now_us;
    }
    if (reason == SWITCH_REASON_UNWANTED && !peek) {
        message->tries = 0; /* the set-up arrived: no dead link */
    }
    if (((peek || !refused) && was_last_try(core, message)) ||
        (refused &&
         core->now_us - message->refused_us >= core->config.patience_us)) {
        finish(core, port, refused ? ERR_PORT_BUSY : ERR_DEAD_LINK);
    } else {
        back_off(core, port);
    }
}

static void put_bytes(struct frame_writer *writer,
                      const struct switch_message *message, uint32_t from,
                      uint32_t bytes)
{
    const struct switch_segment *segment = message->segment;

    for (; bytes > 0; ++segment) {
        uint32_t here = 0;

        ASSERT(segment < message->segment + SWITCH_SEGMENTS);
        if (from < segment->bytes) {
            here = segment->bytes - from;
            here = here < bytes ? here : bytes;
            frame_put(writer, segment->data + from, here);
            from = 0;
            bytes -= here;
        } else {
            from -= segment->bytes;
        }
    }
}

/* Makes a DATA frame. Only the answer to new bytes is timed. */
static void make_frame(struct switch_core *core, unsigned port)
{
    struct switch_port *at = &core->port[port];
    struct switch_source *source = &at->source;
    uint32_t left = source->first->bytes - source->next;
    uint32_t bytes = left < source->frame_bytes ? left : source->frame_bytes;
    uint8_t header[SWITCH_DATA_HEADER_BYTES];
    struct frame_writer writer;

    ASSERT(source->next <= source->first->bytes);
    ASSERT(source->frame_bytes >= FRAME_LEAST &&
           source->frame_bytes <= SWITCH_DATA_BYTES);
    at->parity = source->bad ? FRAME_PARITY : 0;
    header[0] = (uint8_t)(SWITCH_FRAME_DATA | at->parity | source->round << 4);
    bytes_store_u16(header + 1, (uint16_t)source->next);
    if (!switch_frame_begin(
            core, port, &writer, sizeof header + bytes,
            switch_relay_data_crc(at, header[0], source->next))) {
        return;
    }
    frame_put_unchecked(&writer, header, sizeof header);
    put_bytes(&writer, source->first, source->next, bytes);
    switch_frame_end(core, port, &writer);
    source->next += bytes;
    source->complete = bytes == left;
    if (source->first->top < source->next) {
        source->first->top = source->next;
        if (!source->timing) {
            source->timing = true;
            source->timed = source->next;
            source->timed_round = source->round;
            source->timed_us = core->now_us;
        }
    }
}

/* Returns the most data that may be on the way, bytes. */
static uint32_t window_bytes(const struct switch_source *source)
{
    static_assert(2 + SWITCH_DATA_BYTES / 48 == SWITCH_WINDOW, "at its best");
    return (2u + source->frame_bytes / 48u) * source->frame_bytes;
}

void switch_source_fill(struct switch_core *core, unsigned port)
{
    struct switch_port *at = &core->port[port];
    struct switch_source *source = &at->source;

    while (at->answered && !source->complete &&
           at->written - at->taken < AHEAD_BYTES &&
           source->next - source->base < window_bytes(source)) {
        make_frame(core, port);
        wait_for_answer(core, port);
    }
}

/* Sends again from `base` on. asked: the destination sent AGAIN. */
static void go_back(struct switch_core *core, unsigned port, bool asked)
{
    struct switch_source *source = &core->port[port].source;
    unsigned half = source->frame_bytes / 2u;

    ASSERT(source->base <= source->next);
    if (!is_peek(source)) {
        core->counters[port].retransmitted += 1;
        source->frame_bytes =
            (uint16_t)(half > FRAME_LEAST ? half : FRAME_LEAST);
    }
    if (asked) {
        switch_source_turn_bad(&core->port[port]);
    }
    source->round = (source->round + 1u) & 15u;
    source->timing = source->timing && !asked;
    source->vain_bytes = (uint16_t)(asked ? source->next - source->base : 0);
    source->next = source->base;
    source->complete = false;
    wait_for_answer(core, port);
    switch_source_fill(core, port);
}

/* An answer of a later round may be to bytes that were sent twice (Karn,
   Partridge, SIGCOMM 1987). */
static void stop_timing(const struct switch_core *core,
                        struct switch_source *source, unsigned round)
{
    if (source->timing && round == source->timed_round) {
        learn(core, source);
    }
    source->timing = false;
}

/* Takes an answer: the destination has the first `offset` bytes. */
static void acknowledge(struct switch_core *core, unsigned port,
                        uint32_t offset, unsigned round)
{
    struct switch_port *at = &core->port[port];
    struct switch_source *source = &at->source;
    unsigned longer = source->frame_bytes + FRAME_GROWTH;
    unsigned most = source->bad ? BAD_DATA_BYTES : SWITCH_DATA_BYTES;

    if (offset > source->base) {
        source->first->tries = 0;
    }
    source->base = offset;
    source->timeouts = 0;
    source->vain_bytes = 0;
    if (!at->answered) {
        learn(core, source);
        at->answered = true;
        source->next = offset;
        source->complete = false;
        source->round = (source->round + 1u) & 15u;
        source->backoff = 0;
        source->first->refused = false;
        source->first->accepted_us = core->now_us;
        return;
    }
    if (offset >= source->timed) {
        stop_timing(core, source, round);
    }
    if (source->next < offset) {
        source->next = offset; /* bytes of an earlier round did come in */
    }
    source->frame_bytes = (uint16_t)(longer < most ? longer : most);
    wait_for_answer(core, port);
}

static void done(struct switch_core *core, unsigned port, const uint8_t *answer,
                 unsigned bytes)
{
    struct switch_port *at = &core->port[port];
    const uint8_t *reply = answer + SWITCH_DONE_BYTES;
    unsigned reply_bytes = bytes - SWITCH_DONE_BYTES;

    ASSERT(reply_bytes <= SWITCH_STATUS_BYTES);
    stop_timing(core, &at->source, SWITCH_FRAME_ROUND(answer[0]));
    if (is_peek(&at->source)) {
        at->source.first->reply_bytes = (uint8_t)reply_bytes;
        memcpy(at->source.first->reply, reply, reply_bytes);
    } else {
        core->counters[port].sent_messages += 1;
        core->counters[port].sent_bytes += at->source.first->bytes;
    }
    at->role = SWITCH_ROLE_FREE;
    switch_relay_release(core, port, SWITCH_REASON_FINISHED);
    finish(core, port, ERR_OK);
    if (at->source.yields) {
        at->source.yields = false;
        at->source.until_us = core->now_us + GIVE_WAY_US;
    }
    switch_source_start(core, port);
}

static bool has_length(const struct switch_source *source, unsigned type,
                       unsigned bytes)
{
    unsigned most = type != SWITCH_FRAME_DONE ? SWITCH_ANSWER_BYTES
                    : is_peek(source) ? SWITCH_DONE_BYTES + SWITCH_STATUS_BYTES
                                      : SWITCH_DONE_BYTES;

    return bytes <= most && bytes >= (type == SWITCH_FRAME_DONE ? 1u : most);
}

void switch_source_answer(struct switch_core *core, unsigned port,
                          unsigned bytes)
{
    struct switch_port *at = &core->port[port];
    struct switch_source *source = &at->source;
    const uint8_t *content = core->reader[port].content;
    unsigned type = SWITCH_FRAME_TYPE(content[0]);
    uint32_t offset;

    if (!has_length(source, type, bytes) ||
        !frame_check(&core->reader[port], 0, bytes, at->tag)) {
        core->counters[port].damaged += 1;
        return;
    }
    source->clean = core->reader[port].mended ? 0 : source->clean + 1u;
    if (source->bad && source->clean >= CLEAN_ANSWERS) {
        source->bad = false;
        source->frame_bytes = SWITCH_DATA_BYTES;
    }
    if (type == SWITCH_FRAME_DONE) {
        done(core, port, content, bytes);
        return;
    }
    offset = bytes_load_u32(content + 1);
    if (offset > source->first->top) {
        core->counters[port].stale += 1;
        return;
    }
    if (!at->answered || offset > source->base) {
        acknowledge(core, port, offset, SWITCH_FRAME_ROUND(content[0]));
    }
    if (type == SWITCH_FRAME_AGAIN && offset == source->base &&
        SWITCH_FRAME_ROUND(content[0]) == source->round) {
        go_back(core, port, true);
    }
    switch_source_fill(core, port);
}

void switch_source_tick(struct switch_core *core, unsigned port)
{
    struct switch_port *at = &core->port[port];
    struct switch_source *source = &at->source;

    if (at->role != SWITCH_ROLE_SOURCE) {
        switch_source_start(core, port);
    } else if (switch_time_reached(core, source->until_us)) {
        unsigned most = is_peek(source) ? PEEK_TIMEOUTS_MAX : TIMEOUTS_MAX;

        if (at->answered && source->timeouts < most) {
            source->timeouts += 1;
            go_back(core, port, false);
        } else {
            switch_relay_free(core, port);
            switch_source_lost(core, port, SWITCH_REASON_BROKEN);
            switch_relay_release(core, port, SWITCH_REASON_BROKEN);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of the switch. Frames that come in go to the file that handles
   their type; bytes of a relayed frame go to the ring of the other port. */
#include "hal/switch/switch.h"

#include "hal/check.h"
#include "hal/switch/internal.h"

#include <string.h>

#define CHECK_FILE CHECK_SWITCH

static_assert(SWITCH_DATA_HEADER_BYTES + SWITCH_DATA_BYTES +
                      FRAME_CHECK_BYTES <=
                  FRAME_BYTES_MAX,
              "data do not fit a frame");

void switch_init(struct switch_core *core, const struct switch_config *config)
{
    memset(core, 0, sizeof *core);
    core->config = *config;
    core->config.slack_us =
        config->slack_us != 0 ? config->slack_us : SWITCH_SLACK_US;
    core->config.patience_us =
        config->patience_us != 0 ? config->patience_us : SWITCH_PATIENCE_US;
    /* Golden-ratio factors spread close seeds. `| 1` avoids 0, a dead state. */
    core->random = (config->seed + config->node * 40503u) * 2654435761u | 1u;
    core->sequence = switch_random(core);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        core->port[port].source.frame_bytes = SWITCH_DATA_BYTES;
        core->port[port].source.late_us = core->config.slack_us / 16u;
    }
}

static void kick(struct switch_core *core)
{
    for (unsigned port = 0; core->kicks != 0; ++port) {
        unsigned bit = 1u << port % TORUS_PORTS;

        if ((core->kicks & bit) != 0) {
            core->kicks &= (uint8_t)~bit;
            core->config.kick(core->config.context, port % TORUS_PORTS);
        }
    }
}

unsigned switch_pending(struct switch_core *core, unsigned port,
                        const uint8_t **data)
{
    const struct switch_port *from = &core->port[port];
    uint32_t at = from->taken & SWITCH_RING_MASK;
    uint32_t bytes = switch_ring_used(from);

    *data = &core->ring[port][at];
    return bytes < SWITCH_RING_BYTES - at ? bytes : SWITCH_RING_BYTES - at;
}

void switch_taken(struct switch_core *core, unsigned port, unsigned bytes)
{
    ASSERT(bytes <= switch_ring_used(&core->port[port]));
    core->port[port].taken += bytes;
    if (core->port[port].role == SWITCH_ROLE_SOURCE) {
        switch_source_fill(core, port);
        /* The caller calls switch_pending() next: no kick() is needed. */
        core->kicks &= (uint8_t) ~(1u << port);
    }
}

/* Frees the circuit that holds a port; tells only the circuit's far side. */
static void drop(struct switch_core *core, unsigned port, unsigned reason)
{
    switch (switch_relay_free(core, port)) {
    case SWITCH_ROLE_RELAY:
        switch_relay_release(core, core->port[port].peer, reason);
        break;
    case SWITCH_ROLE_SOURCE:
        switch_source_lost(core, port, reason);
        break;
    case SWITCH_ROLE_DESTINATION:
        switch_destination_lost(core, port);
        break;
    case SWITCH_ROLE_FREE:
        break;
    }
}

/* Frees the circuit that holds a port, and tells both sides of the circuit. */
static void break_off(struct switch_core *core, unsigned port, unsigned reason)
{
    drop(core, port, reason);
    switch_relay_release(core, port, reason);
}

/* Whether a set-up that went out of the port has no answer yet. */
static bool meeting(const struct switch_port *at)
{
    return !at->answered && (at->role == SWITCH_ROLE_SOURCE ||
                             (at->role == SWITCH_ROLE_RELAY && at->onward));
}

/* Takes a set-up. If two meet, the set-up to the east or north wins. */
static void setup_came(struct switch_core *core, unsigned port)
{
    struct switch_port *in = &core->port[port];
    const uint8_t *setup = core->reader[port].content;

    if (switch_relay_is_repeated(in, setup)) {
        return;
    }
    if (meeting(in)) {
        if (port == TORUS_EAST || port == TORUS_NORTH) {
            core->counters[port].meetings += 1;
            in->source.yields = true;
            return;
        }
        drop(core, port, SWITCH_REASON_HELD);
    } else if (in->role != SWITCH_ROLE_FREE) {
        drop(core, port, SWITCH_REASON_BROKEN);
    }
    if (!switch_relay_setup(core, port)) {
        switch_destination_arrive(core, port, setup);
    }
}

/* Cuts a relayed frame off: the other port's ring has room for a 0 only. */
static void overflow(struct switch_core *core, unsigned port, uint8_t byte)
{
    struct switch_port *in = &core->port[port];

    ASSERT(switch_ring_used(&core->port[in->peer]) < SWITCH_RING_BYTES);
    switch_ring_put(core, in->peer, 0);
    in->mode = byte == 0 ? SWITCH_MODE_START : SWITCH_MODE_SKIP;
    core->counters[port].lost += byte != 0;
}

static void pass_first(struct switch_core *core, unsigned port, uint8_t first)
{
    struct switch_port *in = &core->port[port];
    struct switch_port *out = &core->port[in->peer];

    ASSERT(out->peer == port && out->onward != in->onward);
    in->active_us = core->now_us;
    out->active_us = core->now_us;
    if (switch_ring_used(out) + 3u > SWITCH_RING_BYTES) {
        core->counters[port].lost += 1;
        in->mode = SWITCH_MODE_SKIP;
        return;
    }
    switch_ring_wake(core, in->peer);
    switch_ring_put(core, in->peer, in->code);
    switch_ring_put(core, in->peer, first);
    in->mode = SWITCH_MODE_PASS;
    in->answered = true;
    in->parity = SWITCH_FRAME_PARITY(first);
    out->parity = in->parity;
    core->counters[port].relayed_frames += 1;
}

/* Whether frames of this type that come in at the port are relayed. */
static bool passes(const struct switch_port *in, unsigned type)
{
    return in->role == SWITCH_ROLE_RELAY && type >= SWITCH_FRAME_DATA &&
           type <= SWITCH_FRAME_DONE &&
           in->onward == (type != SWITCH_FRAME_DATA);
}

/* Whether this node reads frames of this type that come in at the port. */
static bool wanted(const struct switch_port *in, unsigned type)
{
    switch (type) {
    case SWITCH_FRAME_SETUP:
    case SWITCH_FRAME_NEIGHBOUR:
        return true;
    case SWITCH_FRAME_RELEASE:
        return in->role != SWITCH_ROLE_FREE;
    case SWITCH_FRAME_DATA:
        return in->role == SWITCH_ROLE_DESTINATION;
    default:
        return in->role == SWITCH_ROLE_SOURCE;
    }
}

static void first_came(struct switch_core *core, unsigned port, uint8_t first)
{
    struct switch_port *in = &core->port[port];
    unsigned type = SWITCH_FRAME_TYPE(first);

    if (in->code < 2 || type < SWITCH_FRAME_SETUP ||
        type > SWITCH_FRAME_NEIGHBOUR) {
        core->counters[port].damaged += 1;
        in->mode = SWITCH_MODE_SKIP;
    } else if (passes(in, type)) {
        pass_first(core, port, first);
    } else if (wanted(in, type)) {
        frame_read_begin(&core->reader[port], in->code, first);
        in->mode = SWITCH_MODE_READ;
    } else {
        core->counters[port].stale += 1;
        in->mode = SWITCH_MODE_SKIP;
    }
}

/* Takes SETUP, RELEASE or NEIGHBOUR. Result: false if the frame is damaged. */
static bool local_came(struct switch_core *core, unsigned port, unsigned type,
                       unsigned bytes)
{
    const struct switch_port *in = &core->port[port];
    const uint8_t *content = core->reader[port].content;

    if (!frame_check(&core->reader[port], 0, bytes,
                     type == SWITCH_FRAME_RELEASE ? in->tag : SWITCH_VERSION)) {
        return false;
    }
    if (type == SWITCH_FRAME_NEIGHBOUR && bytes > 1) {
        if (core->config.neighbour != NULL) {
            core->config.neighbour(core->config.context, port, content + 1,
                                   bytes - 1);
        }
    } else if (type == SWITCH_FRAME_SETUP && bytes == SWITCH_SETUP_BYTES) {
        setup_came(core, port);
    } else if (type == SWITCH_FRAME_RELEASE && bytes == SWITCH_RELEASE_BYTES) {
        drop(core, port, content[1]);
    } else {
        return false;
    }
    return true;
}

static void frame_came(struct switch_core *core, unsigned port)
{
    struct switch_port *in = &core->port[port];
    unsigned came_as = core->reader[port].content[0];
    unsigned bytes = frame_read_end(&core->reader[port]);
    unsigned first = core->reader[port].content[0];
    unsigned type = SWITCH_FRAME_TYPE(first);

    if (type != SWITCH_FRAME_TYPE(came_as) ||
        (type == SWITCH_FRAME_SETUP && first != came_as)) {
        /* Earlier nodes may have acted on the wrong type. */
        core->counters[port].damaged += 1;
        return;
    }
    if (core->reader[port].mended) {
        core->counters[port].mended += 1;
        switch_source_turn_bad(in);
    }
    if (!wanted(in, type)) {
        core->counters[port].stale += 1; /* the circuit has ended meanwhile */
        return;
    }
    if (type == SWITCH_FRAME_DATA) {
        in->destination.round = (uint8_t)SWITCH_FRAME_ROUND(first);
    }
    if (bytes == 0) {
        switch_destination_damaged(core, port);
    } else if (type == SWITCH_FRAME_DATA) {
        switch_destination_data(core, port, bytes);
    } else if (type == SWITCH_FRAME_SETUP || type >= SWITCH_FRAME_RELEASE) {
        if (!local_came(core, port, type, bytes)) {
            switch_destination_damaged(core, port);
        }
    } else {
        switch_source_answer(core, port, bytes);
    }
}

/* Takes one byte. Not inlined: switch_bytes() then saves fewer registers. */
__attribute__((noinline)) static void byte_came(struct switch_core *core,
                                                unsigned port, uint8_t byte)
{
    struct switch_port *in = &core->port[port];
    unsigned mode = in->mode;

    if (mode == SWITCH_MODE_PASS) {
        overflow(core, port, byte);
    } else if (byte == 0) {
        in->mode = SWITCH_MODE_START;
        if (mode == SWITCH_MODE_FIRST) {
            switch_destination_damaged(core, port);
        } else if (mode == SWITCH_MODE_READ) {
            frame_came(core, port);
        } else if (mode == SWITCH_MODE_SKIP) {
            switch_destination_again(core, port);
        }
    } else if (mode == SWITCH_MODE_START) {
        in->code = byte;
        in->mode = SWITCH_MODE_FIRST;
    } else if (mode == SWITCH_MODE_FIRST) {
        first_came(core, port, byte);
    }
    kick(core);
}

/* Relays bytes of a frame. Result: number of bytes; 0: the ring is full. */
static unsigned pass(struct switch_core *core, unsigned port,
                     const uint8_t *data, unsigned bytes)
{
    struct switch_port *in = &core->port[port];
    struct switch_port *out = &core->port[in->peer];
    uint8_t *ring = core->ring[in->peer];
    uint32_t before = switch_ring_used(out);
    /* One byte stays free, for the 0 of a frame that is cut off. */
    uint32_t room = SWITCH_RING_BYTES - 1u - before;
    const uint8_t *end;

    bytes = bytes < room ? bytes : room;
    end = memchr(data, 0, bytes);
    if (end != NULL) {
        bytes = (unsigned)(end - data) + 1u;
        in->mode = SWITCH_MODE_START;
    }
    for (unsigned i = 0; i < bytes; ++i) {
        ring[(out->written + i) & SWITCH_RING_MASK] = data[i];
    }
    out->written += bytes;
    if (before == 0 && bytes > 0) {
        core->config.kick(core->config.context, in->peer);
    }
    return bytes;
}

unsigned switch_bytes(struct switch_core *core, unsigned port,
                      const uint8_t *data, unsigned bytes)
{
    struct switch_port *in = &core->port[port];
    unsigned at = 0;
    bool ended = false;

    while (at < bytes && !ended) {
        unsigned taken = 0;

        if (in->mode == SWITCH_MODE_PASS) {
            taken = pass(core, port, data + at, bytes - at);
        } else if (in->mode == SWITCH_MODE_READ) {
            taken =
                frame_read_bytes(&core->reader[port], data + at, bytes - at);
        } else if (in->mode == SWITCH_MODE_SKIP) {
            const uint8_t *end = memchr(data + at, 0, bytes - at);

            taken = end != NULL ? (unsigned)(end - data) - at : bytes - at;
        }
        if (taken == 0) {
            ended = data[at] == 0 && in->mode == SWITCH_MODE_READ;
            byte_came(core, port, data[at]);
            taken = 1;
        }
        at += taken;
    }
    return at;
}

void switch_line_error(struct switch_core *core, unsigned port)
{
    core->counters[port].lost += 1;
    core->reader[port].spoiled = true;
}

void switch_set_time(struct switch_core *core, uint32_t now_us)
{
    core->now_us = now_us;
}

/* Whether this node frees the port's circuit after a silence. */
static bool is_held(const struct switch_port *at)
{
    return at->role == SWITCH_ROLE_DESTINATION ||
           (at->role == SWITCH_ROLE_RELAY && !at->onward);
}

bool switch_is_due(const struct switch_core *core, unsigned port,
                   uint32_t *due_us)
{
    const struct switch_port *at = &core->port[port];

    if (is_held(at)) {
        *due_us = at->active_us + at->hold_us;
        return true;
    }
    *due_us = at->source.until_us;
    return at->role == SWITCH_ROLE_SOURCE ||
           (at->role == SWITCH_ROLE_FREE && at->source.first != NULL);
}

void switch_attend(struct switch_core *core, unsigned port)
{
    struct switch_port *at = &core->port[port];

    if (is_held(at) && switch_time_reached(core, at->active_us + at->hold_us)) {
        core->counters[port].expired += 1;
        break_off(core, port, SWITCH_REASON_BROKEN);
    }
    switch_source_tick(core, port);
    kick(core);
}

void switch_tick(struct switch_core *core, uint32_t now_us)
{
    switch_set_time(core, now_us);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        switch_attend(core, port);
    }
}

void switch_send(struct switch_core *core, struct switch_message *message)
{
    switch_source_queue(core, message);
    kick(core);
}

void switch_post(struct switch_core *core, struct switch_receive *receive)
{
    struct switch_receive **end = &core->receive;

    while (*end != NULL) {
        ASSERT(*end != receive);
        end = &(*end)->next;
    }
    receive->offset = 0; /* the buffer holds no part of a message */
    receive->error = ERR_OK;
    receive->bytes = 0;
    receive->state = SWITCH_QUEUED;
    receive->next = NULL;
    *end = receive;
}

int switch_tell(struct switch_core *core, unsigned port, const uint8_t *data,
                unsigned bytes)
{
    const uint8_t type = SWITCH_FRAME_NEIGHBOUR | FRAME_PARITY;
    struct frame_writer writer;

    if (port >= TORUS_PORTS || bytes == 0 || bytes > SWITCH_TELL_BYTES) {
        return ERR_RANGE;
    }
    if (!switch_frame_room(core, port, bytes + 1u)) {
        return ERR_PORT_BUSY;
    }
    switch_frame_begin(core, port, &writer, bytes + 1u, SWITCH_VERSION);
    frame_put(&writer, &type, 1);
    frame_put(&writer, data, bytes);
    switch_frame_end(core, port, &writer);
    kick(core);
    return ERR_OK;
}

void switch_cancel(struct switch_core *core)
{
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        struct switch_port *at = &core->port[port];

        if (at->role == SWITCH_ROLE_DESTINATION && !at->destination.done &&
            at->destination.receive != NULL) {
            break_off(core, port, SWITCH_REASON_UNWANTED);
        }
    }
    for (; core->receive != NULL; core->receive = core->receive->next) {
        ASSERT(core->receive->state == SWITCH_QUEUED);
        core->receive->state = SWITCH_IDLE;
    }
    kick(core);
}

void switch_reset(struct switch_core *core)
{
    switch_cancel(core);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        switch_source_abandon(core, port);
        if (core->port[port].role != SWITCH_ROLE_FREE) {
            break_off(core, port, SWITCH_REASON_BROKEN);
        }
    }
    ASSERT(switch_idle(core));
    kick(core);
}

bool switch_idle(const struct switch_core *core)
{
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        if (core->port[port].role != SWITCH_ROLE_FREE) {
            return false;
        }
    }
    return true;
}

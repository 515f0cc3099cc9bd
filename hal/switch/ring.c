/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/switch/internal.h"

#include "hal/check.h"
#include "hal/switch/parity.h"

#define CHECK_FILE CHECK_SWITCH_RING

/* xorshift32 (Marsaglia, J. Stat. Software 8(14), 2003). */
uint32_t switch_random(struct switch_core *core)
{
    uint32_t value = core->random;

    ASSERT(value != 0); /* switch_init() sets no 0, and xorshift gives none */
    value ^= value << 13;
    value ^= value >> 17;
    value ^= value << 5;
    core->random = value;
    return value;
}

bool switch_time_reached(const struct switch_core *core, uint32_t until_us)
{
    return (int32_t)(core->now_us - until_us) >= 0;
}

/* Whether the last frame in the ring is relayed and has not ended yet. */
static bool passing(const struct switch_core *core, unsigned port)
{
    const struct switch_port *to = &core->port[port];

    return to->role == SWITCH_ROLE_RELAY &&
           core->port[to->peer].mode == SWITCH_MODE_PASS;
}

bool switch_frame_room(const struct switch_core *core, unsigned port,
                       unsigned content_bytes)
{
    /* The 2 is for the zeros of switch_frame_begin() and switch_frame_cut(). */
    return switch_ring_used(&core->port[port]) + 2u +
                   FRAME_LINE_BYTES(content_bytes + FRAME_CHECK_BYTES +
                                    PARITY_BYTES) <=
               SWITCH_RING_BYTES &&
           !passing(core, port);
}

bool switch_frame_begin(struct switch_core *core, unsigned port,
                        struct frame_writer *writer, unsigned content_bytes,
                        uint32_t crc)
{
    struct switch_port *to = &core->port[port];

    ASSERT(content_bytes + FRAME_CHECK_BYTES <= FRAME_BYTES_MAX);
    if (!switch_frame_room(core, port, content_bytes)) {
        core->counters[port].lost += 1;
        return false;
    }
    /* Noise on a silent line may have begun a frame: a 0 ends this frame. */
    if (switch_ring_used(to) == 0) {
        switch_ring_wake(core, port);
        switch_ring_put(core, port, 0);
    }
    frame_begin(writer, core->ring[port], SWITCH_RING_MASK, to->written, crc);
    return true;
}

void switch_frame_end(struct switch_core *core, unsigned port,
                      struct frame_writer *writer)
{
    core->port[port].written = frame_end(writer);
    ASSERT(switch_ring_used(&core->port[port]) <= SWITCH_RING_BYTES);
}

bool switch_frame_write(struct switch_core *core, unsigned port,
                        const uint8_t *content, unsigned bytes, uint32_t crc,
                        bool surely)
{
    unsigned copies = surely && SWITCH_FRAME_PARITY(content[0]) != 0 ? 2 : 1;
    unsigned written = 0;
    struct frame_writer writer;

    while (written < copies &&
           switch_frame_begin(core, port, &writer, bytes, crc)) {
        frame_put(&writer, content, bytes);
        switch_frame_end(core, port, &writer);
        written += 1;
    }
    return written > 0;
}

void switch_frame_cut(struct switch_core *core, unsigned port)
{
    unsigned peer = core->port[port].peer;

    if (passing(core, port)) {
        ASSERT(switch_ring_used(&core->port[port]) < SWITCH_RING_BYTES);
        switch_ring_wake(core, port);
        switch_ring_put(core, port, 0);
        core->port[peer].mode = SWITCH_MODE_SKIP;
        core->counters[peer].stale += 1;
    }
}

void switch_note_end(struct switch_core *core, unsigned port, unsigned kind,
                     uint32_t bytes, int error)
{
    struct switch_last *last = &core->last;

    ASSERT(port < 2 * TORUS_PORTS);
    if (kind < SWITCH_PEEK) {
        last->count += 1;
        last->bytes = bytes;
        last->port = port % TORUS_PORTS;
        last->sent = port >= TORUS_PORTS;
        last->error = (int8_t)error;
    }
}

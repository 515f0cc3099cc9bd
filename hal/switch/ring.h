/* SPDX-License-Identifier: Apache-2.0 */
/* What goes out of a node: a ring of bytes for each port, frames into it, and
   what depends on the time or on chance. */
#ifndef HAL_SWITCH_RING_H
#define HAL_SWITCH_RING_H

#include <assert.h>

#include "hal/switch/internal.h"

#define SWITCH_RING_MASK (SWITCH_RING_BYTES - 1u)

static_assert((SWITCH_RING_BYTES & SWITCH_RING_MASK) == 0,
              "a ring has 2^n bytes");

/* Bytes in a port's ring that have not been taken. */
static inline uint32_t switch_ring_used(const struct switch_port *at)
{
    return at->written - at->taken;
}

static inline void switch_ring_put(struct switch_core *core, unsigned port,
                                   uint8_t byte)
{
    struct switch_port *to = &core->port[port];

    core->ring[port][to->written & SWITCH_RING_MASK] = byte;
    to->written += 1;
}

/* Before a byte is written: whoever takes bytes sleeps while there are none,
   and is kicked before the switch returns. */
static inline void switch_ring_wake(struct switch_core *core, unsigned port)
{
    if (switch_ring_used(&core->port[port]) == 0) {
        core->kicks |= (uint8_t)(1u << port);
    }
}

/*
 * Begins a frame of this node's in a port's ring; switch_frame_end() ends it.
 * False, with a count of it as lost, if the ring has no room or is in the
 * middle of a relayed frame.
 */
bool switch_frame_begin(struct switch_core *core, unsigned port,
                        struct frame_writer *writer, unsigned content_bytes,
                        uint32_t crc);
void switch_frame_end(struct switch_core *core, unsigned port,
                      struct frame_writer *writer);

/* Whether switch_frame_begin() would do. */
bool switch_frame_room(const struct switch_core *core, unsigned port,
                       unsigned content_bytes);

/* A whole frame; its check begins with `crc`. It has parity if its first byte
   says so. */
bool switch_frame_write(struct switch_core *core, unsigned port,
                        const uint8_t *content, unsigned bytes, uint32_t crc);

/* The same; twice if it has parity: of what is waited for, and is short, as
   little as may be is lost. */
bool switch_frame_write_surely(struct switch_core *core, unsigned port,
                               const uint8_t *content, unsigned bytes,
                               uint32_t crc);

/* Ends a frame that is relayed into the port's ring and whose rest will not
   come. */
void switch_frame_cut(struct switch_core *core, unsigned port);

/* A message ended; pings and peeks do not count. port: where it came in, or
   SWITCH_PORTS more: where it went out. */
void switch_note_end(struct switch_core *core, unsigned port, unsigned kind,
                     uint32_t bytes, int error);

/* The time of so many bytes on the line. */
uint32_t switch_line_us(const struct switch_core *core, uint32_t bytes);

/* Whether `until_us` has come. */
bool switch_time_reached(const struct switch_core *core, uint32_t until_us);

/* 0 to 2^32 - 1. */
uint32_t switch_random(struct switch_core *core);

#endif

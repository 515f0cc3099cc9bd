/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the switch (hal/switch/switch.h): frames, modes and roles, and
 * the functions of its files, which nobody else calls. Each file calls only
 * those above it:
 *
 *   ring.c         bytes out: a ring for each port, frames into it; time,
 * chance relay.c        a circuit holds and frees a node's ports, and goes on
 * from it destination.c  a message at its destination source.c       a message
 * at its source switch.c       bytes in: which of these a frame is for; time
 * limits
 *
 * `port` is a port of this node, 0 to TORUS_PORTS - 1, unless a function says
 * more. All are called with the interrupts out that call the switch.
 */
#ifndef HAL_SWITCH_INTERNAL_H
#define HAL_SWITCH_INTERNAL_H

#include "hal/switch/state.h"

#include <assert.h>

enum switch_frame_type {
    SWITCH_FRAME_SETUP = 1,
    SWITCH_FRAME_DATA,
    SWITCH_FRAME_ACK,
    SWITCH_FRAME_AGAIN,
    SWITCH_FRAME_DONE,
    SWITCH_FRAME_RELEASE,
    SWITCH_FRAME_NEIGHBOUR
};

/* A set-up's u16 of hops has the turn in its upper two bits. */
#define SWITCH_TURN_SHIFT 14u
#define SWITCH_HOPS_MASK ((1u << SWITCH_TURN_SHIFT) - 1u)

/* Parts of a frame's first byte. */
#define SWITCH_FRAME_TYPE(first) ((unsigned)(first)&7u)
#define SWITCH_FRAME_PARITY(first) ((first)&FRAME_PARITY)
#define SWITCH_FRAME_ROUND(first) ((unsigned)(first) >> 4)

/* Lengths of contents without the CRC. */
#define SWITCH_SETUP_BYTES 20u
#define SWITCH_DATA_HEADER_BYTES 3u
#define SWITCH_ANSWER_BYTES 5u
#define SWITCH_DONE_BYTES 1u /* before the answer to a peek */
#define SWITCH_RELEASE_BYTES 2u

/* Offsets in a set-up. */
enum switch_setup_field {
    SWITCH_AT_ATTEMPT = 1,
    SWITCH_AT_SOURCE = 2,
    SWITCH_AT_SEQUENCE = 4,
    SWITCH_AT_PORT = 8,
    SWITCH_AT_KIND = 9,
    SWITCH_AT_LENGTH = 10,
    SWITCH_AT_HOPS = 14,
    SWITCH_AT_HOPS_AFTER = 16,
    SWITCH_AT_HOLD = 18
};

/* The use of the next byte that comes in at a port. */
enum switch_mode {
    SWITCH_MODE_START, /* it begins a frame */
    SWITCH_MODE_FIRST, /* it says the frame's type */
    SWITCH_MODE_PASS,  /* it goes on to the peer */
    SWITCH_MODE_READ,  /* it is for this node */
    SWITCH_MODE_SKIP   /* it belongs to a frame that nobody wants */
};

/* The part that this node has in the circuit that holds a port. */
enum switch_role {
    SWITCH_ROLE_FREE, /* no circuit holds the port */
    SWITCH_ROLE_RELAY,
    SWITCH_ROLE_SOURCE,
    SWITCH_ROLE_DESTINATION
};

/* Why a circuit ends. */
enum switch_reason {
    SWITCH_REASON_FINISHED,
    SWITCH_REASON_HELD,     /* refused: a port of the path is not free */
    SWITCH_REASON_UNWANTED, /* refused: no receive is posted for it */
    SWITCH_REASON_BROKEN    /* silence, or a neighbour that forgot it */
};

/* ---- ring.c ---- */

#define SWITCH_RING_MASK (SWITCH_RING_BYTES - 1u)

static_assert((SWITCH_RING_BYTES & SWITCH_RING_MASK) == 0,
              "a ring has 2^n bytes");

/* Bytes in a port's ring that have not gone out yet. */
static inline uint32_t switch_ring_used(const struct switch_port *at)
{
    return at->written - at->taken;
}

/* Adds a byte to a port's ring, which has room for it. */
static inline void switch_ring_put(struct switch_core *core, unsigned port,
                                   uint8_t byte)
{
    struct switch_port *to = &core->port[port];

    core->ring[port][to->written & SWITCH_RING_MASK] = byte;
    to->written += 1;
}

/* Comes before a byte is written: the line's driver sleeps while its ring is
   empty, and is kicked before the switch returns. */
static inline void switch_ring_wake(struct switch_core *core, unsigned port)
{
    if (switch_ring_used(&core->port[port]) == 0) {
        core->kicks |= (uint8_t)(1u << port);
    }
}

/*
 * Begins a frame of this node in a port's ring; switch_frame_end() ends it. The
 * CRC starts from `crc`. Result: false, and the frame is counted as lost, if
 * there is no room (switch_frame_room()).
 */
bool switch_frame_begin(struct switch_core *core, unsigned port,
                        struct frame_writer *writer, unsigned content_bytes,
                        uint32_t crc);
void switch_frame_end(struct switch_core *core, unsigned port,
                      struct frame_writer *writer);

/* Whether a port's ring has room for a frame with this content, and no relayed
   frame is in the middle of it. */
bool switch_frame_room(const struct switch_core *core, unsigned port,
                       unsigned content_bytes);

/* Writes a whole frame, with parity if its first byte says so. Result: as
   switch_frame_begin(). */
bool switch_frame_write(struct switch_core *core, unsigned port,
                        const uint8_t *content, unsigned bytes, uint32_t crc);

/* Writes a whole frame, and if it has parity once more: a short frame that the
   other end waits for costs little, and its loss costs a time limit. */
bool switch_frame_write_surely(struct switch_core *core, unsigned port,
                               const uint8_t *content, unsigned bytes,
                               uint32_t crc);

/* Ends the frame that is being relayed into a port's ring, if there is one: the
   rest of it will not come. */
void switch_frame_cut(struct switch_core *core, unsigned port);

/* Notes the end of a message in core->last, unless it is a ping or a peek.
   `port`: where it came in, or TORUS_PORTS more: where it went out. */
void switch_note_end(struct switch_core *core, unsigned port, unsigned kind,
                     uint32_t bytes, int error);

/* Time that these bytes take on the line, us, rounded up. */
uint32_t switch_line_us(const struct switch_core *core, uint32_t bytes);

/* Whether the time is `until_us` or later. */
bool switch_time_reached(const struct switch_core *core, uint32_t until_us);

/* The next random number, 1 to 2^32 - 1. */
uint32_t switch_random(struct switch_core *core);

/* ---- relay.c ---- */

/* Whether this set-up came in at the port before. A set-up with parity goes out
   twice. The second one says nothing new; taken after a refusal of the first,
   it would hold ports for a circuit that its source has given up. */
bool switch_relay_is_repeated(struct switch_port *in, const uint8_t *setup);

/*
 * Sends the set-up that the port's reader has, whose check is right, on along
 * its path, or refuses it; one without a path is counted as damaged. The port
 * it came in at is free. Result: false, and nothing is done, if the path ends
 * at this node.
 */
bool switch_relay_setup(struct switch_core *core, unsigned port);

/* Frees the circuit that holds a port, of a relay the other port too; no frame
   tells anybody. Result: the part that this node had in it. */
enum switch_role switch_relay_free(struct switch_core *core, unsigned port);

/* Sends RELEASE for the circuit that held the port last: at->tag names it. */
void switch_relay_release(struct switch_core *core, unsigned port,
                          unsigned reason);

/* Answers a set-up that came in at this port, which is free, by RELEASE. */
void switch_relay_refuse(struct switch_core *core, unsigned port,
                         const uint8_t *setup, unsigned reason);

/* Lets the circuit of a set-up hold a port. */
void switch_relay_hold(struct switch_core *core, unsigned port,
                       enum switch_role role, const uint8_t *setup);

/* The number from which the CRC of DATA starts on the circuit that holds a
   port: `first` is the frame's first byte, `offset` the place of its data in
   the message. */
uint32_t switch_relay_data_crc(const struct switch_port *at, uint8_t first,
                               uint32_t offset);

/* ---- destination.c ---- */

/* Takes or refuses a set-up whose path ends at this node. */
void switch_destination_arrive(struct switch_core *core, unsigned port,
                               const uint8_t *setup);

/* Takes DATA at a destination; `bytes`: of its content without the CRC. */
void switch_destination_data(struct switch_core *core, unsigned port,
                             unsigned bytes);

/* Answers a frame that was damaged or skipped: a destination asks for its bytes
   AGAIN, or says DONE once more. */
void switch_destination_again(struct switch_core *core, unsigned port);

/* Counts a damaged frame, then does as switch_destination_again(). */
void switch_destination_damaged(struct switch_core *core, unsigned port);

/* Gives the receive back to the queue, for a later circuit of the message: the
   circuit of this destination is gone. */
void switch_destination_lost(struct switch_core *core, unsigned port);

/* ---- source.c ---- */

/* Queues a message, as switch_send() says. */
void switch_source_queue(struct switch_core *core,
                         struct switch_message *message);

/* Ends all messages of the port with ERR_PORT_BUSY. */
void switch_source_abandon(struct switch_core *core, unsigned port);

/* Sets a circuit up for the port's first message, if the time of its next try
   has come and the port is free. */
void switch_source_start(struct switch_core *core, unsigned port);

/* Takes ACK, AGAIN or DONE at a source; `bytes`: of its content without the
   CRC. */
void switch_source_answer(struct switch_core *core, unsigned port,
                          unsigned bytes);

/* Makes frames of the message until ring or window is full. */
void switch_source_fill(struct switch_core *core, unsigned port);

/* Waits for the next try of the port's first message, or ends the message: its
   circuit is gone. */
void switch_source_lost(struct switch_core *core, unsigned port,
                        unsigned reason);

/* Looks at the source's time limits. */
void switch_source_tick(struct switch_core *core, unsigned port);

/* Gives frames of this node's messages parity from now on: a frame that came in
   at the port was damaged. */
void switch_source_turn_bad(struct switch_port *at);

#endif

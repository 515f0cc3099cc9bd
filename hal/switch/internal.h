/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames, modes, roles, and functions that only the files of the switch
 * (hal/switch/switch.h) use. Each file calls only the files above it:
 *
 *   ring.c         writes frames into the rings of bytes that go out
 *   relay.c        passes set-ups on; makes circuits hold and free ports
 *   destination.c  receives the messages that end at this node
 *   source.c       sends the messages that begin at this node
 *   switch.c       passes bytes and frames that come in to the files above
 *
 * `port` is a port of this node, 0 to TORUS_PORTS - 1, unless a comment gives
 * another range. Callers have masked the interrupts that call the switch.
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

#define SWITCH_TURN_SHIFT 14u
#define SWITCH_HOPS_MASK ((1u << SWITCH_TURN_SHIFT) - 1u)

#define SWITCH_FRAME_TYPE(first) ((unsigned)(first)&7u)
#define SWITCH_FRAME_PARITY(first) ((first)&FRAME_PARITY)
#define SWITCH_FRAME_ROUND(first) ((unsigned)(first) >> 4)

/* Lengths of frames without CRC and parity, bytes. */
#define SWITCH_SETUP_BYTES 20u
#define SWITCH_DATA_HEADER_BYTES 3u
#define SWITCH_ANSWER_BYTES 5u /* ACK or AGAIN */
#define SWITCH_DONE_BYTES 1u   /* DONE; a peek's answer may follow */
#define SWITCH_RELEASE_BYTES 2u

/* Offsets of the fields of a set-up. */
enum switch_setup_field {
    SWITCH_AT_ATTEMPT = 1,  /* u8: number of the set-up at its port; wraps */
    SWITCH_AT_SOURCE = 2,   /* u16: number of the source's node */
    SWITCH_AT_SEQUENCE = 4, /* u32: number of the message at that node */
    SWITCH_AT_PORT = 8,     /* u8: port out of which the source sends */
    SWITCH_AT_KIND = 9,     /* u8: kind of the message */
    SWITCH_AT_LENGTH = 10,  /* u32: length of the message, bytes */
    SWITCH_AT_HOPS = 14, /* u16: hops to the turn or end; bits 14, 15: turn */
    SWITCH_AT_HOPS_AFTER = 16, /* u16: hops after the turn */
    SWITCH_AT_HOLD = 18        /* u16: time without a frame after which a node
                                  frees the circuit, ms */
};

/* The use of the next byte that comes in at a port. */
enum switch_mode {
    SWITCH_MODE_START, /* the byte begins a frame */
    SWITCH_MODE_FIRST, /* the byte says the frame's type */
    SWITCH_MODE_PASS,  /* the byte goes on, out of the circuit's other port */
    SWITCH_MODE_READ,  /* the byte belongs to a frame for this node */
    SWITCH_MODE_SKIP   /* the byte belongs to a frame that nobody wants */
};

/* This node's role in the circuit that holds a port. */
enum switch_role {
    SWITCH_ROLE_FREE, /* no circuit holds the port */
    SWITCH_ROLE_RELAY,
    SWITCH_ROLE_SOURCE,
    SWITCH_ROLE_DESTINATION
};

enum switch_reason {
    SWITCH_REASON_FINISHED,
    SWITCH_REASON_HELD,     /* refused: a port of the path is not free */
    SWITCH_REASON_UNWANTED, /* refused: no receive is posted for the message */
    SWITCH_REASON_BROKEN    /* silence, a SETUP over a held link, or a reset */
};

/* ---- ring.c ---- */

#define SWITCH_RING_MASK (SWITCH_RING_BYTES - 1u)

static_assert((SWITCH_RING_BYTES & SWITCH_RING_MASK) == 0,
              "a ring has 2^n bytes");

/* Returns the number of bytes in a port's ring that have not gone out yet. */
static inline uint32_t switch_ring_used(const struct switch_port *at)
{
    return at->written - at->taken;
}

/* Adds a byte to a port's ring. Precondition: the ring has room. */
static inline void switch_ring_put(struct switch_core *core, unsigned port,
                                   uint8_t byte)
{
    struct switch_port *to = &core->port[port];

    core->ring[port][to->written & SWITCH_RING_MASK] = byte;
    to->written += 1;
}

/* Marks a port for a kick() (struct switch_config) if its ring is empty. To be
   called before a byte is added to the ring. */
static inline void switch_ring_wake(struct switch_core *core, unsigned port)
{
    if (switch_ring_used(&core->port[port]) == 0) {
        core->kicks |= (uint8_t)(1u << port);
    }
}

/* Begins a frame of this node in a port's ring; switch_frame_end() ends the
   frame. crc: start value of the CRC; content_bytes: all but CRC and parity.
   Result: false, and the frame is counted as lost, if the ring has no room. */
bool switch_frame_begin(struct switch_core *core, unsigned port,
                        struct frame_writer *writer, unsigned content_bytes,
                        uint32_t crc);
void switch_frame_end(struct switch_core *core, unsigned port,
                      struct frame_writer *writer);

/* Whether a port's ring has room for a frame with content_bytes of content, CRC
   and parity not counted, and no relayed frame in the ring is unfinished. */
bool switch_frame_room(const struct switch_core *core, unsigned port,
                       unsigned content_bytes);

/* Writes a whole frame into a port's ring, with parity if the content's first
   byte has FRAME_PARITY. surely: write a frame with parity twice, since the
   other end notices the frame's loss only after a time limit. Result: false if
   there is no room for the first copy. */
bool switch_frame_write(struct switch_core *core, unsigned port,
                        const uint8_t *content, unsigned bytes, uint32_t crc,
                        bool surely);

/* Ends an unfinished relayed frame in a port's ring; the frame's further bytes
   will be skipped. */
void switch_frame_cut(struct switch_core *core, unsigned port);

/* Stores the end of a message, unless a ping or peek, in core->last. port: the
   port's number, plus TORUS_PORTS if the message went out there. */
void switch_note_end(struct switch_core *core, unsigned port, unsigned kind,
                     uint32_t bytes, int error);

bool switch_time_reached(const struct switch_core *core, uint32_t until_us);

/* Returns a random number, 1 to 2^32 - 1. */
uint32_t switch_random(struct switch_core *core);

/* ---- relay.c ---- */

/* Whether this set-up has already come in: a set-up with parity goes out twice.
   The second copy of a refused set-up would hold ports for no circuit. */
bool switch_relay_is_repeated(struct switch_port *in, const uint8_t *setup);

/* Passes the set-up in the port's reader to the next node, or refuses it; a
   set-up without a valid path is counted as damaged. Precondition: the set-up's
   CRC is right, and the port is free. Result: false, and nothing is done, if
   the path ends at this node. */
bool switch_relay_setup(struct switch_core *core, unsigned port);

/* Frees a port and, if this node is a relay of its circuit, the circuit's other
   port; tells no node. Result: role of this node in the circuit until now. */
enum switch_role switch_relay_free(struct switch_core *core, unsigned port);

/* Sends RELEASE out of the port, for the circuit that held the port last. */
void switch_relay_release(struct switch_core *core, unsigned port,
                          unsigned reason);

/* Refuses a set-up that came in at a free port: answers RELEASE. */
void switch_relay_refuse(struct switch_core *core, unsigned port,
                         const uint8_t *setup, unsigned reason);

/* Makes a set-up's circuit hold a port. role: this node's in the circuit. */
void switch_relay_hold(struct switch_core *core, unsigned port,
                       enum switch_role role, const uint8_t *setup);

/* Returns the start value of a DATA frame's CRC on a port's circuit. first: the
   frame's first byte; offset: bytes of the message before the frame. */
uint32_t switch_relay_data_crc(const struct switch_port *at, uint8_t first,
                               uint32_t offset);

/* ---- destination.c ---- */

/* Takes or refuses a set-up whose path ends at this node. */
void switch_destination_arrive(struct switch_core *core, unsigned port,
                               const uint8_t *setup);

/* Takes the DATA frame in the port's reader. bytes: length of the frame's
   content without CRC and parity. */
void switch_destination_data(struct switch_core *core, unsigned port,
                             unsigned bytes);

/* If this node is a destination, answers a damaged or skipped frame: by DONE if
   all bytes have come in, else by AGAIN. */
void switch_destination_again(struct switch_core *core, unsigned port);

/* Counts a damaged frame, then does as switch_destination_again(). */
void switch_destination_damaged(struct switch_core *core, unsigned port);

/* After the loss of a destination's circuit, makes the destination's receive
   wait (SWITCH_QUEUED) for the message's next circuit. */
void switch_destination_lost(struct switch_core *core, unsigned port);

/* ---- source.c ---- */

/* Queues a message, or ends an invalid message with an error at once. */
void switch_source_queue(struct switch_core *core,
                         struct switch_message *message);

/* Ends all messages of the port with ERR_PORT_BUSY. */
void switch_source_abandon(struct switch_core *core, unsigned port);

/* Sets a circuit up for the port's first message, if the time of its next try
   has come and the port is free. */
void switch_source_start(struct switch_core *core, unsigned port);

/* Takes the ACK, AGAIN or DONE in the port's reader. bytes: length of the
   frame's content without CRC and parity. */
void switch_source_answer(struct switch_core *core, unsigned port,
                          unsigned bytes);

/* Makes DATA frames until enough bytes wait in the ring or are on the way. */
void switch_source_fill(struct switch_core *core, unsigned port);

/* Schedules the next try of the port's first message, whose circuit is gone, or
   ends the message with an error. */
void switch_source_lost(struct switch_core *core, unsigned port,
                        unsigned reason);

/* Does what is due at a port's source: the next try, or a time limit. */
void switch_source_tick(struct switch_core *core, unsigned port);

/* Treats the line at a port as bad from now on: frames of this node get parity,
   and DATA frames are short. */
void switch_source_turn_bad(struct switch_port *at);

#endif

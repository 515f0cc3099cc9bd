/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames, modes, roles, and functions that only the files of the switch
 * (hal/switch/switch.h) use. Each file calls only the files above it:
 *
 *   ring.c         writes frames into the rings of bytes that go out
 *   relay.c        passes set-ups on; holds ports for circuits, frees them
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

#define SWITCH_TURN_SHIFT 14u /* of the aside, too */
#define SWITCH_HOPS_MASK ((1u << SWITCH_TURN_SHIFT) - 1u)

#define SWITCH_FRAME_TYPE(first) ((unsigned)(first)&7u)
#define SWITCH_FRAME_PARITY(first) ((first)&FRAME_PARITY)
#define SWITCH_FRAME_ROUND(first) ((unsigned)(first) >> 4)

/* Lengths of frames without CRC and parity, bytes. */
#define SWITCH_SETUP_BYTES 20u
#define SWITCH_DATA_HEADER_BYTES 3u
#define SWITCH_ANSWER_BYTES 5u /* ACK or AGAIN */
#define SWITCH_DONE_BYTES 1u   /* DONE, without the answer to a peek */
#define SWITCH_RELEASE_BYTES 2u

/* Offsets of the fields in the content of a SETUP frame (a set-up). */
enum switch_setup_field {
    SWITCH_AT_ATTEMPT = 1,  /* u8: number of the set-up at its port; wraps */
    SWITCH_AT_SOURCE = 2,   /* u16: number of the sending node */
    SWITCH_AT_SEQUENCE = 4, /* u32: number of the message at that node */
    SWITCH_AT_PORT = 8,     /* u8: port out of which that node sends */
    SWITCH_AT_KIND = 9,     /* u8: kind of the message */
    SWITCH_AT_LENGTH = 10,  /* u32: length of the message, bytes */
    SWITCH_AT_HOPS = 14, /* u16: bits 0 to 13: hops to the turn or end; bits 14,
                            15: enum torus_turn */
    SWITCH_AT_HOPS_AFTER = 16, /* u16: bits 0 to 13: hops after the turn; 0: no
                                  turn; bits 14, 15: aside (struct
                                  switch_message) */
    SWITCH_AT_HOLD = 18        /* u16: longest silence of the circuit, ms */
};

/* What the next byte that comes in at a port is. */
enum switch_mode {
    SWITCH_MODE_START, /* first byte of a frame: a code (frame.h) */
    SWITCH_MODE_FIRST, /* second byte of a frame: has the type */
    SWITCH_MODE_PASS,  /* byte of a relayed frame: goes on to the other port */
    SWITCH_MODE_READ,  /* byte of a frame that this node reads */
    SWITCH_MODE_SKIP   /* byte of a frame that this node drops */
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
    SWITCH_REASON_HELD,     /* refused: a port on the path is held */
    SWITCH_REASON_UNWANTED, /* refused: no receive waits for the message */
    SWITCH_REASON_BROKEN    /* no frame for too long, a new SETUP, or a reset */
};

/* ---- ring.c ---- */

#define SWITCH_RING_MASK (SWITCH_RING_BYTES - 1u)

static_assert((SWITCH_RING_BYTES & SWITCH_RING_MASK) == 0,
              "a ring has 2^n bytes");

/* Returns the number of bytes in the ring of a port that wait to go out. */
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

/* Marks a port for a kick() if its ring is empty. Call before adding bytes. */
static inline void switch_ring_wake(struct switch_core *core, unsigned port)
{
    if (switch_ring_used(&core->port[port]) == 0) {
        core->kicks |= (uint8_t)(1u << port);
    }
}

/* Begins a frame in the ring of a port. crc: start value of the CRC.
   content_bytes: length without CRC and parity. Result: false: no room. */
bool switch_frame_begin(struct switch_core *core, unsigned port,
                        struct frame_writer *writer, unsigned content_bytes,
                        uint32_t crc);
void switch_frame_end(struct switch_core *core, unsigned port,
                      struct frame_writer *writer);

/* Whether a frame fits now. content_bytes: length without CRC and parity. */
bool switch_frame_room(const struct switch_core *core, unsigned port,
                       unsigned content_bytes);

/* Writes a whole frame into the ring of a port. surely: a frame with parity is
   written twice. Result: false: no room. */
bool switch_frame_write(struct switch_core *core, unsigned port,
                        const uint8_t *content, unsigned bytes, uint32_t crc,
                        bool surely);

/* Cuts off the relayed frame in the ring of a port, if it is unfinished. */
void switch_frame_cut(struct switch_core *core, unsigned port);

/* Stores the end of a message in core->last; pings and peeks are left out.
   port: port of the message, plus TORUS_PORTS if the message was sent. */
void switch_note_end(struct switch_core *core, unsigned port, unsigned kind,
                     uint32_t bytes, int error);

bool switch_time_reached(const struct switch_core *core, uint32_t until_us);

/* Returns the next random number, 1 to 2^32 - 1. */
uint32_t switch_random(struct switch_core *core);

/* ---- relay.c ---- */

/* Whether this set-up is the second copy of the last set-up with parity. */
bool switch_relay_is_repeated(struct switch_port *in, const uint8_t *setup);

/* Passes on or refuses the set-up in the reader of a port. Precondition: the
   CRC is right, and the port is free. Result: false: the path ends here. */
bool switch_relay_setup(struct switch_core *core, unsigned port);

/* Frees a port, and a relay's other port. Result: role that this node had. */
enum switch_role switch_relay_free(struct switch_core *core, unsigned port);

/* Sends RELEASE out of a port, for the circuit that held the port last. */
void switch_relay_release(struct switch_core *core, unsigned port,
                          unsigned reason);

/* Refuses a set-up that came in at a free port: answers by RELEASE. */
void switch_relay_refuse(struct switch_core *core, unsigned port,
                         const uint8_t *setup, unsigned reason);

/* Makes the circuit of a set-up hold a port. role: role of this node. */
void switch_relay_hold(struct switch_core *core, unsigned port,
                       enum switch_role role, const uint8_t *setup);

/* Returns the start value of the CRC of a DATA frame at a port. first: first
   byte of the frame; offset: offset of the frame's data in the message. */
uint32_t switch_relay_data_crc(const struct switch_port *at, uint8_t first,
                               uint32_t offset);

/* ---- destination.c ---- */

/* Accepts or refuses a set-up whose path ends at this node. */
void switch_destination_arrive(struct switch_core *core, unsigned port,
                               const uint8_t *setup);

/* Takes a DATA frame. bytes: length of the content without CRC and parity. */
void switch_destination_data(struct switch_core *core, unsigned port,
                             unsigned bytes);

/* Answers a damaged or skipped frame, if this node is its destination. */
void switch_destination_again(struct switch_core *core, unsigned port);

/* Counts a damaged frame, and calls switch_destination_again(). */
void switch_destination_damaged(struct switch_core *core, unsigned port);

/* Makes the receive of a lost circuit wait for the message's next circuit. */
void switch_destination_lost(struct switch_core *core, unsigned port);

/* ---- source.c ---- */

/* Queues a message; an invalid message ends with an error at once. */
void switch_source_queue(struct switch_core *core,
                         struct switch_message *message);

/* Ends all messages in the queue of a port with ERR_PORT_BUSY. */
void switch_source_abandon(struct switch_core *core, unsigned port);

/* Sends the set-up of a port's first message, if due and the port is free. */
void switch_source_start(struct switch_core *core, unsigned port);

/* Takes an ACK, AGAIN or DONE. bytes: length without CRC and parity. */
void switch_source_answer(struct switch_core *core, unsigned port,
                          unsigned bytes);

/* Makes as many DATA frames as the ring and the window allow. */
void switch_source_fill(struct switch_core *core, unsigned port);

/* After a refusal or a broken circuit: tries again later, or gives up. */
void switch_source_lost(struct switch_core *core, unsigned port,
                        unsigned reason);

/* If due at a port: sends the next set-up, or ends the wait for an answer. */
void switch_source_tick(struct switch_core *core, unsigned port);

/* Treats the line of a port as bad: sends parity and short DATA frames. */
void switch_source_turn_bad(struct switch_port *at);

#endif

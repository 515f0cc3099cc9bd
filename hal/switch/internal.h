/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the switch (hal/switch/switch.h) share and nobody else
 * uses:
 *
 *   switch.c          bytes in, rings out, time limits, hop-local frames
 *   relay.c    set-up and release of circuits, hop by hop
 *   source.c     a message at its source
 *   destination.c  a message at its destination
 */
#ifndef HAL_SWITCH_INTERNAL_H
#define HAL_SWITCH_INTERNAL_H

#include "hal/switch/state.h"

enum part_type {
    PART_SETUP = 1,
    PART_DATA,
    PART_ACK,
    PART_AGAIN,
    PART_DONE,
    PART_RELEASE,
    PART_NEIGHBOUR
};

/* In a set-up: hops, and the turn above them. */
#define PART_TURN_SHIFT 14u
#define PART_HOPS_MASK ((1u << PART_TURN_SHIFT) - 1u)

#define PART_TYPE(first) ((unsigned)(first)&7u)
#define PART_PARITY(first) ((first)&FRAME_PARITY)
#define PART_ROUND(first) ((unsigned)(first) >> 4)

/* Contents without the CRC. */
#define PART_SETUP_BYTES 20u
#define PART_DATA_HEADER_BYTES 3u
#define PART_ANSWER_BYTES 5u
#define PART_DONE_BYTES 1u /* and a peek's answer */
#define PART_RELEASE_BYTES 2u

/* Offsets in a set-up. */
enum part_field {
    PART_AT_ATTEMPT = 1,
    PART_AT_SOURCE = 2,
    PART_AT_SEQUENCE = 4,
    PART_AT_PORT = 8,
    PART_AT_KIND = 9,
    PART_AT_LENGTH = 10,
    PART_AT_HOPS = 14,
    PART_AT_HOPS_AFTER = 16,
    PART_AT_HOLD = 18
};

/* What becomes of the next byte of a port. */
enum part_mode {
    PART_START, /* it begins a frame */
    PART_FIRST, /* it says the frame's type */
    PART_PASS,  /* it goes on to the peer */
    PART_READ,  /* it is for this node */
    PART_SKIP   /* it belongs to a frame that nobody wants */
};

enum part_role {
    PART_FREE,
    PART_RELAY,
    PART_SOURCE,
    PART_DESTINATION
};

/* Why a circuit ends. */
enum part_reason {
    PART_FINISHED,
    PART_HELD,     /* refused: a port of the path is not free */
    PART_UNWANTED, /* refused: no receive is posted for it */
    PART_BROKEN    /* silence, or a neighbour that forgot it */
};

/* ---- switch.c ---- */

/*
 * Begins a frame of this node's in a port's ring; part_end() ends it. False,
 * with a count of it as lost, if the ring has no room or is in the middle of a
 * relayed frame.
 */
bool part_begin(struct switch_core *core, unsigned port,
                struct frame_writer *writer, unsigned content_bytes,
                uint32_t crc);
void part_end(struct switch_core *core, unsigned port,
              struct frame_writer *writer);

/* Whether part_begin() would do. */
bool part_room(const struct switch_core *core, unsigned port,
               unsigned content_bytes);

/* A whole frame; its check begins with `crc`. It has parity if its first byte
   says so. */
bool part_write(struct switch_core *core, unsigned port, const uint8_t *content,
                unsigned bytes, uint32_t crc);

/* The same; twice if it has parity: of what is waited for, and is short, as
   little as may be is lost. */
bool part_write_surely(struct switch_core *core, unsigned port,
                       const uint8_t *content, unsigned bytes, uint32_t crc);

/* Ends a frame that is relayed into the port's ring and whose rest will not
   come. */
void part_cut(struct switch_core *core, unsigned port);

/* A message ended; pings and peeks do not count. port: where it came in, or
   SWITCH_PORTS more: where it went out. */
void part_note(struct switch_core *core, unsigned port, unsigned kind,
               uint32_t bytes, int error);

/* The time of so many bytes on the line. */
uint32_t part_line_us(const struct switch_core *core, uint32_t bytes);

/* Whether `until_us` has come. */
bool part_due(const struct switch_core *core, uint32_t until_us);

/* 0 to 2^32 - 1. */
uint32_t part_random(struct switch_core *core);

/* ---- relay.c ---- */

/* A set-up, whose check is right, came in. */
void part_setup(struct switch_core *core, unsigned port);

/* Frees a circuit, and tells whoever is at its other end. */
void part_drop(struct switch_core *core, unsigned port, unsigned reason);

/* Sends a release; the port's tag says of what. */
void part_release(struct switch_core *core, unsigned port, unsigned reason);

/* Frees a circuit, at both ports of a relay; nobody is told. */
void part_free(struct switch_core *core, unsigned port, unsigned reason);

/* Frees a circuit, and tells the neighbour at this port, too. */
void part_break(struct switch_core *core, unsigned port, unsigned reason);

/* Answers a set-up that came in at this port, which is free. */
void part_refuse(struct switch_core *core, unsigned port, const uint8_t *setup,
                 unsigned reason);

/* Marks a port as held. */
void part_hold(struct switch_core *core, unsigned port, enum part_role role,
               const uint8_t *setup);

/* ---- source.c ---- */

/* See switch_send(). */
void part_queue(struct switch_core *core, struct switch_message *message);

/* Ends all messages of the port with ERR_PORT_BUSY. */
void part_abandon(struct switch_core *core, unsigned port);

/* Sets a circuit up for the port's first message, if it is time for that. */
void part_start(struct switch_core *core, unsigned port);

/* ACK, AGAIN or DONE came in at a source. */
void part_answer(struct switch_core *core, unsigned port, unsigned bytes);

/* Makes frames of the message as far as ring and window go. */
void part_fill(struct switch_core *core, unsigned port);

/* The circuit of a message that is not done is gone. */
void part_source_lost(struct switch_core *core, unsigned port, unsigned reason);

/* Looks at the source's time limits. */
void part_source_tick(struct switch_core *core, unsigned port);

/* A frame was damaged, and mended or not: this node's messages go out of the
   port in frames with parity. */
void part_turn_bad(struct switch_port *at);

/* ---- destination.c ---- */

/* A set-up ends here. */
void part_arrive(struct switch_core *core, unsigned port, const uint8_t *setup);

/* DATA of so many bytes came in at a destination. */
void part_data(struct switch_core *core, unsigned port, unsigned bytes);

/* Where the check of DATA begins, whose first byte is `first`. */
uint32_t part_data_crc(const struct switch_port *at, uint8_t first,
                       uint32_t offset);

/* A frame came in that nobody could read; a destination asks for its bytes
   again. */
void part_again(struct switch_core *core, unsigned port);

/* The same, and it is counted as damaged. */
void part_damaged(struct switch_core *core, unsigned port);

/* The circuit of a destination is gone. */
void part_destination_lost(struct switch_core *core, unsigned port);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the switch (hal/switch/switch.h), and by no others:
 *
 *   switch.c       bytes in, rings out, time limits, hop-local frames
 *   relay.c        set-up and release of circuits, hop by hop
 *   source.c       a message at its source
 *   destination.c  a message at its destination
 */
#ifndef HAL_SWITCH_INTERNAL_H
#define HAL_SWITCH_INTERNAL_H

#include "hal/switch/state.h"

enum switch_frame_type {
    SWITCH_FRAME_SETUP = 1,
    SWITCH_FRAME_DATA,
    SWITCH_FRAME_ACK,
    SWITCH_FRAME_AGAIN,
    SWITCH_FRAME_DONE,
    SWITCH_FRAME_RELEASE,
    SWITCH_FRAME_NEIGHBOUR
};

/* In a set-up: hops, and the turn above them. */
#define SWITCH_TURN_SHIFT 14u
#define SWITCH_HOPS_MASK ((1u << SWITCH_TURN_SHIFT) - 1u)

#define SWITCH_FRAME_TYPE(first) ((unsigned)(first)&7u)
#define SWITCH_FRAME_PARITY(first) ((first)&FRAME_PARITY)
#define SWITCH_FRAME_ROUND(first) ((unsigned)(first) >> 4)

/* Contents without the CRC. */
#define SWITCH_SETUP_BYTES 20u
#define SWITCH_DATA_HEADER_BYTES 3u
#define SWITCH_ANSWER_BYTES 5u
#define SWITCH_DONE_BYTES 1u /* and a peek's answer */
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

enum switch_role {
    SWITCH_ROLE_FREE,
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

/* ---- switch.c ---- */

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

/* ---- relay.c ---- */

/* A set-up, whose check is right, came in. */
void switch_relay_setup(struct switch_core *core, unsigned port);

/* Frees a circuit, and tells whoever is at its other end. */
void switch_relay_drop(struct switch_core *core, unsigned port,
                       unsigned reason);

/* Sends a release; the port's tag says of what. */
void switch_relay_release(struct switch_core *core, unsigned port,
                          unsigned reason);

/* Frees a circuit, and tells the neighbour at this port, too. */
void switch_relay_break(struct switch_core *core, unsigned port,
                        unsigned reason);

/* Answers a set-up that came in at this port, which is free. */
void switch_relay_refuse(struct switch_core *core, unsigned port,
                         const uint8_t *setup, unsigned reason);

/* Marks a port as held. */
void switch_relay_hold(struct switch_core *core, unsigned port,
                       enum switch_role role, const uint8_t *setup);

/* ---- source.c ---- */

/* See switch_send(). */
void switch_source_queue(struct switch_core *core,
                         struct switch_message *message);

/* Ends all messages of the port with ERR_PORT_BUSY. */
void switch_source_abandon(struct switch_core *core, unsigned port);

/* Sets a circuit up for the port's first message, if it is time for that. */
void switch_source_start(struct switch_core *core, unsigned port);

/* ACK, AGAIN or DONE came in at a source. */
void switch_source_answer(struct switch_core *core, unsigned port,
                          unsigned bytes);

/* Makes frames of the message as far as ring and window go. */
void switch_source_fill(struct switch_core *core, unsigned port);

/* The circuit of a message that is not done is gone. */
void switch_source_lost(struct switch_core *core, unsigned port,
                        unsigned reason);

/* Looks at the source's time limits. */
void switch_source_tick(struct switch_core *core, unsigned port);

/* A frame was damaged, and mended or not: this node's messages go out of the
   port in frames with parity. */
void switch_source_turn_bad(struct switch_port *at);

/* ---- destination.c ---- */

/* A set-up ends here. */
void switch_destination_arrive(struct switch_core *core, unsigned port,
                               const uint8_t *setup);

/* DATA of so many bytes came in at a destination. */
void switch_destination_data(struct switch_core *core, unsigned port,
                             unsigned bytes);

/* Where the check of DATA begins, whose first byte is `first`. */
uint32_t switch_destination_data_crc(const struct switch_port *at,
                                     uint8_t first, uint32_t offset);

/* A frame came in that nobody could read; a destination asks for its bytes
   again. */
void switch_destination_again(struct switch_core *core, unsigned port);

/* The same, and it is counted as damaged. */
void switch_destination_damaged(struct switch_core *core, unsigned port);

/* The circuit of a destination is gone. */
void switch_destination_lost(struct switch_core *core, unsigned port);

#endif

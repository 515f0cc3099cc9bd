/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames, modes and roles: shared by the files of the switch
 * (hal/switch/switch.h), and by no others. Each of these calls only those
 * above it:
 *
 *   ring.c         what goes out: a ring of bytes a port, frames into it; time
 *   relay.c        circuits hold and free a node's ports, and go on from it
 *   destination.c  a message at its destination
 *   source.c       a message at its source
 *   switch.c       bytes in: which of them a frame is for; time limits
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

#endif

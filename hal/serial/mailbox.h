/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's port of a node whose host is at the other end of a console: one
 * message in and one out at a time, both read and written in pieces, in order.
 * Circuits call the functions of the node's side, the console those of the
 * host's side.
 *
 *   in:   CLOSED --mailbox_open()--> OPEN --mailbox_announce()--> FILLING
 *         FILLING --mailbox_put() of the last byte--> FULL
 *         any --mailbox_close()--> CLOSED
 *   out:  EMPTY --mailbox_offer()--> OFFERED --mailbox_done()--> EMPTY
 *
 * No allocation, no input or output. A caller's buffer is in use until the
 * state changes. No side may interrupt the other: both run in the main loop, or
 * the host's in an interrupt handler while the node is in none of these
 * functions.
 */
#ifndef HAL_SERIAL_MAILBOX_H
#define HAL_SERIAL_MAILBOX_H

#include "hal/err.h"
#include "hal/nodiscard.h"

#include <stdint.h>

#define MAILBOX_SEGMENTS 6u

enum mailbox_in {
    MAILBOX_CLOSED,
    MAILBOX_OPEN,
    MAILBOX_FILLING,
    MAILBOX_FULL
};

enum mailbox_out {
    MAILBOX_EMPTY,
    MAILBOX_OFFERED
};

struct mailbox_segment {
    const uint8_t *data;
    uint32_t bytes;
};

struct mailbox {
    uint8_t in;  /* enum mailbox_in */
    uint8_t out; /* enum mailbox_out */
    uint8_t in_kind;
    uint8_t out_kind;
    uint16_t in_job;
    uint16_t out_job;
    uint8_t *buffer;
    uint32_t capacity_bytes;
    uint32_t announced_bytes;
    uint32_t filled_bytes; /* from the first one on */
    uint32_t out_bytes;    /* of all segments */
    struct mailbox_segment segment[MAILBOX_SEGMENTS]; /* in this order */
};

/* ---- the node's side ---- */

/* Closes the mailbox: no message comes in, none is offered. */
void mailbox_init(struct mailbox *mailbox);

/* Waits for a message of `capacity_bytes` at most; one that is half there is
   dropped. */
void mailbox_open(struct mailbox *mailbox, uint8_t *buffer,
                  uint32_t capacity_bytes);
void mailbox_close(struct mailbox *mailbox);

/*
 * Offers a message for the host to read: `count` pieces one after the other,
 * MAILBOX_SEGMENTS at most. They stay as they are until `out` is EMPTY again.
 */
void mailbox_offer(struct mailbox *mailbox,
                   const struct mailbox_segment *segments, unsigned count,
                   uint8_t kind, uint16_t job);

/* ---- the host's side ---- */

/*
 * Announces a message of `bytes` bytes, 1 or more. Until its last byte has come
 * it may be announced anew, and all of it is waited for again: the bytes that
 * are there may be another host's. Result: 0; ERR_PORT_BUSY: the node is not
 * waiting; ERR_BUFFER: more than its capacity; ERR_EMPTY: no bytes.
 */
NODISCARD int mailbox_announce(struct mailbox *mailbox, uint32_t bytes,
                               uint8_t kind, uint16_t job);

/*
 * Takes the announced message's bytes from `offset` on. Bytes that are there
 * already are not written again. A gap changes nothing: filled_bytes is the
 * offset that is waited for. Bytes of the last whole message may come once more
 * after the node has taken it: the host may have missed the answer. Result: 0;
 * ERR_RANGE: a gap; ERR_BUFFER: beyond the end; ERR_PORT_BUSY: no message is
 * announced.
 */
NODISCARD int mailbox_put(struct mailbox *mailbox, uint32_t offset,
                          const uint8_t *data, uint32_t bytes);

/*
 * Copies `bytes` bytes of the offered message from `offset` on, fewer at its
 * end. Result: their number; ERR_BUFFER: the offset is beyond the end;
 * ERR_PORT_BUSY: nothing is offered. Cost: a pass over the segments.
 */
NODISCARD int mailbox_get(const struct mailbox *mailbox, uint8_t *out,
                          uint32_t offset, uint32_t bytes);

/* Ends the offer, if there is one: the host has the message. */
void mailbox_done(struct mailbox *mailbox);

#endif

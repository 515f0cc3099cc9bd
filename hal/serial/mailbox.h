/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mailbox: the host's port of a node whose host is at the other end of a
 * console. The mailbox holds one message to the node and one message to the
 * host at a time; the host writes and reads messages in pieces, in order.
 * Circuits call the functions of the node's side, the console calls the
 * functions of the host's side.
 *
 *   in:   CLOSED --mailbox_open()--> OPEN --mailbox_announce()--> FILLING
 *         FILLING --mailbox_put() of the last byte--> FULL
 *         any --mailbox_close()--> CLOSED
 *   out:  EMPTY --mailbox_offer()--> OFFERED --mailbox_done()--> EMPTY
 *
 * No allocation, no input or output. The mailbox uses the buffer passed to
 * mailbox_open() until `in` is FULL or CLOSED. No call may interrupt another.
 */
#ifndef HAL_SERIAL_MAILBOX_H
#define HAL_SERIAL_MAILBOX_H

#include "hal/circuit.h"

#define MAILBOX_SEGMENTS 3u

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
    uint32_t filled_bytes; /* bytes of the incoming message that have come */
    uint32_t out_bytes;    /* length of the outgoing message */
    struct circuit_segment segment[MAILBOX_SEGMENTS]; /* outgoing message */
};

/* ---- the node's side ---- */

/* Clears the mailbox: CLOSED and EMPTY. */
void mailbox_init(struct mailbox *mailbox);

/* Lets the host send a message of at most `capacity_bytes` bytes into `buffer`.
   Drops a message that has not come whole. */
void mailbox_open(struct mailbox *mailbox, uint8_t *buffer,
                  uint32_t capacity_bytes);
/* Ends mailbox_open(). Drops a message that has not come whole. */
void mailbox_close(struct mailbox *mailbox);

/* Offers a message for the host to read: MAILBOX_SEGMENTS segments, one after
   the other. Their bytes must not change until `out` is EMPTY. */
void mailbox_offer(struct mailbox *mailbox,
                   const struct circuit_segment *segments, uint8_t kind,
                   uint16_t job);

/* ---- the host's side ---- */

/* Announces a message of `bytes` bytes. Drops an earlier message that has not
   come whole. Result: 0; ERR_PORT_BUSY: the node does not wait for a message;
   ERR_BUFFER: more bytes than the buffer holds; ERR_EMPTY: `bytes` is 0. */
NODISCARD int mailbox_announce(struct mailbox *mailbox, uint32_t bytes,
                               uint8_t kind, uint16_t job);

/* Stores bytes of the announced message from `offset` on. Skips bytes that have
   come before, also those of the last whole message. Result: 0; ERR_RANGE:
   bytes in front of `offset` are missing; ERR_BUFFER: bytes beyond the
   message's end; ERR_PORT_BUSY: no message is announced. */
NODISCARD int mailbox_put(struct mailbox *mailbox, uint32_t offset,
                          const uint8_t *data, uint32_t bytes);

/* Copies `bytes` bytes of the offered message from `offset` on, or all that
   are left. Result: number of bytes copied; ERR_BUFFER: `offset` is beyond the
   end; ERR_PORT_BUSY: no message is offered. Cost: a pass over the segments. */
NODISCARD int mailbox_get(const struct mailbox *mailbox, uint8_t *out,
                          uint32_t offset, uint32_t bytes);

/* Ends the offer, if there is one: the host has read the message. */
void mailbox_done(struct mailbox *mailbox);

#endif

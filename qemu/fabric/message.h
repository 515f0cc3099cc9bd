/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on their way through the fabric. Switches write and check their
   headers and CRCs (hal/circuit.h). */
#ifndef QEMU_FABRIC_MESSAGE_H
#define QEMU_FABRIC_MESSAGE_H

#include "hal/window/window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_PIECES 3u
#define MESSAGE_FROM_HOST UINT32_MAX

struct message_piece {
    const uint8_t *data;
    uint32_t bytes;
};

struct file_piece;

/* A message: a header, written when the message arrives, and three pieces of
   data. Until then the pieces stay in the sender's window or in the host's
   memory. */
struct message {
    struct message_piece piece[MESSAGE_PIECES];
    /* file with the bytes of an order's piece[1], whose .data is then NULL; or
       NULL */
    const struct file_piece *load;
    /* copy of all bytes of an order, made for backend.deliver(); or NULL */
    uint8_t *whole;
    uint32_t source; /* index of the sending node, or MESSAGE_FROM_HOST */
    uint32_t bytes;  /* length of the message with its header */
    uint32_t mesh;
    uint16_t job;
    uint8_t kind;
    /* piece[0] of a message that the switch made */
    uint8_t head[CIRCUIT_ROW_BYTES];
};

/* How a test damages a message between two switches: one bit is flipped. */
enum message_damage {
    MESSAGE_SOUND,
    MESSAGE_DAMAGED,     /* the switch finds the damage and wipes the message */
    MESSAGE_DAMAGED_LATE /* the receiver already uses the bytes: they stay */
};

/* Makes piece `index` of the message a range of the sender's window, and adds
   its length to the message's. Returns false if the range is not in the
   window's area for messages. */
bool message_add(struct message *message, unsigned index,
                 const struct window *window, struct window_segment range);

/* Writes the message's header, with a CRC of 0. */
void message_header(uint8_t header[CIRCUIT_HEADER_BYTES],
                    const struct message *message);

/* Copies header and pieces to `out`, which may overlap the pieces. Bytes of an
   order that are in a file are left out. */
void message_join(uint8_t *out, const struct message *message);

/* Computes the CRC of a complete message and writes it into the message's
   header. */
void message_seal(uint8_t *whole, size_t bytes);

bool message_is_sound(const uint8_t *whole, size_t bytes);

/* Damages a complete message that has its CRC. Returns whether the receiver's
   switch would find the damage. */
bool message_damage(uint8_t *whole, size_t bytes, enum message_damage damage);

#endif

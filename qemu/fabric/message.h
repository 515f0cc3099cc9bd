/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on their way through the fabric, and what switches do to their
   bytes: header and CRC of hal/circuit.h. */
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

/* A message whose bytes lie in its sender's window or in the host's memory:
   a header, which is written when it arrives, and three pieces. */
struct message {
    struct message_piece piece[MESSAGE_PIECES];
    const struct file_piece *load; /* piece[1] of an order, which has no data;
                                      or NULL */
    uint8_t *whole;                /* all of an order; or NULL */
    uint32_t source;               /* node, or MESSAGE_FROM_HOST */
    uint32_t bytes;                /* header included */
    uint32_t mesh;                 /* the mesh's identity, for the header */
    uint16_t job;
    uint8_t kind;
    uint8_t head[CIRCUIT_ROW_BYTES]; /* piece[0] of a row's message */
};

/* What a test does to a message between two switches: flips a bit. */
enum message_damage {
    MESSAGE_SOUND,       /* nothing */
    MESSAGE_DAMAGED,     /* the message is wiped by the receiving switch */
    MESSAGE_DAMAGED_LATE /* its head is in use: it stays */
};

/* Makes a range of the sender's window the piece `index`, and counts its bytes.
   Result: false if the range is not in the window's DMA part. */
bool message_add(struct message *message, unsigned index,
                 const struct window *window, struct window_segment range);

/* Writes the header, with a CRC of 0. */
void message_header(uint8_t header[CIRCUIT_HEADER_BYTES],
                    const struct message *message);

/* Copies header and pieces together, but for an order's load. The pieces may
   overlap `out`. */
void message_join(uint8_t *out, const struct message *message);

/* Writes the CRC of a whole message, as a sending switch does. */
void message_seal(uint8_t *whole, size_t bytes);

/* Whether the CRC is right, as a receiving switch finds. */
bool message_is_sound(const uint8_t *whole, size_t bytes);

/* Damages a whole message between the sending switch, which writes its CRC, and
   the receiving one. Result: whether that one finds it. */
bool message_damage(uint8_t *whole, size_t bytes, enum message_damage damage);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on their way through the fabric, and the header and CRC
   (hal/circuit.h) that switches write and check. */
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

/* A message: a header, written on arrival, and three pieces of data. The pieces
   stay in the sender's window or the host's memory until arrival. */
struct message {
    struct message_piece piece[MESSAGE_PIECES];
    /* File with piece[1] of an order, whose `data` is then NULL; or NULL. */
    const struct file_piece *load;
    /* Copy of all bytes of an order, made for backend.deliver(); or NULL. */
    uint8_t *whole;
    uint32_t source; /* sending node, or MESSAGE_FROM_HOST */
    uint32_t bytes;  /* with header */
    uint32_t mesh;
    uint16_t job;
    uint8_t kind;
    uint8_t head[CIRCUIT_ROW_BYTES]; /* piece[0] of a row's message */
};

/* Damage that a test does to a message between two switches: one bit flips. */
enum message_damage {
    MESSAGE_SOUND,
    MESSAGE_DAMAGED,     /* the receiving switch wipes the message */
    MESSAGE_DAMAGED_LATE /* the node already uses the message: no wiping */
};

/* Sets the piece `index` to a range of the sender's window, and counts its
   bytes. Returns false if the range is not in the window's DMA area. */
bool message_add(struct message *message, unsigned index,
                 const struct window *window, struct window_segment range);

/* Writes the header, with a CRC of 0. */
void message_header(uint8_t header[CIRCUIT_HEADER_BYTES],
                    const struct message *message);

/* Copies header and pieces to `out`, but not the file of an order. The pieces
   may overlap `out`. */
void message_join(uint8_t *out, const struct message *message);

/* Writes the CRC of a whole message into its header. */
void message_seal(uint8_t *whole, size_t bytes);

bool message_is_sound(const uint8_t *whole, size_t bytes);

/* Damages a whole message after its CRC is written. Returns whether the
   receiving switch detects the damage. */
bool message_damage(uint8_t *whole, size_t bytes, enum message_damage damage);

#endif

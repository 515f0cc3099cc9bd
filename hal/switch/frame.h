/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames on a serial line. A frame's content has up to FRAME_BYTES_MAX bytes:
 * the first is not 0, the last four are a CRC-32 (little-endian); writer and
 * reader agree on its start value. The line carries the content in consistent
 * overhead byte stuffing (COBS; Cheshire, Baker, IEEE/ACM Trans. Networking
 * 7(2), 1999): one byte, a code, goes in front of the content, and a code
 * replaces each 0 of the content. A code is the distance in bytes to the next
 * code, or to the 0 that ends the frame:
 *
 *   content            11 22 00 33            (CRC included)
 *   on the line     03 11 22 02 33 00
 *
 * So a relay looks for a 0 only, and finds the content's first byte unchanged
 * in the second byte on the line.
 *
 * If the first byte has the bit FRAME_PARITY, parity (hal/switch/parity.h)
 * follows the CRC: the reader corrects a few bytes that the line changed. Bytes
 * of the content keep their places on the line, so a changed code spoils only
 * bytes that are codes or are taken for codes.
 *
 * Pure functions of their arguments; no pointer is kept.
 */
#ifndef HAL_SWITCH_FRAME_H
#define HAL_SWITCH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most bytes of content, CRC and parity included; keeps codes below 255. */
#define FRAME_BYTES_MAX 252u
#define FRAME_CHECK_BYTES 4u
#define FRAME_PARITY 8u /* bit in the first byte of a content: has parity */
#define FRAME_LINE_BYTES(content) ((content) + 2u)

/* A frame that is being written into a ring of 2^n bytes. */
struct frame_writer {
    uint8_t *ring;
    uint32_t mask;    /* bytes of the ring less 1: 2^n - 1 */
    uint32_t at;      /* free-running index of the next byte to write */
    uint32_t code_at; /* free-running index of the last code byte */
    uint32_t crc;     /* CRC of the content so far */
    bool empty;       /* whether the content has no byte yet */
    bool has_parity;
    uint64_t parity; /* parity of the content so far, if has_parity */
};

/* Begins a frame in a ring of mask + 1 bytes with room for the whole frame. at:
   free-running index of the first byte; crc: start value of the CRC. */
void frame_begin(struct frame_writer *writer, uint8_t *ring, uint32_t mask,
                 uint32_t at, uint32_t crc);

/* Adds bytes to the content. Cost: 20 instructions a byte; 45 with parity. */
void frame_put(struct frame_writer *writer, const uint8_t *data,
               uint32_t bytes);

/* Adds bytes to the content, but not to the CRC. */
void frame_put_unchecked(struct frame_writer *writer, const uint8_t *data,
                         uint32_t bytes);

/* Ends the frame. Result: free-running index of the byte behind the frame. */
uint32_t frame_end(struct frame_writer *writer);

/* A frame that is coming in. */
struct frame_reader {
    uint8_t left;  /* number of bytes of content before the next code */
    bool spoiled;  /* the frame is too long, began wrongly or lost a byte */
    bool mended;   /* whether parity corrected bytes of the frame */
    uint8_t bytes; /* number of bytes of content so far */
    uint8_t content[FRAME_BYTES_MAX];
};

/* Takes a frame's first two bytes: a code and the first byte of content. */
void frame_read_begin(struct frame_reader *reader, uint8_t code, uint8_t first);

/* Takes bytes up to, but without, a 0. Result: number of bytes taken. */
unsigned frame_read_bytes(struct frame_reader *reader, const uint8_t *data,
                          unsigned bytes);

/* Ends a frame after its 0 has come in. Corrects the frame by its parity;
   checks no CRC. Result: length of the content without CRC and parity, bytes,
   at least 1; 0: the frame is too short, too long, cut off, or too damaged. */
unsigned frame_read_end(struct frame_reader *reader);

/* Whether the four bytes from content[bytes] on are the CRC of content[from] to
   content[bytes - 1]. crc: start value of the CRC. */
bool frame_check(const struct frame_reader *reader, unsigned from,
                 unsigned bytes, uint32_t crc);

#endif

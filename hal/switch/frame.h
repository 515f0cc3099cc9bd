/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames on a serial line. The content of a frame has up to FRAME_BYTES_MAX
 * bytes, of which the first is not 0; a CRC-32 (little-endian) is at its end.
 * The line carries it in consistent overhead byte stuffing (Cheshire, Baker,
 * IEEE/ACM Trans. Networking 7(2), 1999): a code stands in front, and in place
 * of each 0 of the content, and is the distance to the next 0; a 0 on the line
 * ends the frame.
 *
 *   content            11 22 00 33            (CRC included)
 *   on the line     03 11 22 02 33 00
 *
 * So a relay needs to look for a 0 only, and finds the first byte of the
 * content unchanged in the second byte on the line. The CRC starts from a value
 * that writer and reader agree on.
 *
 * If the first byte has the bit FRAME_PARITY, the CRC is followed by parity
 * (hal/switch/parity.h), by which the reader corrects a few bytes that the line
 * changed. Bytes of the content keep their places on the line, so a changed
 * code spoils no more than two bytes of it.
 *
 * Pure functions of their arguments; no pointer is kept.
 */
#ifndef HAL_SWITCH_FRAME_H
#define HAL_SWITCH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most bytes of content, CRC and parity included. So no code reaches 255, which
   would stand for 254 bytes without a 0 behind them. */
#define FRAME_BYTES_MAX 252u
#define FRAME_CHECK_BYTES 4u
#define FRAME_PARITY 8u /* a bit of the content's first byte */
#define FRAME_LINE_BYTES(content) ((content) + 2u)

/* A frame that is being written into a ring of 2^n bytes. */
struct frame_writer {
    uint8_t *ring;
    uint32_t mask;    /* 2^n - 1 */
    uint32_t at;      /* free-running index of the next byte */
    uint32_t code_at; /* free-running index of the last code, which is written
                         when the content's next 0, or its end, comes */
    uint32_t crc;     /* CRC of the content so far */
    bool empty;       /* the frame has no content yet */
    bool has_parity;
    uint64_t parity; /* parity of the content so far */
};

/* Begins a frame at the free-running index `at` of a ring that has room for the
   whole frame. The CRC starts from `crc`. */
void frame_begin(struct frame_writer *writer, uint8_t *ring, uint32_t mask,
                 uint32_t at, uint32_t crc);

/* Adds bytes to the content: about 20 instructions a byte, 25 more with
   parity. */
void frame_put(struct frame_writer *writer, const uint8_t *data,
               uint32_t bytes);

/* Adds bytes to the content, but not to the CRC. */
void frame_put_unchecked(struct frame_writer *writer, const uint8_t *data,
                         uint32_t bytes);

/* Adds the CRC, the parity, if any, and the 0 that ends the frame. Result: the
   free-running index behind that 0. */
uint32_t frame_end(struct frame_writer *writer);

/* A frame that is coming in. */
struct frame_reader {
    uint8_t left;  /* bytes until the next code */
    bool spoiled;  /* the frame is too long, began wrongly, or lost a byte */
    bool mended;   /* parity has corrected bytes */
    uint8_t bytes; /* bytes of content so far */
    uint8_t content[FRAME_BYTES_MAX];
};

/* Takes the first two bytes of a frame: the code in front, and the first byte
   of the content. */
void frame_read_begin(struct frame_reader *reader, uint8_t code, uint8_t first);

/* Takes further bytes of the line, until a 0. Result: number of bytes before
   the first 0, or `bytes` if there is none. */
unsigned frame_read_bytes(struct frame_reader *reader, const uint8_t *data,
                          unsigned bytes);

/*
 * Ends a frame whose 0 has come, and corrects it by its parity; checks no CRC.
 * Result: bytes of the content without CRC and parity, at least 1; 0 if the
 * frame is too short, too long, cut off, or has more damage than parity can
 * correct.
 */
unsigned frame_read_end(struct frame_reader *reader);

/* Whether the CRC behind the first `bytes` of the content is right: the CRC of
   bytes `from` to bytes - 1, which starts from `crc`. */
bool frame_check(const struct frame_reader *reader, unsigned from,
                 unsigned bytes, uint32_t crc);

#endif

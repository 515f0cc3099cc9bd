/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames on a serial line: 1 to FRAME_BYTES_MAX bytes of content, the first of
 * them not 0, the last four their CRC-32 (little-endian), in consistent
 * overhead byte stuffing (Cheshire, Baker, IEEE/ACM Trans. Networking 7(2),
 * 1999): every 0 is replaced by the distance to the next, and a 0 on the line
 * ends the frame.
 *
 *   content            11 22 00 33            (CRC included)
 *   on the line     03 11 22 02 33 00
 *
 * So whoever only passes a frame on looks for its 0; the first byte of the
 * content is the second on the line, as it is. The CRC begins with a value that
 * writer and reader agree on: 0, or that of something both know already.
 *
 * FRAME_PARITY in the first byte: behind the CRC comes parity
 * (hal/switch/parity.h) of the content and the CRC, by which the reader puts a
 * few bytes right that the line changed. A changed distance is but a changed
 * byte or two of the content: every byte of it has its place on the line.
 *
 * Pure functions of their arguments; no pointer is kept.
 */
#ifndef HAL_SWITCH_FRAME_H
#define HAL_SWITCH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_BYTES_MAX 252u /* of content: one code byte covers 254 */
#define FRAME_CHECK_BYTES 4u
#define FRAME_PARITY 8u /* a bit of the first byte */
#define FRAME_LINE_BYTES(content) ((content) + 2u)

/* Writes a frame into a ring of 2^n bytes, which it must fit. */
struct frame_writer {
    uint8_t *ring;
    uint32_t mask; /* 2^n - 1 */
    uint32_t at;   /* free-running index of the next byte */
    uint32_t code_at;
    uint32_t crc;
    bool empty; /* no content yet */
    bool has_parity;
    uint64_t parity;
};

void frame_begin(struct frame_writer *writer, uint8_t *ring, uint32_t mask,
                 uint32_t at, uint32_t crc);

/* Adds bytes; about 20 instructions each, and 25 more where there is parity. */
void frame_put(struct frame_writer *writer, const uint8_t *data,
               uint32_t bytes);

/* Adds bytes that the CRC does not cover. */
void frame_put_unchecked(struct frame_writer *writer, const uint8_t *data,
                         uint32_t bytes);

/* Adds the CRC, the parity and the end. Result: the index behind the end. */
uint32_t frame_end(struct frame_writer *writer);

/* A frame that comes in. */
struct frame_reader {
    uint8_t left; /* bytes until the next code */
    bool spoiled; /* it is too long */
    bool mended;  /* the parity has put bytes right */
    uint8_t bytes;
    uint8_t content[FRAME_BYTES_MAX];
};

/* The first two bytes of a frame: the code, and `first` of the content. */
void frame_read_begin(struct frame_reader *reader, uint8_t code, uint8_t first);

/* Further bytes, up to a 0. Result: how many of them were taken: all before the
   first 0. */
unsigned frame_read_bytes(struct frame_reader *reader, const uint8_t *data,
                          unsigned bytes);

/*
 * After the 0: the length of the content without its CRC and parity, at least
 * 1; 0 if it is damaged: too short, too long, cut off, or too much of it for
 * its parity. Looks at no CRC.
 */
unsigned frame_read_end(struct frame_reader *reader);

/*
 * Whether the CRC behind the first `bytes` of the content is right, when it
 * begins with `crc` and covers the content from byte `from` on.
 */
bool frame_check(const struct frame_reader *reader, unsigned from,
                 unsigned bytes, uint32_t crc);

#endif

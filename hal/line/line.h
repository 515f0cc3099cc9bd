/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the console, for people and for programs: printable ASCII, ended by
 * CR, LF or both. A `*` and the CRC-16 of the text may follow the text:
 *
 *   put 96 aGVsbG8=*5C0B\n
 *   '------.-------'         text: 1 to LINE_TEXT_MAX bytes, without `*`
 *                   ''''     CRC-16/CCITT: polynomial 0x1021, start value
 *                            0xFFFF, highest bit first, as four hex digits
 *
 * Every line that is written has a CRC. A line that is read needs a CRC only if
 * the line begins with `@`, as lines from programs do. Without this rule, a
 * line from a program would be taken unchecked if its `*` were damaged.
 *
 * These functions allocate nothing, do no input or output, and read no clock:
 * the caller passes the time, and owns the state. Cost of a byte: about 20
 * instructions in line_push(), and 40 in line_take().
 */
#ifndef HAL_LINE_LINE_H
#define HAL_LINE_LINE_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stdint.h>

#define LINE_TEXT_MAX 200u
#define LINE_BYTES_MAX (LINE_TEXT_MAX + 6u) /* with `*`, CRC and LF */
#define LINE_RING_BYTES 1024u               /* a power of two */
#define LINE_DATA_MAX 96u    /* most bytes of data that line_put_data() takes */
#define LINE_BASE64_MAX 128u /* characters of LINE_DATA_MAX bytes in base64 */

/* Byte to push in place of a byte that arrived damaged. */
#define LINE_DAMAGED_BYTE 0u

enum line_status {
    LINE_NONE,    /* no whole line yet */
    LINE_TEXT,    /* a line without an error */
    LINE_LONG,    /* more than LINE_TEXT_MAX bytes of text */
    LINE_CRC,     /* a wrong or malformed CRC; a line with `@` without CRC */
    LINE_CONTROL, /* a byte that is not printable ASCII */
    LINE_DAMAGED, /* bytes were lost, or arrived damaged */
    LINE_HALF,    /* the end of the line did not come in time */
    LINE_STATUSES
};

/* ---- reading ---- */

/* line_push() writes `pushed`, `lost`, `gap` and the ring, and may interrupt
   line_take(), which writes the other fields. */
struct line_reader {
    volatile uint32_t pushed;      /* bytes put into the ring so far */
    volatile uint32_t lost;        /* bytes for which the ring had no room */
    volatile uint32_t taken;       /* bytes taken out of the ring so far */
    uint32_t half_us;              /* silence ending an unfinished line, us */
    uint32_t last_us;              /* time when a byte was last taken, us */
    uint32_t count[LINE_STATUSES]; /* number of lines with each status */
    uint16_t length;               /* number of bytes in `text` so far */
    uint16_t mark;                 /* index of the line's first `*`; 0: none */
    uint8_t trouble; /* enum line_status: first error so far, or LINE_NONE */
    bool ended;      /* `text` is a returned line; the next call drops it */
    bool gap;        /* the last bytes pushed were lost: no room in the ring */
    char text[LINE_BYTES_MAX];
    volatile uint8_t ring[LINE_RING_BYTES];
};

/* Clears the reader. half_us: an unfinished line ends as LINE_HALF after this
   time without a byte, us, below 2^31. */
void line_init(struct line_reader *reader, uint32_t half_us);

/* Puts the next byte into the ring. Calls must not interrupt each other.
   Without room, the byte is lost, and its line ends as LINE_DAMAGED. */
void line_push(struct line_reader *reader, uint8_t byte);

/* Takes the next whole line from the ring; skips empty lines. To be called at
   least every 2^31 us. now_us: the time, us, which may wrap. Result: LINE_TEXT:
   reader->text is the text without CRC, ended by a NUL, until the next call;
   LINE_NONE: no whole line yet; else a line with this error was dropped. */
enum line_status line_take(struct line_reader *reader, uint32_t now_us);

/* ---- writing ---- */

struct line_writer {
    uint16_t bytes;
    bool cut; /* whether some text did not fit and was left out */
    char text[LINE_BYTES_MAX];
};

void line_begin(struct line_writer *writer);

/* Appends text. In `format` a conversion stands for the next argument: %s for a
   string, %u for a uint32_t, %d for an int32_t, %x for a uint32_t as eight
   hexadecimal digits, %l for a uint64_t. Characters of a string that a line may
   not contain become `?`. */
void line_put(struct line_writer *writer, const char *format, ...);

/* Appends data as base64. bytes: at most LINE_DATA_MAX. */
void line_put_data(struct line_writer *writer, const uint8_t *data,
                   unsigned bytes);

/* Appends CRC and LF, which always fit. Result: length of the line, bytes. */
unsigned line_end(struct line_writer *writer);

/* ---- CRC and base64 ---- */

/* Returns the CRC of earlier text with this text behind it. crc: CRC of the
   earlier text; 0xFFFF if there is none. */
uint16_t line_crc(uint16_t crc, const char *text, unsigned bytes);

/* Writes data as base64 (RFC 4648, section 4) with padding, without a NUL.
   Result: number of characters, 4 * ceil(bytes / 3). */
unsigned line_base64(char *out, const uint8_t *data, unsigned bytes);

/* Decodes `length` characters of base64 into `out`. Result: number of bytes;
   -1: not valid base64, or more than `capacity` bytes. */
NODISCARD int line_base64_read(uint8_t *out, unsigned capacity,
                               const char *text, unsigned length);

#endif

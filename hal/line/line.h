/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the console, for people and for programs: printable ASCII, ended by
 * CR, LF or both. Behind a `*` may follow the CRC-16 of what is before it:
 *
 *   put 96 aGVsbG8=*5C0B\n
 *   '------.-------'         text: 1 to LINE_TEXT_MAX bytes, without `*`
 *                   ''''     CRC-16/CCITT: polynomial 0x1021, first 0xFFFF, the
 *                            highest bit first, as four hexadecimal digits
 *
 * A line that is written always has it. Of those that are read only a text that
 * begins with `@` (a program's) must have it, since a damaged `*` would else
 * make a program's line one of a person.
 *
 * No allocation, no input or output, no clock: time is an argument, state the
 * caller's. Cost of a byte: about 20 instructions in the interrupt handler, and
 * 40 where lines are taken.
 */
#ifndef HAL_LINE_LINE_H
#define HAL_LINE_LINE_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stdint.h>

#define LINE_TEXT_MAX 200u
#define LINE_BYTES_MAX (LINE_TEXT_MAX + 6u) /* with `*`, CRC and LF */
#define LINE_RING_BYTES 1024u               /* a power of two */
#define LINE_DATA_MAX 96u    /* bytes of data that line_put_data() takes */
#define LINE_BASE64_MAX 128u /* characters that these become */

/* The byte that a producer pushes in place of one that arrived damaged. */
#define LINE_DAMAGED_BYTE 0u

enum line_status {
    LINE_NONE,    /* no whole line yet */
    LINE_TEXT,    /* a good one */
    LINE_LONG,    /* more than LINE_TEXT_MAX */
    LINE_CRC,     /* wrong, malformed, or missing in a program's line */
    LINE_CONTROL, /* a byte that is not printable ASCII */
    LINE_DAMAGED, /* bytes were lost, or arrived damaged */
    LINE_HALF,    /* its end did not come in time */
    LINE_STATUSES
};

/* ---- reading ---- */

/*
 * The producer (one interrupt handler, or code that it cannot interrupt) writes
 * `pushed`, `lost`, `gap` and the ring; the consumer, who takes lines, writes
 * all else. Neither masks the other: a byte lies in the ring before `pushed`
 * counts it.
 */
struct line_reader {
    volatile uint32_t pushed; /* bytes that ever went into the ring */
    volatile uint32_t lost;   /* bytes for which it had no room */
    volatile uint32_t taken;  /* bytes that ever left it */
    uint32_t half_us;
    uint32_t last_us; /* when the last byte of the line was taken */
    uint32_t count[LINE_STATUSES]; /* lines of each status */
    uint16_t length;               /* of the line so far */
    uint16_t mark;                 /* where its first `*` is, or 0 */
    uint8_t trouble; /* enum line_status: its first error, or LINE_NONE */
    bool ended;      /* `text` is what was returned last */
    bool gap;        /* the last bytes found no room */
    char text[LINE_BYTES_MAX]; /* text and ring come last: other fields have
                                  short offsets so */
    volatile uint8_t ring[LINE_RING_BYTES];
};

/* half_us: how long a line may wait for its next byte, below 2^31 us. */
void line_init(struct line_reader *reader, uint32_t half_us);

/*
 * For the interrupt handler: takes the next byte. A byte that finds no room is
 * counted, and the line in which it is missing comes out as LINE_DAMAGED.
 */
void line_push(struct line_reader *reader, uint8_t byte);

/*
 * The next line, if there is a whole one. Empty lines are passed over. now_us
 * may wrap; call at least every 2^31 us. Result: LINE_TEXT with reader->text
 * the NUL-terminated text without its CRC, which is the caller's until the
 * next call; LINE_NONE; or what is wrong with a line, which is dropped.
 */
enum line_status line_take(struct line_reader *reader, uint32_t now_us);

/* ---- writing ---- */

/* A line that grows; `cut` if something did not fit. */
struct line_writer {
    uint16_t bytes;
    bool cut;
    char text[LINE_BYTES_MAX];
};

void line_begin(struct line_writer *writer);

/*
 * Appends text; a conversion stands for the next argument: %s a string, %u a
 * uint32_t, %d an int32_t, %x a uint32_t as eight hexadecimal digits, %l a
 * uint64_t. Characters that a line may not contain come out as `?`.
 */
void line_put(struct line_writer *writer, const char *format, ...);

/* Appends base64, bytes <= LINE_DATA_MAX. */
void line_put_data(struct line_writer *writer, const uint8_t *data,
                   unsigned bytes);

/* Appends CRC and LF: there is always room for these. Result: all bytes. */
unsigned line_end(struct line_writer *writer);

/* ---- the parts ---- */

/* Continues a CRC from `crc`; the first is 0xFFFF. */
uint16_t line_crc(uint16_t crc, const char *text, unsigned bytes);

/* RFC 4648, section 4, with padding. Result: characters, 4 for 3 bytes; there
   is no NUL behind them. */
unsigned line_base64(char *out, const uint8_t *data, unsigned bytes);

/* Result: bytes, at most `capacity`, or -1: a length that is no multiple of
   four, another character, bits that encode nothing, or no room. */
NODISCARD int line_base64_read(uint8_t *out, unsigned capacity,
                               const char *text, unsigned length);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/line/line.h"

#include "hal/check.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#define CHECK_FILE CHECK_LINE

static_assert((LINE_RING_BYTES & (LINE_RING_BYTES - 1)) == 0,
              "the ring's places are the lowest bits of a count");

#define CRC_FIRST 0xFFFFu
#define CRC_POLYNOMIAL 0x1021u
#define MARK_BYTES 5u /* length of a CRC in a line: `*` and four digits */

/* Keeps the compiler from moving accesses to the ring across this call. */
static inline void keep_order(void)
{
    __asm volatile("" ::: "memory");
}

uint16_t line_crc(uint16_t crc, const char *text, unsigned bytes)
{
    uint32_t value = crc;

    for (unsigned i = 0; i < bytes; ++i) {
        value ^= (uint32_t)(uint8_t)text[i] << 8;
        for (unsigned bit = 0; bit < 8; ++bit) {
            value = value << 1 ^ ((value & 0x8000u) ? CRC_POLYNOMIAL : 0u);
        }
        value &= 0xFFFFu;
    }
    return (uint16_t)value;
}

static char hex_of(uint32_t number)
{
    return "0123456789ABCDEF"[number & 15u];
}

void line_init(struct line_reader *reader, uint32_t half_us)
{
    memset(reader, 0, sizeof *reader);
    reader->half_us = half_us;
}

static bool store(struct line_reader *reader, uint8_t byte)
{
    uint32_t pushed = reader->pushed;

    if (pushed - reader->taken >= LINE_RING_BYTES) {
        return false;
    }
    reader->ring[pushed % LINE_RING_BYTES] = byte;
    keep_order();
    reader->pushed = pushed + 1;
    return true;
}

/* LINE_DAMAGED_BYTE stands for the bytes that were lost before. */
void line_push(struct line_reader *reader, uint8_t byte)
{
    if (reader->gap && store(reader, LINE_DAMAGED_BYTE)) {
        reader->gap = false;
    }
    if (reader->gap || !store(reader, byte)) {
        reader->gap = true;
        reader->lost += 1;
    }
}

/* Cuts the CRC off a line. Result: whether the CRC is right or not needed. */
static bool check(struct line_reader *reader)
{
    char *text = reader->text;
    unsigned bytes = reader->mark;
    uint32_t crc;

    ASSERT(bytes <= reader->length && reader->length < LINE_BYTES_MAX);
    if (bytes == 0) {
        return text[0] != '@';
    }
    if (bytes + MARK_BYTES != reader->length) {
        return false;
    }
    reader->length = (uint16_t)bytes;
    crc = line_crc(CRC_FIRST, text, bytes);
    for (unsigned i = MARK_BYTES - 1; i > 0; --i) {
        /* Ignores bit 5, the case of a letter. A digit without this bit would
           be a control character, which `text` never has. */
        if (((text[bytes + i] ^ hex_of(crc)) & ~0x20) != 0) {
            return false;
        }
        crc >>= 4;
    }
    return true;
}

static enum line_status count(struct line_reader *reader,
                              enum line_status status)
{
    ASSERT(status < LINE_STATUSES);
    reader->count[status] += 1;
    reader->ended = true;
    return status;
}

static enum line_status end(struct line_reader *reader)
{
    if (reader->trouble == LINE_NONE) {
        reader->trouble = !check(reader)                   ? LINE_CRC
                          : reader->length > LINE_TEXT_MAX ? LINE_LONG
                                                           : LINE_TEXT;
    }
    reader->text[reader->length] = '\0';
    return count(reader, (enum line_status)reader->trouble);
}

/* Adds a byte to `text`; stores the first error of the line in `trouble`. */
static void add(struct line_reader *reader, uint8_t byte)
{
    enum line_status trouble = LINE_NONE;

    if (byte == LINE_DAMAGED_BYTE) {
        trouble = LINE_DAMAGED;
    } else if (byte < 0x20 || byte > 0x7e) {
        trouble = LINE_CONTROL;
    } else if (reader->length >= LINE_BYTES_MAX - 1) {
        trouble = LINE_LONG;
    } else {
        if (byte == '*' && reader->length == 0) {
            trouble = LINE_CRC;
        } else if (byte == '*' && reader->mark == 0) {
            reader->mark = reader->length;
        }
        reader->text[reader->length++] = (char)byte;
    }
    if (reader->trouble == LINE_NONE) {
        reader->trouble = (uint8_t)trouble;
    }
}

enum line_status line_take(struct line_reader *reader, uint32_t now_us)
{
    if (reader->ended) {
        reader->ended = false;
        reader->length = 0;
        reader->mark = 0;
        reader->trouble = LINE_NONE;
    }
    ASSERT(reader->pushed - reader->taken <= LINE_RING_BYTES);
    while (reader->taken != reader->pushed) {
        uint8_t byte;

        keep_order();
        byte = reader->ring[reader->taken % LINE_RING_BYTES];
        keep_order();
        reader->taken += 1;
        reader->last_us = now_us;
        if (byte != '\r' && byte != '\n') {
            add(reader, byte);
        } else if (reader->length > 0 || reader->trouble != LINE_NONE) {
            return end(reader);
        }
    }
    if ((reader->length > 0 || reader->trouble != LINE_NONE) &&
        now_us - reader->last_us >= reader->half_us) {
        return count(reader, LINE_HALF);
    }
    return LINE_NONE;
}

void line_begin(struct line_writer *writer)
{
    writer->bytes = 0;
    writer->cut = false;
}

static void put_char(struct line_writer *writer, char c)
{
    if (writer->bytes < LINE_TEXT_MAX) {
        writer->text[writer->bytes++] = c;
    } else {
        writer->cut = true;
    }
}

static void put_text(struct line_writer *writer, const char *text)
{
    for (; *text != '\0'; ++text) {
        bool fit = *text >= 0x20 && *text <= 0x7e && *text != '*';

        put_char(writer, fit ? *text : '?');
    }
}

static void put_number(struct line_writer *writer, uint64_t number)
{
    char digits[21];
    char *at = digits + 20;

    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put_text(writer, at);
}

static void put_word(struct line_writer *writer, char conversion,
                     uint32_t number)
{
    if (conversion == 'x') {
        for (int shift = 28; shift >= 0; shift -= 4) {
            put_char(writer, hex_of(number >> shift));
        }
        return;
    }
    if (conversion == 'd' && (int32_t)number < 0) {
        put_char(writer, '-');
        number = 0u - number;
    }
    put_number(writer, number);
}

void line_put(struct line_writer *writer, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    for (; *format != '\0'; ++format) {
        if (*format != '%') {
            put_char(writer, *format);
        } else if (*++format == 's') {
            put_text(writer, va_arg(arguments, const char *));
        } else if (*format == 'l') {
            put_number(writer, va_arg(arguments, uint64_t));
        } else {
            put_word(writer, *format, va_arg(arguments, uint32_t));
        }
    }
    va_end(arguments);
}

void line_put_data(struct line_writer *writer, const uint8_t *data,
                   unsigned bytes)
{
    char text[LINE_BASE64_MAX];
    unsigned length;

    ASSERT(bytes <= LINE_DATA_MAX);
    length = line_base64(text, data, bytes);
    for (unsigned i = 0; i < length; ++i) {
        put_char(writer, text[i]);
    }
}

unsigned line_end(struct line_writer *writer)
{
    char *at = writer->text + writer->bytes;
    uint32_t crc = line_crc(CRC_FIRST, writer->text, writer->bytes);

    ASSERT(writer->bytes <= LINE_TEXT_MAX);
    *at++ = '*';
    for (unsigned digits = 4; digits-- > 0;) {
        *at++ = hex_of(crc >> 4 * digits);
    }
    *at = '\n';
    writer->bytes = (uint16_t)(writer->bytes + MARK_BYTES + 1u);
    return writer->bytes;
}

static const char alphabet[65] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

unsigned line_base64(char *out, const uint8_t *data, unsigned bytes)
{
    unsigned length = 0;
    unsigned bits = 0; /* number of low bits of `group` still to be written */
    uint32_t group = 0;

    for (unsigned i = 0; i < bytes; ++i) {
        group = group << 8 | data[i];
        for (bits += 8; bits >= 6;) {
            bits -= 6;
            out[length++] = alphabet[group >> bits & 63u];
        }
    }
    if (bits > 0) {
        out[length++] = alphabet[group << (6 - bits) & 63u];
    }
    while (length % 4 != 0) {
        out[length++] = '=';
    }
    return length;
}

/* Returns the value of a character of base64, 0 to 63; -1: of another one. */
static int value_of(char c)
{
    int value = 63;

    while (value >= 0 && alphabet[value] != c) {
        --value;
    }
    return value;
}

int line_base64_read(uint8_t *out, unsigned capacity, const char *text,
                     unsigned length)
{
    unsigned bytes = 0;
    unsigned bits = 0;
    uint32_t group = 0;
    unsigned i = 0;

    for (; i < length && text[i] != '='; ++i) {
        int value = value_of(text[i]);

        if (value < 0) {
            return -1;
        }
        group = group << 6 | (uint32_t)value;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            if (bytes == capacity) {
                return -1;
            }
            out[bytes++] = (uint8_t)(group >> bits);
        }
    }
    /* Unused bits must be 0: else two texts would stand for equal bytes. */
    if (length % 4 != 0 || length - i > 2 ||
        (group & ((1u << bits) - 1)) != 0) {
        return -1;
    }
    return i == length || text[length - 1] == '=' ? (int)bytes : -1;
}

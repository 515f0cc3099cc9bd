/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/records_number.h"

#include "qemu/base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXPONENT_MAX 100000
#define MEAN_DECIMALS 6u /* decimals of a mean beyond the column's */
#define HEX_DIGITS_MAX 31u

/* A cell's text while it is read. */
struct reader {
    const char *at;
    const char *end;
    const struct records_style *style;
    struct records_number *number;
};

/* ---- cells without a number ---- */

const char *records_number_trim(const char *text, size_t *bytes)
{
    while (*bytes > 0 && (*text == ' ' || *text == '\t')) {
        text += 1;
        *bytes -= 1;
    }
    while (*bytes > 0 &&
           (text[*bytes - 1] == ' ' || text[*bytes - 1] == '\t')) {
        *bytes -= 1;
    }
    return text;
}

bool records_number_looks_odd(const char *text, size_t bytes)
{
    bool other = false;

    for (size_t i = 0; i < bytes; ++i) {
        if (isalpha((unsigned char)text[i])) {
            return false;
        }
        other = other || (text[i] & 0x80) != 0;
    }
    return other;
}

static bool is_missing(const char *text, size_t bytes)
{
    static const char *const words[] = {
        "",         "NA",  "N/A",  "#N/A", "<NA>",   "NaN",    "NULL",
        "None",     "\\N", "-",    "--",   ".",      "?",      "inf",
        "infinity", "#NA", "n.a.", "nil",  "1.#INF", "1.#IND", "1.#QNAN"};
    size_t sign = bytes > 2 && (text[0] == '-' || text[0] == '+');

    if (bytes > 9 || (bytes > 1 && isdigit((unsigned char)text[1]))) {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        size_t skip = isalnum((unsigned char)words[i][0]) ? sign : 0;

        if (strlen(words[i]) == bytes - skip &&
            strncasecmp(words[i], text + skip, bytes - skip) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- reading ---- */

/* Adds a digit behind those that were read; leading zeros are dropped. */
static void add_digit(struct records_number *number, int digit)
{
    if (number->digits == 0 && digit == 0) {
        return;
    }
    if (number->digits < RECORDS_WIDE_DIGITS_MAX) {
        number->digit[number->digits] = (uint8_t)digit;
    }
    number->digits += 1;
}

/* Reads digits up to another character. Returns their number. */
static size_t read_digits(struct reader *reader)
{
    const char *from = reader->at;

    while (reader->at < reader->end && isdigit((unsigned char)*reader->at)) {
        add_digit(reader->number, *reader->at++ - '0');
    }
    return (size_t)(reader->at - from);
}

/* Reads digits with marks of thousands: groups of two or three, the last of
   three. Returns the number of digits; or 0 and leaves the reader at a wrong
   mark. */
static size_t read_whole(struct reader *reader)
{
    char mark = reader->style->thousands;
    size_t digits = read_digits(reader);
    size_t group = digits;

    if (mark == '\0' || digits > 3 || digits == 0) {
        return digits;
    }
    while (reader->at < reader->end && *reader->at == mark) {
        reader->number->plain = false;
        reader->at += 1;
        group = read_digits(reader);
        digits += group;
        if (group < 2 || group > 3) {
            reader->at = reader->end - 1;
            return 0;
        }
    }
    if (digits > group && group != 3) {
        reader->at = reader->end - 1;
        return 0;
    }
    return digits;
}

/* Reads an exponent to the text's end. Returns whether it is one. */
static bool read_exponent(struct reader *reader, int32_t *exponent)
{
    const char *at = reader->at + 1;
    bool negative = at < reader->end && *at == '-';
    int32_t value = 0;

    at += at < reader->end && (*at == '-' || *at == '+');
    if (at == reader->end) {
        return false;
    }
    for (; at < reader->end && isdigit((unsigned char)*at); ++at) {
        value = value < EXPONENT_MAX ? value * 10 + (*at - '0') : value;
    }
    reader->at = at;
    *exponent = negative ? -value : value;
    return true;
}

/* Reads a hexadecimal integer behind its 0x. */
static bool read_hexadecimal(struct reader *reader)
{
    __extension__ unsigned __int128 value = 0;
    uint8_t digit[40];
    int count = 0;

    if (reader->at == reader->end ||
        reader->end - reader->at > (ptrdiff_t)HEX_DIGITS_MAX) {
        return false;
    }
    for (; reader->at < reader->end; ++reader->at) {
        int byte = tolower((unsigned char)*reader->at);

        if (!isxdigit(byte)) {
            return false;
        }
        value = value * 16 + (unsigned)(byte <= '9' ? byte - '0' : byte - 87);
    }
    for (; value > 0; value /= 10) {
        digit[count++] = (uint8_t)(value % 10);
    }
    while (count > 0) {
        add_digit(reader->number, digit[--count]);
    }
    return true;
}

static bool read_decimal(struct reader *reader)
{
    struct records_number *number = reader->number;
    size_t digits = read_whole(reader);
    size_t fraction = 0;
    int32_t exponent = 0;

    if (reader->at < reader->end && *reader->at == reader->style->decimal) {
        number->plain = number->plain && *reader->at == '.';
        reader->at += 1;
        fraction = read_digits(reader);
    }
    if (digits + fraction == 0) {
        return false;
    }
    if (reader->at < reader->end &&
        (*reader->at == 'e' || *reader->at == 'E')) {
        number->plain = false;
        if (!read_exponent(reader, &exponent)) {
            return false;
        }
    }
    fraction = fraction < EXPONENT_MAX ? fraction : EXPONENT_MAX;
    number->exponent = (number->digits > 0 ? exponent : 0) - (int32_t)fraction;
    return reader->at == reader->end;
}

enum records_kind records_number_read(struct records_number *number,
                                      const char *text, size_t bytes,
                                      const struct records_style *style)
{
    size_t inner = bytes;
    const char *at = records_number_trim(text, &inner);
    struct reader reader = {at, at + inner, style, number};
    int64_t whole;

    number->plain = inner == bytes;
    number->digits = 0;
    number->exponent = 0;
    if (inner == 0 || (!isdigit((unsigned char)*at) && is_missing(at, inner))) {
        return RECORDS_MISSING;
    }
    number->negative = *at == '-';
    reader.at += *at == '-' || *at == '+';
    if (reader.end - reader.at > 2 && reader.at[0] == '0' &&
        tolower((unsigned char)reader.at[1]) == 'x') {
        reader.at += 2;
        number->plain = false;
        if (!read_hexadecimal(&reader)) {
            return RECORDS_OTHER;
        }
    } else if (!read_decimal(&reader)) {
        return is_missing(at, inner) ? RECORDS_MISSING : RECORDS_OTHER;
    }
    whole = (int64_t)number->digits + number->exponent;
    number->whole = number->digits > 0 && whole > 0 ? (uint32_t)whole : 0;
    number->decimals = number->exponent < 0 ? (uint32_t)-number->exponent : 0;
    return RECORDS_NUMBER;
}

/* ---- writing ---- */

int64_t records_number_scaled(const struct records_number *number,
                              uint32_t decimals)
{
    int32_t zeros = number->exponent + (int32_t)decimals;
    int64_t value = 0;

    for (uint32_t i = 0; i < number->digits; ++i) {
        value = value * 10 + number->digit[i];
    }
    for (; zeros > 0 && value > 0; --zeros) {
        value *= 10;
    }
    return number->negative ? -value : value;
}

/* Multiplies a big-endian number by 10 and adds a digit. */
static void push_digit(uint8_t *big, uint32_t bytes, uint32_t digit)
{
    for (uint32_t i = bytes; i-- > 0;) {
        digit += big[i] * 10u;
        big[i] = (uint8_t)digit;
        digit >>= 8;
    }
}

static void negate(uint8_t *big, uint32_t bytes)
{
    uint32_t carry = 1;

    for (uint32_t i = bytes; i-- > 0;) {
        carry += (uint8_t)~big[i];
        big[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

void records_number_widen(char *to, const struct records_number *number,
                          uint32_t decimals, uint32_t bytes)
{
    int32_t zeros = number->exponent + (int32_t)decimals;
    uint8_t big[RECORDS_WIDE_BYTES_MAX] = {0};

    for (uint32_t i = 0; i < number->digits; ++i) {
        push_digit(big, bytes, number->digit[i]);
    }
    for (; zeros > 0 && number->digits > 0; --zeros) {
        push_digit(big, bytes, 0);
    }
    if (number->negative) {
        negate(big, bytes);
    }
    big[0] ^= 0x80;
    for (uint32_t i = 0; i < bytes; ++i) {
        *to++ = (char)('a' + (big[i] >> 4));
        *to++ = (char)('a' + (big[i] & 15));
    }
}

uint32_t records_number_bytes(uint32_t digits)
{
    /* 3.33 bits for a digit, 32 for a sum of 2^32 of them, one for the sign */
    return (digits * 333 / 100 + 34 + 31) / 32 * 4;
}

/* Divides a big-endian number. Returns the remainder. */
static uint32_t divide(uint8_t *big, uint32_t bytes, uint32_t by)
{
    uint64_t rest = 0;

    for (uint32_t i = 0; i < bytes; ++i) {
        rest = rest << 8 | big[i];
        big[i] = (uint8_t)(rest / by);
        rest %= by;
    }
    return (uint32_t)rest;
}

static bool is_zero(const uint8_t *big, uint32_t bytes)
{
    while (bytes > 0 && big[bytes - 1] == 0) {
        bytes -= 1;
    }
    return bytes == 0;
}

/* Turns a sum into a mean with MEAN_DECIMALS more decimals. */
static void make_mean(uint8_t *big, uint32_t bytes, uint32_t count)
{
    uint64_t rest;

    for (uint32_t i = 0; i < MEAN_DECIMALS; ++i) {
        push_digit(big, bytes, 0);
    }
    rest = divide(big, bytes, count);
    if (rest * 2 > count || (rest * 2 == count && (big[bytes - 1] & 1) != 0)) {
        uint32_t i = bytes;

        while (i-- > 0 && ++big[i] == 0) {
        }
    }
}

char *records_number_text(uint8_t *big, uint32_t bytes, uint32_t decimals,
                          uint32_t count)
{
    uint32_t room = bytes * 3 + decimals + 16;
    uint32_t longer = bytes + 4; /* six decimals more need 20 bits */
    uint8_t *value = memory_or_exit(calloc(1, longer));
    char *text = memory_or_exit(malloc(room));
    bool negative = (big[0] & 0x80) != 0;
    uint32_t at = room;
    uint32_t left;

    memcpy(value + 4, big, bytes);
    if (negative) {
        negate(value + 4, bytes);
    }
    if (count > 0) {
        make_mean(value, longer, count);
        decimals += MEAN_DECIMALS;
    }
    negative = negative && !is_zero(value, longer);
    text[--at] = '\0';
    for (left = decimals + 1; left > 0 || !is_zero(value, longer);) {
        if (left == 1 && decimals > 0) {
            text[--at] = '.';
        }
        text[--at] = (char)('0' + divide(value, longer, 10));
        left -= left > 0;
    }
    if (negative) {
        text[--at] = '-';
    }
    memmove(text, text + at, room - at);
    free(value);
    return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/records_number.h"

#include "qemu/base/memory.h"

#include <gmp.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXPONENT_MAX 100000
#define MEAN_DECIMALS 6u /* decimals of a mean beyond the column's */
#define MEAN_SCALE 1000000u
#define HEX_DIGITS_MAX 16u
#define WORD_BITS 32u

/* ---- cells without a number ---- */

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

    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        size_t skip = isalnum((unsigned char)words[i][0]) ? sign : 0;

        if (strlen(words[i]) == bytes - skip &&
            strncasecmp(words[i], text + skip, bytes - skip) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- reading: each function returns where its part of the text ends, or NULL
   if it is none ---- */

static const char *read_digits(struct records_number *number, const char *at,
                               const char *end)
{
    for (; at < end && isdigit((unsigned char)*at); ++at) {
        if (number->digits == 0 && *at == '0') {
            continue; /* a leading zero */
        }
        if (number->digits < RECORDS_WIDE_DIGITS_MAX) {
            number->digit[number->digits] = *at;
        }
        number->digits += 1;
    }
    return at;
}

/* Returns the length of a mark of thousands; 0: there is none. */
static size_t mark_bytes(const char *at, const char *end, char thousands)
{
    static const char *const others[] = {"'", "\xe2\x80\x99", "\xc2\xa0",
                                         "\xe2\x80\x89", "\xe2\x80\xaf"};

    if (at == end || thousands == '\0') {
        return 0;
    }
    if (*at == thousands) {
        return 1;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        size_t bytes = strlen(others[i]);

        if (bytes <= (size_t)(end - at) && memcmp(at, others[i], bytes) == 0) {
            return bytes;
        }
    }
    return 0;
}

/* Reads digits with marks of thousands: up to three digits that do not begin
   with 0, then groups of two or three, the last of three. */
static const char *read_whole(struct records_number *number, const char *at,
                              const char *end, char thousands)
{
    const char *from = at;
    size_t group;
    size_t mark;

    at = read_digits(number, at, end);
    if (at == from || at > from + 3 || *from == '0') {
        return at;
    }
    for (group = 3; (mark = mark_bytes(at, end, thousands)) > 0;) {
        number->plain = false;
        from = at + mark;
        at = read_digits(number, from, end);
        group = (size_t)(at - from);
        if (group < 2 || group > 3) {
            return NULL;
        }
    }
    return group == 3 ? at : NULL;
}

static const char *read_exponent(struct records_number *number, const char *at,
                                 const char *end)
{
    bool negative = at < end && *at == '-';
    int64_t value = 0;
    const char *from;

    at += at < end && (*at == '-' || *at == '+');
    for (from = at; at < end && isdigit((unsigned char)*at); ++at) {
        value = value < EXPONENT_MAX ? value * 10 + (*at - '0') : value;
    }
    number->exponent += number->digits == 0 ? 0 : negative ? -value : value;
    return at > from ? at : NULL;
}

static const char *read_decimal(struct records_number *number, const char *at,
                                const char *end,
                                const struct records_style *style)
{
    const char *whole = at;
    const char *from;

    at = read_whole(number, at, end, style->thousands);
    if (at != NULL && at < end && *at == style->decimal) {
        number->plain = number->plain && *at == '.';
        from = at + 1;
        at = read_digits(number, from, end);
        number->exponent = from - at;
        whole += at == from; /* a point alone is no number */
    }
    if (at == NULL || at == whole) {
        return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        number->plain = false;
        at = read_exponent(number, at + 1, end);
    }
    return at;
}

/* Reads a hexadecimal integer behind its 0x. */
static const char *read_hexadecimal(struct records_number *number,
                                    const char *at, const char *end)
{
    char text[32] = "";
    size_t bytes = (size_t)(end - at);

    if (bytes > HEX_DIGITS_MAX) {
        return NULL;
    }
    memcpy(text, at, bytes);
    if (bytes == 0 || strspn(text, "0123456789abcdefABCDEF") != bytes) {
        return NULL;
    }
    snprintf(text, sizeof text, "%llu", strtoull(text, NULL, 16));
    (void)read_digits(number, text, text + strlen(text));
    number->plain = false;
    return end;
}

enum records_kind records_number_read(struct records_number *number,
                                      const char *text, size_t bytes,
                                      const struct records_style *style)
{
    const char *at = text;
    const char *end = text + bytes;
    const char *start;
    int64_t whole;

    while (at < end && isblank((unsigned char)*at)) {
        at += 1;
    }
    while (at < end && isblank((unsigned char)end[-1])) {
        end -= 1;
    }
    start = at;
    number->plain = (size_t)(end - at) == bytes;
    number->negative = at < end && *at == '-';
    number->digits = 0;
    number->exponent = 0;
    at += at < end && (*at == '-' || *at == '+');
    at = end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x'
             ? read_hexadecimal(number, at + 2, end)
             : read_decimal(number, at, end, style);
    if (at != end || start == end) {
        return is_missing(start, (size_t)(end - start)) ? RECORDS_MISSING
                                                        : RECORDS_OTHER;
    }
    whole = number->digits + number->exponent;
    number->whole = number->digits > 0 && whole > 0 ? (uint32_t)whole : 0;
    number->decimals = number->exponent < 0 ? (uint32_t)-number->exponent : 0;
    return RECORDS_NUMBER;
}

/* ---- computing ---- */

uint32_t records_number_words(uint32_t digits)
{
    /* 3.33 bits for a digit, one for the sign */
    return (digits * 10 / 3 + 1 + WORD_BITS) / WORD_BITS;
}

void records_number_store(uint8_t *to, const struct records_number *number,
                          uint32_t decimals, uint32_t words)
{
    char text[RECORDS_WIDE_DIGITS_MAX + 3] = "-0";
    size_t zeros = (size_t)(number->exponent + (int64_t)decimals);
    mpz_t value;

    if (number->digits > 0) {
        memcpy(text + 1, number->digit, number->digits);
        memset(text + 1 + number->digits, '0', zeros);
        text[1 + number->digits + zeros] = '\0';
    }
    mpz_init_set_str(value, text + !number->negative, 10);
    mpz_fdiv_r_2exp(value, value, (mp_bitcnt_t)words * WORD_BITS);
    memset(to, 0, (size_t)words * 4);
    mpz_export(to, NULL, -1, 4, -1, 0, value);
    mpz_clear(value);
}

void records_number_letters(char *to, const struct records_number *number,
                            uint32_t decimals, uint32_t words)
{
    uint8_t value[4 * RECORDS_WORDS_MAX];

    records_number_store(value, number, decimals, words);
    value[4 * words - 1] ^= 0x80;
    for (uint32_t i = 4 * words; i-- > 0;) {
        *to++ = (char)('a' + (value[i] >> 4));
        *to++ = (char)('a' + (value[i] & 15));
    }
}

/* Turns a sum into a mean with MEAN_DECIMALS more decimals. */
static void make_mean(mpz_t value, uint32_t count)
{
    bool negative = mpz_sgn(value) < 0;
    uint64_t rest;

    mpz_mul_ui(value, value, MEAN_SCALE);
    rest = mpz_tdiv_q_ui(value, value, count);
    if (rest * 2 > count || (rest * 2 == count && mpz_odd_p(value))) {
        mpz_add_ui(value, value, !negative);
        mpz_sub_ui(value, value, negative);
    }
}

char *records_number_text(const uint8_t *from, uint32_t words,
                          uint32_t decimals, uint32_t count)
{
    mpz_t value;
    mpz_t range;
    char *digits;
    char *text = NULL;
    int whole;

    mpz_init(value);
    mpz_init(range);
    mpz_import(value, words, -1, 4, -1, 0, from);
    if (from[4 * words - 1] >= 0x80) {
        mpz_setbit(range, (mp_bitcnt_t)words * WORD_BITS);
        mpz_sub(value, value, range);
    }
    if (count > 0) {
        make_mean(value, count);
        decimals += MEAN_DECIMALS;
    }
    gmp_asprintf(&digits, "%0*Zd", (int)decimals + 1 + (mpz_sgn(value) < 0),
                 value);
    whole = (int)(strlen(digits) - decimals);
    if (asprintf(&text, "%.*s%s%s", whole, digits, decimals > 0 ? "." : "",
                 digits + whole) < 0) {
        text = NULL;
    }
    free(digits);
    mpz_clears(value, range, NULL);
    return memory_or_exit(text);
}

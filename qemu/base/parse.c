/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/parse.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/quote.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

static bool append(uint64_t *value, unsigned digit)
{
    if (*value > (UINT64_MAX - digit) / 10) {
        return false;
    }
    *value = 10 * *value + digit;
    return true;
}

/* Parses the characters from `text` to `end` as a decimal number. Returns false
   if there are none, if one is no digit, or if the number exceeds 64 bits. */
static bool parse_digits(const char *text, const char *end, uint64_t *value)
{
    uint64_t sum;

    if (text == end || text + strspn(text, DIGITS) != end) {
        return false;
    }
    errno = 0;
    sum = strtoull(text, NULL, 10);
    if (errno != 0) {
        return false;
    }
    *value = sum;
    return true;
}

static bool parse_pair(const char *text, char separator, uint64_t most,
                       uint64_t pair[2])
{
    const char *at = strchr(text, separator);

    return at != NULL && parse_digits(text, at, &pair[0]) &&
           parse_digits(at + 1, text + strlen(text), &pair[1]) &&
           pair[0] <= most && pair[1] <= most;
}

/* Returns the power of ten that a suffix stands for, in ps: 3 for "ns". Returns
   -1 for an unknown suffix. */
static int suffix_places(const char *suffix)
{
    static const char names[][3] = {"ps", "ns", "us", "ms", "s"};

    for (int i = 0; i < 5; ++i) {
        if (strcmp(suffix, names[i]) == 0) {
            return 3 * i;
        }
    }
    return -1;
}

/* Returns whether text[0 .. length) is a decimal number: digits, or digits, a
   point and digits. */
static bool decimal_valid(const char *text, size_t length)
{
    size_t whole = strspn(text, DIGITS);
    size_t after;

    if (whole == 0 || whole == length) {
        return whole != 0;
    }
    after = text[whole] == '.' ? strspn(text + whole + 1, DIGITS) : 0;
    return after != 0 && whole + 1 + after == length;
}

/* Multiplies the decimal number text[0 .. length) by 10^places. Returns NULL,
   or an error text: a time is too long, or finer than a picosecond. */
static const char *scale_decimal(const char *text, size_t length, int places,
                                 uint64_t *value)
{
    static const char too_long[] = "must be a time below 2^64 ps (213 days)";
    bool point = false;
    uint64_t sum = 0;

    for (size_t i = 0; i < length; ++i) {
        if (text[i] == '.') {
            point = true;
        } else if (point && places == 0) {
            if (text[i] != '0') {
                return "must be a whole number of picoseconds";
            }
        } else {
            if (!append(&sum, (unsigned)(text[i] - '0'))) {
                return too_long;
            }
            places -= point;
        }
    }
    for (; places > 0; --places) {
        if (!append(&sum, 0)) {
            return too_long;
        }
    }
    *value = sum;
    return NULL;
}

const char *parse_time_ps(const char *text, uint64_t *time_ps)
{
    size_t length = strspn(text, DIGITS ".");
    int places = suffix_places(text + length);

    if (strcmp(text, "0") == 0) {
        places = 0;
    }
    if (places < 0 || !decimal_valid(text, length)) {
        return "must be a time such as 4.85us, with s, ms, us, ns or ps";
    }
    return scale_decimal(text, length, places, time_ps);
}

/* Returns the factor of a size's suffix without its final B: 1024 for "Ki".
   Returns 0 for an unknown suffix. */
static uint64_t suffix_factor(const char *suffix, size_t length)
{
    static const struct {
        char name[3];
        uint64_t factor;
    } suffixes[] = {
        {"", 1},
        {"k", 1000},
        {"K", 1000},
        {"M", 1000000},
        {"G", 1000000000},
        {"Ki", (uint64_t)1 << 10},
        {"Mi", (uint64_t)1 << 20},
        {"Gi", (uint64_t)1 << 30},
    };

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i) {
        if (strlen(suffixes[i].name) == length &&
            memcmp(suffixes[i].name, suffix, length) == 0) {
            return suffixes[i].factor;
        }
    }
    return 0;
}

const char *parse_size(const char *text, uint64_t *size)
{
    const char *suffix = text + strspn(text, DIGITS);
    size_t length = strlen(suffix);
    uint64_t value;
    uint64_t factor;

    if (length > 0 && suffix[length - 1] == 'B') {
        length -= 1;
    }
    factor = suffix_factor(suffix, length);
    if (factor == 0 || !parse_digits(text, suffix, &value) ||
        value > UINT64_MAX / factor) {
        return "must be a whole number below 2^64, such as 1000, 10M or "
               "64KiB (k, M, G: powers of 1000; Ki, Mi, Gi: of 1024)";
    }
    *size = value * factor;
    return NULL;
}

const char *parse_count(const char *text, uint64_t *count)
{
    if (!parse_digits(text, text + strlen(text), count)) {
        return "must be a whole number below 2^64";
    }
    return NULL;
}

const char *parse_ratio(const char *text, uint32_t *numerator,
                        uint32_t *denominator)
{
    uint64_t pair[2];

    if (!parse_pair(text, '/', UINT32_MAX, pair) || pair[1] == 0) {
        return "must be P/Q, two whole numbers below 2^32, Q not 0";
    }
    *numerator = (uint32_t)pair[0];
    *denominator = (uint32_t)pair[1];
    return NULL;
}

const char *parse_mesh(const char *text, struct torus_size *size)
{
    uint64_t pair[2];

    if (!parse_pair(text, 'x', TORUS_SIDE_MAX, pair) || pair[0] == 0 ||
        pair[1] == 0) {
        return "must be WxH, such as 5x5, each 1 to 125";
    }
    size->width = (uint16_t)pair[0];
    size->height = (uint16_t)pair[1];
    return NULL;
}

const char *parse_image(const char *text, uint32_t *width, uint32_t *height)
{
    uint64_t pair[2];

    if (!parse_pair(text, 'x', PARSE_IMAGE_SIDE_MAX, pair) || pair[0] == 0 ||
        pair[1] == 0) {
        return "must be WxH, sides of 1 to 32767";
    }
    *width = (uint32_t)pair[0];
    *height = (uint32_t)pair[1];
    return NULL;
}

const char *parse_coord(const char *text, struct torus_coord *coord)
{
    uint64_t pair[2];

    if (!parse_pair(text, ',', TORUS_SIDE_MAX - 1, pair)) {
        return "must be X,Y, such as 0,0, each 0 to 3124";
    }
    coord->x = (uint16_t)pair[0];
    coord->y = (uint16_t)pair[1];
    return NULL;
}

const char *parse_port(const char *text, size_t length, struct torus_coord *at,
                       uint8_t *port)
{
    char where[32];

    for (uint8_t i = 0; i < TORUS_PORTS; ++i) {
        size_t tail = strlen(torus_port_names[i]) + 1;

        if (length > tail && length - tail < sizeof where &&
            text[length - tail] == ',' &&
            strncmp(text + length - tail + 1, torus_port_names[i], tail - 1) ==
                0) {
            memcpy(where, text, length - tail);
            where[length - tail] = '\0';
            *port = i;
            return parse_coord(where, at);
        }
    }
    return "must be X,Y,PORT with PORT east, north, west or south";
}

const char *parse_point(const char *text, uint64_t *x, uint64_t *y)
{
    uint64_t pair[2];

    if (!parse_pair(text, ',', UINT64_MAX, pair)) {
        return "must be X,Y, such as 0,0, two whole numbers below 2^64";
    }
    *x = pair[0];
    *y = pair[1];
    return NULL;
}

const char *parse_side(const char *text, struct torus_size *size)
{
    uint64_t wanted;

    if (parse_digits(text, text + strlen(text), &wanted)) {
        for (uint16_t side = 1; side <= TORUS_SIDE_MAX;
             side = (uint16_t)(5 * side)) {
            if (side == wanted) {
                *size = (struct torus_size){side, side};
                return NULL;
            }
        }
    }
    return "must be 1, 5, 25, 125, 625 or 3125";
}

int usage_error(const char *format, ...)
{
    va_list values;

    fputs("quincunx: ", stderr);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

int parse_report(const char *option, const char *text, const char *allowed)
{
    return allowed == NULL
               ? 0
               : usage_error("%s '%s': %s", option, quote_shown(text), allowed);
}

int parse_report_outside(const char *option, struct torus_coord coord,
                         struct torus_size size)
{
    return coord.x < size.width && coord.y < size.height
               ? 0
               : usage_error("%s '%u,%u': must be 0,0 to %d,%d", option,
                             (unsigned)coord.x, (unsigned)coord.y,
                             size.width - 1, size.height - 1);
}

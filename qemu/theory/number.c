/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define EXPONENT_MAX 30

/* A fraction p/q is printed only if p q and both p and q are at most this
   large, and if it equals the value within FRACTION_NEAR. */
#define PRODUCT_MAX 1e26L
#define TERM_MAX 1e18L
#define FRACTION_NEAR 1e-32L

static const char *read_digits(quad *value, const char *text)
{
    for (; *text >= '0' && *text <= '9'; ++text) {
        *value = *value * 10 + (*text - '0');
    }
    return text;
}

static quad power_of_10(long exponent)
{
    quad power = 1;

    while (exponent-- > 0) {
        power *= 10;
    }
    return power;
}

static bool read_exponent(long *exponent, const char *text)
{
    const char *digits = text + 1 + (text[1] == '-' || text[1] == '+');

    *exponent = strtol(text + 1, NULL, 10);
    return (*text == 'e' || *text == 'E') && *digits != '\0' &&
           digits[strspn(digits, DIGITS)] == '\0' &&
           labs(*exponent) <= EXPONENT_MAX;
}

static bool read_decimal(quad *value, const char *text)
{
    const char *rest = read_digits(value, text);
    bool any = rest > text;
    long exponent = 0;
    long part = 0;

    if (*rest == '.') {
        const char *point = rest;

        rest = read_digits(value, point + 1);
        part = rest - point - 1;
        any = part > 0;
    }
    if (!any || (*rest != '\0' && !read_exponent(&exponent, rest))) {
        return false;
    }
    exponent -= part;
    *value = exponent < 0 ? *value / power_of_10(-exponent)
                          : *value * power_of_10(exponent);
    return true;
}

static bool read_fraction(quad *value, const char *text)
{
    const char *slash = read_digits(value, text);
    quad under = 0;

    if (slash == text || *slash != '/' ||
        *read_digits(&under, slash + 1) != '\0' || under == 0) {
        return false;
    }
    *value /= under;
    return true;
}

const char *theory_number_parse(quad *value, const char *text)
{
    bool negative = text[0] == '-';
    quad decimal = 0;
    quad fraction = 0;

    if (strlen(text) > THEORY_NUMBER_CHARS) {
        *value = 0;
    } else if (read_decimal(&decimal, text + negative)) {
        *value = negative ? -decimal : decimal;
        return NULL;
    } else if (read_fraction(&fraction, text + negative)) {
        *value = negative ? -fraction : fraction;
        return NULL;
    }
    return "must be a number such as 3, 0.25, 1e-6 or 7/4, of at most 60 "
           "characters";
}

const char *theory_number_positive(quad *value, const char *text)
{
    const char *allowed = theory_number_parse(value, text);

    return allowed == NULL && *value <= 0 ? "must be more than 0" : allowed;
}

const char *theory_number_natural(quad *value, const char *text)
{
    const char *allowed = theory_number_parse(value, text);

    return allowed == NULL && *value < 0 ? "must be 0 or more" : allowed;
}

static quad size_of(quad value)
{
    return value < 0 ? -value : value;
}

quad theory_number_minus(quad one, quad other)
{
    quad rest = one - other;

    return size_of(rest) <= size_of(one) * THEORY_NEAR ? 0 : rest;
}

int theory_number_compare(quad one, quad other)
{
    quad rest = theory_number_minus(one, other);

    return (rest > 0) - (rest < 0);
}

/* Tries the convergents p/q of the value's continued fraction: fractions that
   come ever closer. */
bool theory_number_fraction(char text[THEORY_FRACTION_CHARS], quad value)
{
    quad p = 1;
    quad q = 0;
    quad p_before = 0;
    quad q_before = 1;
    quad rest = value;

    for (;;) {
        quad whole = rest < TERM_MAX ? (quad)(uint64_t)rest : TERM_MAX;
        quad p_next = whole * p + p_before;
        quad q_next = whole * q + q_before;

        if (p_next >= TERM_MAX || q_next >= TERM_MAX ||
            p_next * q_next > PRODUCT_MAX) {
            return false;
        }
        p_before = p;
        q_before = q;
        p = p_next;
        q = q_next;
        if (size_of(p - value * q) <= p * FRACTION_NEAR) {
            break;
        }
        rest = 1 / (rest - whole);
    }
    snprintf(text, THEORY_FRACTION_CHARS, "%" PRIu64 "/%" PRIu64, (uint64_t)p,
             (uint64_t)q);
    if (q == 1) {
        *strchr(text, '/') = '\0';
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/wide.h"

uint64_t wide_multiply_high(uint64_t a, uint64_t b)
{
    return wide_product(a, b).high;
}

struct wide_ratio wide_ratio_of(uint64_t numerator, uint64_t denominator,
                                bool *fits)
{
    uint64_t whole = numerator / denominator;
    uint64_t left = numerator % denominator;
    struct wide_ratio ratio = {(uint32_t)(whole & UINT32_MAX), 0};

    *fits = whole <= UINT32_MAX;
    /* Digits of 16 bits: a remainder below 2^44, shifted, fits 2^60. */
    for (unsigned i = 0; i < 4; ++i) {
        uint64_t shifted = left << 16;

        ratio.fraction = (ratio.fraction & UINT64_MAX >> 16) << 16 |
                         (shifted / denominator & UINT16_MAX);
        left = shifted % denominator;
    }
    return ratio;
}

struct wide wide_scale(struct wide a, struct wide_ratio ratio)
{
    bool negative = wide_is_negative(a);
    struct wide from = negative ? wide_negate(a) : a;
    struct wide low = {0, wide_product(from.low, ratio.fraction).high};
    struct wide product =
        wide_add(wide_product(from.high, ratio.fraction), low);

    if (ratio.whole != 0) {
        struct wide whole = wide_product(from.low, ratio.whole);

        whole.high += from.high * ratio.whole;
        product = wide_add(product, whole);
    }
    return negative ? wide_negate(product) : product;
}

struct wide wide_multiply(struct wide a, struct wide b)
{
    bool negative = wide_is_negative(a) != wide_is_negative(b);
    struct wide product;

    if (a.high == 1 && a.low == 0) {
        return b;
    }
    if (b.high == 1 && b.low == 0) {
        return a;
    }
    a = wide_is_negative(a) ? wide_negate(a) : a;
    b = wide_is_negative(b) ? wide_negate(b) : b;
    product = (struct wide){a.high * b.high, wide_product(a.low, b.low).high};
    product = wide_add(product, wide_product(a.high, b.low));
    product = wide_add(product, wide_product(a.low, b.high));
    return negative ? wide_negate(product) : product;
}

/* The 64 highest bits of a > 0 from its first 1 on: a = word * 2^-shift. */
static uint64_t normalize(struct wide a, unsigned *shift)
{
    unsigned zeros;

    *shift = 0;
    if (a.high == 0) {
        *shift = 64;
        a = (struct wide){a.low, 0};
    }
    /* The last bit only lets an analysis see that there is one. */
    zeros = (unsigned)__builtin_clzll(a.high | 1);
    *shift += zeros;
    return zeros == 0 ? a.high : wide_shift_left(a, zeros).high;
}

struct wide wide_divide_roughly(struct wide numerator, struct wide denominator)
{
    uint64_t quotient;
    unsigned up;
    unsigned down;
    unsigned point;

    if (wide_is_zero(numerator)) {
        return numerator;
    }
    /* 63 bits by 32, rounded up: 2^30 to 2^32, at most 2^-30 of it low. */
    quotient = (normalize(numerator, &up) >> 1) /
               ((normalize(denominator, &down) >> 32) + 1);
    /* n / d = quotient * 2^(down - up - 31) = quotient * 2^-(point - 64). */
    point = 64 + 31 + up - down;
    if (point <= 64) {
        return wide_of(point < 34 ? (uint64_t)1 << 62
                                  : (quotient & UINT32_MAX) << (64 - point));
    }
    if (point < 128) {
        return wide_shift_right(wide_of(quotient), point - 64);
    }
    return (struct wide){0, point < 192 ? quotient >> (point - 128) : 0};
}

struct wide wide_divide(struct wide numerator, struct wide denominator)
{
    struct wide quotient = {0, 0};

    /* Every turn finds 29 bits more and leaves a remainder >= 0, until it finds
       none. */
    for (unsigned turn = 0; turn < 5; ++turn) {
        struct wide part = wide_divide_roughly(numerator, denominator);

        if (wide_is_zero(part)) {
            break;
        }
        quotient = wide_add(quotient, part);
        numerator = wide_subtract(numerator, wide_multiply(part, denominator));
    }
    /* The last bits are cut off: an exact quotient is met, not missed. */
    return wide_add(quotient, (struct wide){0, 2});
}

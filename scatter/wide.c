/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/wide.h"

uint64_t wide_multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a;
    uint64_t a_high = a >> 32;
    uint64_t b_low = (uint32_t)b;
    uint64_t b_high = b >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
    uint64_t low = (uint32_t)middle + a_low * b_high;

    /* None of the sums overflows: (2^32-1)^2 + 2 (2^32-1) = 2^64 - 1. */
    return a_high * b_high + (middle >> 32) + (low >> 32);
}

struct wide_ratio wide_ratio_of(uint64_t numerator, uint64_t denominator,
                                bool *fits)
{
    uint64_t whole = numerator / denominator;
    uint64_t left = numerator - whole * denominator;
    struct wide_ratio ratio = {(uint32_t)whole, 0};

    *fits = whole <= UINT32_MAX;
    /* Digits of 16 bits: a remainder below 2^44, shifted, fits 2^60. */
    for (unsigned i = 0; i < 4; ++i) {
        uint64_t shifted = left << 16;
        uint64_t digit = shifted / denominator;

        ratio.fraction = ratio.fraction << 16 | digit;
        left = shifted - digit * denominator;
    }
    return ratio;
}

struct wide wide_scale(struct wide a, struct wide_ratio ratio)
{
    bool negative = wide_is_negative(a);
    struct wide from = negative ? wide_negate(a) : a;
    struct wide product = {
        wide_multiply_high(from.high, ratio.fraction),
        from.high * ratio.fraction,
    };

    product = wide_add(
        product,
        (struct wide){0, wide_multiply_high(from.low, ratio.fraction)});
    if (ratio.whole != 0) {
        struct wide whole = {
            from.high * ratio.whole + wide_multiply_high(from.low, ratio.whole),
            from.low * ratio.whole,
        };

        product = wide_add(product, whole);
    }
    return negative ? wide_negate(product) : product;
}

struct wide wide_multiply(struct wide a, struct wide b)
{
    struct wide product;

    if (wide_is_negative(a)) {
        return wide_negate(wide_multiply(wide_negate(a), b));
    }
    if (wide_is_negative(b)) {
        return wide_negate(wide_multiply(a, wide_negate(b)));
    }
    product = (struct wide){a.high * b.high, 0};
    product = wide_add(product, (struct wide){wide_multiply_high(a.high, b.low),
                                              a.high * b.low});
    product = wide_add(product, (struct wide){wide_multiply_high(a.low, b.high),
                                              a.low * b.high});
    return wide_add(product,
                    (struct wide){0, wide_multiply_high(a.low, b.low)});
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
    zeros = (unsigned)__builtin_clzll(a.high);
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
                                  : quotient << (64 - point));
    }
    if (point < 128) {
        return wide_shift_right(wide_of(quotient), point - 64);
    }
    return (struct wide){0, point < 192 ? quotient >> (point - 128) : 0};
}

struct wide wide_divide(struct wide numerator, struct wide denominator)
{
    struct wide quotient = {0, 0};

    /* Every turn finds 29 bits more and leaves a remainder >= 0. */
    for (unsigned turn = 0; turn < 5; ++turn) {
        struct wide part = wide_divide_roughly(numerator, denominator);

        quotient = wide_add(quotient, part);
        numerator = wide_subtract(numerator, wide_multiply(part, denominator));
    }
    /* The last bits are cut off: an exact quotient is met, not missed. */
    return wide_add(quotient, (struct wide){0, 2});
}

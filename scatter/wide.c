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

struct wide wide_divide(struct wide numerator, struct wide denominator,
                        unsigned digits)
{
    struct wide quotient = {0, 0};
    unsigned left = 64; /* bits still to come */

    while (!wide_less(numerator, denominator)) {
        denominator = wide_shift_left(denominator, 1);
        left += 1;
    }
    while (left > 0 && digits > 0) {
        left -= 1;
        numerator = wide_shift_left(numerator, 1);
        quotient = wide_shift_left(quotient, 1);
        if (!wide_less(numerator, denominator)) {
            numerator = wide_subtract(numerator, denominator);
            quotient.low |= 1;
        }
        digits -= !wide_is_zero(quotient);
    }
    while (left > 0) {
        left -= 1;
        quotient = wide_shift_left(quotient, 1);
    }
    return quotient;
}

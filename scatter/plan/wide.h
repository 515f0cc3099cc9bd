/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signed fixed point in 128 bits, Q63.64: what planning along a tree needs,
 * where a node's time left is a small part of a unit times numbers up to 2^50.
 * Made of two 64-bit words: no 128-bit type, no floating point.
 * All functions are pure; a sum or product must stay within +-2^63.
 */
#ifndef SCATTER_PLAN_WIDE_H
#define SCATTER_PLAN_WIDE_H

#include <stdbool.h>
#include <stdint.h>

/* high + low / 2^64, high in two's complement. */
struct wide {
    uint64_t high;
    uint64_t low;
};

/* A factor >= 0. */
struct wide_ratio {
    uint32_t whole;
    uint64_t fraction; /* in 2^-64 */
};

static inline struct wide wide_of(uint64_t units)
{
    return (struct wide){units, 0};
}

static inline bool wide_is_negative(struct wide a)
{
    return a.high >> 63 != 0;
}

static inline bool wide_is_zero(struct wide a)
{
    return (a.high | a.low) == 0;
}

/* Unsigned words wrap on purpose: that is two's complement. */
static inline struct wide wide_add(struct wide a, struct wide b)
{
    uint64_t low = a.low + b.low;

    return (struct wide){a.high + b.high + (low < a.low), low};
}

static inline struct wide wide_subtract(struct wide a, struct wide b)
{
    return (struct wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

static inline struct wide wide_negate(struct wide a)
{
    return wide_subtract(wide_of(0), a);
}

static inline bool wide_less(struct wide a, struct wide b)
{
    return wide_is_negative(wide_subtract(a, b));
}

static inline struct wide wide_shift_left(struct wide a, unsigned bits)
{
    return (struct wide){a.high << bits | a.low >> (64 - bits), a.low << bits};
}

static inline struct wide wide_shift_right(struct wide a, unsigned bits)
{
    return (struct wide){a.high >> bits, a.low >> bits | a.high << (64 - bits)};
}

/* Whether |a| < 2^bits; bits < 63. */
static inline bool wide_within(struct wide a, unsigned bits)
{
    uint64_t high = wide_is_negative(a) ? ~a.high : a.high;

    return high >> bits == 0;
}

/* All 128 bits of a 64 x 64-bit product, in 2^-64. No sum overflows: (2^32-1)^2
   + 2 (2^32-1) = 2^64 - 1. */
static inline struct wide wide_product(uint64_t a, uint64_t b)
{
    uint32_t a_low = (uint32_t)(a & UINT32_MAX);
    uint32_t a_high = (uint32_t)(a >> 32);
    uint32_t b_low = (uint32_t)(b & UINT32_MAX);
    uint32_t b_high = (uint32_t)(b >> 32);
    uint64_t lowest = (uint64_t)a_low * b_low;
    uint64_t middle = (uint64_t)a_high * b_low + (lowest >> 32);
    uint64_t low = (middle & UINT32_MAX) + (uint64_t)a_low * b_high;

    return (struct wide){(uint64_t)a_high * b_high + (middle >> 32) +
                             (low >> 32),
                         (low & UINT32_MAX) << 32 | (lowest & UINT32_MAX)};
}

/* High 64 bits of a 64 x 64-bit product, from four 32 x 32-bit ones. */
uint64_t wide_multiply_high(uint64_t a, uint64_t b);

/*
 * floor(numerator / denominator) and 64 bits of what is left, cut off:
 * 1 <= denominator <= 2^44. The whole part fits 32 bits or `*fits` is false.
 */
struct wide_ratio wide_ratio_of(uint64_t numerator, uint64_t denominator,
                                bool *fits);

/* a * ratio, cut off towards zero: at most 2^-63 below in magnitude.
   |a| * ratio < 2^63. */
struct wide wide_scale(struct wide a, struct wide_ratio ratio);

/* a * b for |a * b| < 2^63, cut off towards zero by less than 2^-62. */
struct wide wide_multiply(struct wide a, struct wide b);

/*
 * numerator / denominator, 0 <= n and 0 < d, both below 2^61: at most 2^-29 of
 * itself low, or 2^-64; from 2^61 on a quotient may count as 2^62.
 */
struct wide wide_divide_roughly(struct wide numerator, struct wide denominator);

/* The same for 1 <= d, from 2^-60 below to 2^-61 above. */
struct wide wide_divide(struct wide numerator, struct wide denominator);

#endif

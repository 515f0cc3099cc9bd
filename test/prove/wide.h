/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scatter/plan/wide.h as its promises: for proofs of what uses it. The high
 * word is a signed one, so that a sum or product beyond +-2^63 is an overflow;
 * the low word is anything, and a result is up to one away where it may be.
 */
#ifndef TEST_PROVE_WIDE_H
#define TEST_PROVE_WIDE_H

#define SCATTER_PLAN_WIDE_H /* in its place */

#include "test/prove/any.h"

#include <stdbool.h>

struct wide {
    int64_t high;
    uint64_t low;
};

struct wide_ratio {
    uint32_t whole;
    uint64_t fraction;
};

/* Macros: so Eva knows what holds of a variable after them. */
#define wide_is_negative(a) ((a).high < 0)
#define wide_is_zero(a) ((a).high == 0 && (a).low == 0)
#define wide_within(a, bits)                                                   \
    ((a).high < (int64_t)1 << (bits) && (a).high >= -((int64_t)1 << (bits)))

static inline struct wide any_wide(int64_t high)
{
    return (struct wide){high, any_u64(0, UINT64_MAX)};
}

static inline struct wide wide_of(uint64_t units)
{
    return (struct wide){(int64_t)units, 0};
}

static inline struct wide wide_add(struct wide a, struct wide b)
{
    return any_wide(a.high + b.high + any_u8(0, 1));
}

static inline struct wide wide_subtract(struct wide a, struct wide b)
{
    return any_wide(a.high - b.high - any_u8(0, 1));
}

static inline struct wide wide_negate(struct wide a)
{
    return wide_subtract(wide_of(0), a);
}

/* Subtracts. */
static inline bool wide_less(struct wide a, struct wide b)
{
    wide_subtract(a, b);
    return any_u8(0, 1) != 0;
}

static inline struct wide wide_shift_left(struct wide a, unsigned bits)
{
    int64_t factor = (int64_t)1 << bits;

    return any_wide(a.high * factor +
                    (int64_t)any_u64(0, (uint64_t)factor - 1));
}

static inline struct wide wide_shift_right(struct wide a, unsigned bits)
{
    /*@ assert 0 <= a.high && 0 < bits < 64; */
    return any_wide(a.high >> bits);
}

/* Of words. */
static inline struct wide wide_product(uint64_t a, uint64_t b)
{
    (void)a;
    (void)b;
    return any_wide((int64_t)any_u64(0, INT64_MAX));
}

static inline uint64_t wide_multiply_high(uint64_t a, uint64_t b)
{
    return any_u64(0, a < b ? a : b);
}

static inline struct wide_ratio wide_ratio_of(uint64_t numerator,
                                              uint64_t denominator, bool *fits)
{
    struct wide_ratio ratio = {0, any_u64(0, UINT64_MAX)};
    uint64_t whole;

    /*@ assert 1 <= denominator <= 0x100000000000; */
    whole = numerator / denominator;
    *fits = whole <= UINT32_MAX;
    if (whole <= UINT32_MAX) {
        ratio.whole = (uint32_t)whole;
    } else {
        ratio.whole = any_u32(0, UINT32_MAX);
    }
    return ratio;
}

static inline struct wide wide_multiply(struct wide a, struct wide b)
{
    int64_t product = (a.high + any_u8(0, 1)) * (b.high + any_u8(0, 1));

    /* What is cut off of a positive one was beyond the high words. */
    if (a.high < 0 || b.high < 0) {
        product -= any_u8(0, 1);
    }
    return any_wide(product);
}

static inline struct wide wide_scale(struct wide a, struct wide_ratio ratio)
{
    return wide_multiply(a, (struct wide){ratio.whole, ratio.fraction});
}

static inline struct wide wide_divide(struct wide numerator,
                                      struct wide denominator)
{
    /*@ assert 0 <= numerator.high < 0x2000000000000000; */
    /*@ assert 1 <= denominator.high < 0x2000000000000000; */
    return any_wide(numerator.high / (denominator.high + any_u8(0, 1)) +
                    any_u8(0, 1));
}

static inline struct wide wide_divide_roughly(struct wide numerator,
                                              struct wide denominator)
{
    /*@ assert 0 <= numerator.high < 0x2000000000000000; */
    /*@ assert 0 <= denominator.high < 0x2000000000000000; */
    if (denominator.high == 0) {
        return any_wide((int64_t)any_u64(0, (uint64_t)1 << 62));
    }
    return any_wide(
        (int64_t)any_u64(0, (uint64_t)(numerator.high / denominator.high)));
}

#endif

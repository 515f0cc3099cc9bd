/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: scatter/plan/wide.c on any words, with the denominators
 * that its functions ask for. Words wrap on purpose there, which is two's
 * complement: test/prove/allowed.txt names every place. What is proven is the
 * rest: no division by zero, no shift by a word or more, no use of what was
 * not set.
 */
#include "scatter/plan/wide.h"
#include "test/prove/any.h"

static struct wide any_wide(uint64_t high_least, uint64_t high_most)
{
    return (struct wide){any_u64(high_least, high_most),
                         any_u64(0, UINT64_MAX)};
}

static void divide_any(struct wide numerator, struct wide denominator)
{
    wide_divide_roughly(numerator, denominator);
    wide_divide(numerator, denominator);
}

void prove_wide(void)
{
    struct wide a = any_wide(0, UINT64_MAX);
    struct wide_ratio ratio = {any_u32(0, UINT32_MAX), any_u64(0, UINT64_MAX)};
    bool fits;

    wide_multiply_high(any_u64(0, UINT64_MAX), any_u64(0, UINT64_MAX));
    wide_ratio_of(any_u64(0, UINT64_MAX), any_u64(1, (uint64_t)1 << 44), &fits);
    wide_scale(a, ratio);
    wide_multiply(a, any_wide(0, UINT64_MAX));
    divide_any(any_wide(0, (uint64_t)1 << 61), any_wide(1, (uint64_t)1 << 61));
    divide_any((struct wide){0, any_u64(0, UINT64_MAX)},
               (struct wide){0, any_u64(1, UINT64_MAX)});
}

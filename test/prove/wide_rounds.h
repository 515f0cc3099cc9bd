/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test/prove/wide.h for scatter/plan/rounds.c, where a product of two is always
 * a slope times x. No interval tells that it is small, since x is what fits the
 * load divided by the slope of V: the alarm says so, and test/prove/allowed.txt
 * why it is. After it a product is one below 2^36.
 */
#ifndef TEST_PROVE_WIDE_ROUNDS_H
#define TEST_PROVE_WIDE_ROUNDS_H

#define wide_multiply wide_multiply_any
#include "test/prove/wide.h"
#undef wide_multiply

static inline struct wide wide_multiply(struct wide slope, struct wide x)
{
    int64_t unit = (int64_t)1 << 27;
    int64_t most = (x.high + any_u8(0, 1)) * unit;
    int64_t product = (slope.high + any_u8(0, 1)) * most;

    return any_wide(product / unit - (slope.high < 0));
}

#endif

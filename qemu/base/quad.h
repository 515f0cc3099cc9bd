/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point numbers with a significand of 113 bits, 34 decimal digits. C's
   operators work on them through the compiler's library; printf() and math.h do
   not support them. Plans of up to 20 phases lose about 10 bits by rounding. */
#ifndef QEMU_BASE_QUAD_H
#define QEMU_BASE_QUAD_H

#include <float.h>
#include <stdint.h>

#if LDBL_MANT_DIG == 113 /* arm64 */
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

#define QUAD_NEAR 0x1p-100L /* relative error by rounding that is ignored */

static inline quad quad_max(quad a, quad b)
{
    return a > b ? a : b;
}

/* Returns the largest integer up to value + near, at most UINT64_MAX; 0 for
   lower values. `near` is the rounding error of `value`. */
static inline uint64_t quad_floor(quad value, quad near)
{
    value += near;
    if (value < 1) {
        return 0;
    }
    return value < (quad)UINT64_MAX ? (uint64_t)value : UINT64_MAX;
}

/* Returns the nearest integer; halves are rounded up. */
static inline uint64_t quad_round(quad value)
{
    return quad_floor(value + 0.5L, value * QUAD_NEAR);
}

#endif

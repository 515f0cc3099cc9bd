/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of 113 bits: 34 decimal digits. C's own operators work on them, and
 * the compiler brings the software; printf() and the functions of math.h do not
 * know them. Plans of up to 20 phases lose some 10 bits to rounding.
 */
#ifndef QEMU_BASE_QUAD_H
#define QEMU_BASE_QUAD_H

#include <float.h>
#include <stdint.h>

#if LDBL_MANT_DIG == 113 /* arm64 */
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

#define QUAD_NEAR 0x1p-100L /* a part that only rounding makes */

static inline quad quad_max(quad a, quad b)
{
    return a > b ? a : b;
}

/* The largest integer up to `value`, which may be too small by `near`: 0 to
   UINT64_MAX. */
static inline uint64_t quad_floor(quad value, quad near)
{
    value += near;
    if (value < 1) {
        return 0;
    }
    return value < (quad)UINT64_MAX ? (uint64_t)value : UINT64_MAX;
}

/* The nearest integer, and of two the larger one. */
static inline uint64_t quad_round(quad value)
{
    return quad_floor(value + 0.5L, value * QUAD_NEAR);
}

#endif

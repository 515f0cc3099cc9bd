/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixed-point arithmetic of the planners, for 32-bit processors: no function
 * divides 64-bit numbers. All functions are pure.
 */
#ifndef SCATTER_PLAN_FIXED_H
#define SCATTER_PLAN_FIXED_H

#include <stdbool.h>
#include <stdint.h>

/* 1/5 in units of 2^-64. */
#define FIXED_FIFTH (UINT64_MAX / 5)

static inline uint32_t fixed_smaller(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

static inline uint64_t fixed_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint32_t fixed_larger_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint64_t fixed_difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Returns a * b / 2^64, rounded down. In line for speed in every build. */
__attribute__((always_inline)) static inline uint64_t
fixed_multiply_high_inline(uint64_t a, uint64_t b)
{
    uint32_t a_low = (uint32_t)(a & UINT32_MAX);
    uint32_t a_high = (uint32_t)(a >> 32);
    uint32_t b_low = (uint32_t)(b & UINT32_MAX);
    uint32_t b_high = (uint32_t)(b >> 32);
    uint64_t middle =
        (uint64_t)a_high * b_low + ((uint64_t)a_low * b_low >> 32);
    uint64_t low = (middle & UINT32_MAX) + (uint64_t)a_low * b_high;

    return (uint64_t)a_high * b_high + (middle >> 32) + (low >> 32);
}

static inline uint64_t fixed_multiply_high(uint64_t a, uint64_t b)
{
    return fixed_multiply_high_inline(a, b);
}

/* Returns a * b, or 2^64 - 1 if the product exceeds 64 bits. */
static inline uint64_t fixed_product(uint64_t a, uint32_t b)
{
    uint64_t low = (a & UINT32_MAX) * b;
    uint64_t high = (a >> 32) * b + (low >> 32);

    return high > UINT32_MAX ? UINT64_MAX : high << 32 | (low & UINT32_MAX);
}

/* Returns a * fraction / 2^32, rounded down. */
static inline uint64_t fixed_part(uint64_t a, uint32_t fraction)
{
    return (a >> 32) * fraction + ((a & UINT32_MAX) * fraction >> 32);
}

static inline uint32_t fixed_part_u32(uint32_t a, uint32_t fraction)
{
    return (uint32_t)((uint64_t)a * fraction >> 32);
}

/* A shift to the left by `zeros` bits, as a multiplication. */
struct fixed_shift {
    uint32_t factor; /* 2^(zeros % 32) */
    unsigned zeros;  /* 0 .. 63 */
    bool far;        /* zeros >= 32 */
};

/* Returns the shift that brings the highest 1 bit of value > 0 to bit 63. */
static inline struct fixed_shift fixed_shift_of(uint64_t value)
{
    uint32_t high = (uint32_t)(value >> 32);
    bool far = high == 0;
    uint32_t word = far ? (uint32_t)(value & UINT32_MAX) : high;
    /* | 1 tells Frama-C that the operand is not 0. */
    unsigned zeros = (unsigned)__builtin_clz(word | 1) & 31;

    return (struct fixed_shift){(uint32_t)1 << zeros, far ? zeros + 32 : zeros,
                                far};
}

/* Returns value * 2^shift.zeros, which must fit 64 bits. Masks tell Frama-C the
   ranges of numbers. */
static inline uint64_t fixed_shifted(uint64_t value, struct fixed_shift shift)
{
    uint32_t high = (uint32_t)(value >> 32);
    uint32_t low = (uint32_t)(value & UINT32_MAX);
    uint64_t lower;
    uint64_t higher;

    if (shift.far) {
        high = low;
        low = 0;
    }
    lower = (uint64_t)low * shift.factor;
    higher = (uint64_t)high * shift.factor + (lower >> 32);
    return (higher & UINT32_MAX) << 32 | (lower & UINT32_MAX);
}

/* Returns the highest 1 of `value` > 0 and the 31 bits below. Sets *zeros to
   the number of 0s above. */
static inline uint32_t fixed_top(uint64_t value, unsigned *zeros)
{
    struct fixed_shift shift = fixed_shift_of(value);

    *zeros = shift.zeros;
    return (uint32_t)(fixed_shifted(value, shift) >> 32) | (uint32_t)1 << 31;
}

/* Returns 2^63 / d for d >= 2^31, low by less than 2^-29 of this value. Method:
   a division, then a step of Newton's method. */
static inline uint32_t fixed_reciprocal(uint32_t d)
{
    uint32_t quotient = UINT32_MAX / ((d >> 16) + 1);
    uint64_t error =
        (~((uint64_t)quotient * d) & (((uint64_t)1 << 34) - 1)) + 1;

    return (uint32_t)((((uint64_t)quotient << 15) + (quotient * error >> 33)) &
                      UINT32_MAX);
}

#endif

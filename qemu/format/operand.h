/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operand of a matrix product, as whole numbers. Its elements form lines:
 * rows of the left operand, columns of the right one. All elements have one
 * exponent: an element is n 2^exponent, with n rounded to a whole number. n is
 * cut into limbs of 16 or 32 bits with a sign, the lowest first.
 */
#ifndef QEMU_FORMAT_OPERAND_H
#define QEMU_FORMAT_OPERAND_H

#include "hal/nodiscard.h"
#include "qemu/format/npy.h"

#include <stdbool.h>
#include <stdint.h>

struct operand {
    struct npy array;
    bool right;         /* lines are columns */
    uint64_t lines;     /* number of lines */
    uint64_t length;    /* elements of a line */
    long double least;  /* least element, or 0 */
    long double most;   /* greatest element, or 0 */
    long double line;   /* greatest sum of a line's magnitudes */
    int exponent;       /* set by operand_scale() */
    long double off;    /* greatest |element - n 2^exponent| */
    uint32_t limb_bits; /* set by the caller: 16 or 32 */
    uint32_t limbs;     /* set by the caller: limbs of an element */
};

/* Measures all elements. Returns 0; or 1 after a message that names an infinite
   element or one that is not a number. */
NODISCARD int operand_measure(struct operand *operand);

/* Returns the greatest magnitude of an element. */
long double operand_most(const struct operand *operand);

/* Sets the exponent so that |n| is at most `limit`: 0 for whole numbers within
   the limit. */
void operand_scale(struct operand *operand, long double limit);

/* Returns a bound of |n|, and of the sum of |n| of a line. */
long double operand_scaled_most(const struct operand *operand);
long double operand_scaled_line(const struct operand *operand);

/* Returns how many limbs of `bits` bits the scaled elements need. */
uint32_t operand_limbs(const struct operand *operand, uint32_t bits);

/* Stores `width` elements from `place` on of each of `lines` lines from `line`
   on: for each line first all lowest limbs. Beyond the operand are zeros. */
void operand_store(uint8_t *out, const struct operand *operand, uint64_t line,
                   uint32_t lines, uint64_t place, uint32_t width);

#endif

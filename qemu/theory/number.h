/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of 113 bits, as people write them: "3", "0.25", "4.85e-6", "7/4".
 * Rounding makes two equal results differ in the last digits, so whoever asks
 * for a tie or a sign compares with THEORY_NEAR. Pure functions.
 */
#ifndef QEMU_THEORY_NUMBER_H
#define QEMU_THEORY_NUMBER_H

#include "hal/nodiscard.h"
#include "qemu/base/quad.h"

#include <stdbool.h>

/* The longest number that is read, in characters. */
#define THEORY_NUMBER_CHARS 60

/* Two numbers are equal if they differ by this part of the first: of 34 digits
   a computation may lose 9. */
#define THEORY_NEAR 1e-25L

/* Room for a fraction of two numbers of 18 digits. */
#define THEORY_FRACTION_CHARS 40

/*
 * Reads a decimal number, perhaps with an exponent of -30 to 30, or a fraction
 * of two whole numbers, with a minus sign before it or without. Result: NULL;
 * or what is allowed, "must be ..." (a string constant), and `value` is
 * anything.
 */
const char *theory_number_parse(quad *value, const char *text);

/* The same, and the number must be more than 0. */
const char *theory_number_positive(quad *value, const char *text);

/* The same, and the number must be 0 or more. */
const char *theory_number_natural(quad *value, const char *text);

/* one - other; 0 if they are equal. */
quad theory_number_minus(quad one, quad other);

/* -1, 0 or 1: `one` is less than, equal to, more than `other`. */
NODISCARD int theory_number_compare(quad one, quad other);

/*
 * Writes the fraction p/q, or p if q is 1, that equals the value, 0 or more, to
 * 32 digits. p and q have 18 digits at most and 26 together, so of a million
 * other numbers hardly one is near such a fraction. Result: whether there is
 * one.
 */
bool theory_number_fraction(char text[THEORY_FRACTION_CHARS], quad value);

#endif

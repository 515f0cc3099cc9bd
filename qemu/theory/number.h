/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of 113 bits, as people write them: "3", "0.25", "4.85e-6", "7/4".
 * Rounding makes equal results differ in the last digits, so tests of ties and
 * signs compare with THEORY_NEAR. Pure functions.
 */
#ifndef QEMU_THEORY_NUMBER_H
#define QEMU_THEORY_NUMBER_H

#include "hal/nodiscard.h"
#include "qemu/base/quad.h"

#include <stdbool.h>

/* Most characters of a number that is read. */
#define THEORY_NUMBER_CHARS 60

/* Two numbers are equal if they differ by at most this fraction of the first. A
   computation may lose 9 of 34 digits. */
#define THEORY_NEAR 1e-25L

/* Bytes for a fraction of two numbers of 18 digits. */
#define THEORY_FRACTION_CHARS 40

/*
 * Reads a decimal number, optionally with an exponent of -30 to 30, or a
 * fraction of two whole numbers; a minus sign may come first. Returns NULL; or
 * "must be ...", a string constant, with an undefined `value`.
 */
const char *theory_number_parse(quad *value, const char *text);

/* Reads a number as theory_number_parse() does; it must be more than 0. */
const char *theory_number_positive(quad *value, const char *text);

/* Reads a number as theory_number_parse() does; it must be 0 or more. */
const char *theory_number_natural(quad *value, const char *text);

/* Returns one - other; 0 if both are equal within THEORY_NEAR. */
quad theory_number_minus(quad one, quad other);

/* Returns the sign, -1, 0 or 1, of theory_number_minus(one, other). */
NODISCARD int theory_number_compare(quad one, quad other);

/*
 * Writes the fraction p/q, or p if q is 1, that equals a value of 0 or more to
 * 32 digits. p and q have at most 18 digits each and 26 together, so that other
 * numbers are rarely near such a fraction. Returns whether there is one.
 */
bool theory_number_fraction(char text[THEORY_FRACTION_CHARS], quad value);

#endif

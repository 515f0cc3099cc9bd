/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 113 bits, as people write them: "3", "0.25", "4.85e-6", "7/4".
   Rounding makes results that should be equal differ in their last digits, so
   they are compared within THEORY_NEAR. */
#ifndef QEMU_THEORY_NUMBER_H
#define QEMU_THEORY_NUMBER_H

#include "hal/nodiscard.h"
#include "qemu/base/quad.h"

#include <stdbool.h>

/* Most characters of a number that is read. */
#define THEORY_NUMBER_CHARS 60

/* Two numbers count as equal if they differ by at most this fraction of the
   first. So a computation may lose 9 of its 34 digits. */
#define THEORY_NEAR 1e-25L

/* Bytes for the text of a fraction of two numbers of 18 digits. */
#define THEORY_FRACTION_CHARS 40

/* Reads a decimal number, optionally with an exponent of -30 to 30, or a
   fraction of two whole numbers. A minus sign may come first. Returns NULL if
   the text is valid. Else returns "must be ...", a string constant, and `value`
   is undefined. */
const char *theory_number_parse(quad *value, const char *text);

/* Reads a number as theory_number_parse() does; it must be more than 0. */
const char *theory_number_positive(quad *value, const char *text);

/* Reads a number as theory_number_parse() does; it must be 0 or more. */
const char *theory_number_natural(quad *value, const char *text);

/* Returns one - other; 0 if both are equal within THEORY_NEAR. */
quad theory_number_minus(quad one, quad other);

/* Returns the sign, -1, 0 or 1, of theory_number_minus(one, other). */
NODISCARD int theory_number_compare(quad one, quad other);

/* Writes a value of 0 or more as a fraction p/q, or p if q is 1, if one equals
   it to 32 digits. p and q have at most 18 digits each and 26 together: a
   number that is no such fraction is rarely so near to one. Returns whether a
   fraction was written. */
bool theory_number_fraction(char text[THEORY_FRACTION_CHARS], quad value);

#endif

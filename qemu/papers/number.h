/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact numbers as people write them: "3", "0.25", "4.85e-6", "7/4". Pure
 * functions.
 */
#ifndef QEMU_PAPERS_NUMBER_H
#define QEMU_PAPERS_NUMBER_H

#include <gmp.h>
#include <stddef.h>

/* The longest number that is read, in characters. */
#define PAPERS_NUMBER_CHARS 60

/*
 * Reads a decimal number, perhaps with an exponent of -30 to 30, or a fraction
 * of two whole numbers, with a minus sign before it or without. `value` is the
 * caller's, initialised. Result: NULL; or what is allowed, "must be ..." (a
 * string constant), and `value` is anything.
 */
const char *papers_number_parse(mpq_t value, const char *text);

/* The same, and the number must be more than 0. */
const char *papers_number_positive(mpq_t value, const char *text);

/* The same, and the number must be 0 or more. */
const char *papers_number_natural(mpq_t value, const char *text);

/* Sets `value` to over / under, under > 0: exactly, or to 256 bits at least if
   that takes more than some 4096 bits. */
void papers_number_set(mpq_t value, const mpz_t over, const mpz_t under);

/* `count` numbers, each 0: the caller's, for papers_numbers_free(). Ends the
   program if there is no memory. */
mpq_t *papers_numbers_new(size_t count);
void papers_numbers_free(mpq_t *numbers, size_t count);

#endif

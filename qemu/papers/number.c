/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/papers/number.h"

#include "qemu/support/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define EXPONENT_MAX 30
#define EXACT_BITS 4096
#define SHORT_BITS 256

/* Multiplies by 10^exponent. */
static void shift(mpq_t value, long exponent)
{
    mpz_t power;

    mpz_init(power);
    mpz_ui_pow_ui(power, 10, (unsigned long)labs(exponent));
    if (exponent > 0) {
        mpz_mul(mpq_numref(value), mpq_numref(value), power);
    } else {
        mpz_mul(mpq_denref(value), mpq_denref(value), power);
    }
    mpz_clear(power);
    mpq_canonicalize(value);
}

/* "e6", "E-6", "e+06": at most EXPONENT_MAX. Result: whether it is one. */
static bool read_exponent(long *exponent, const char *text)
{
    const char *digits = text + 1 + (text[1] == '-' || text[1] == '+');

    *exponent = strtol(text + 1, NULL, 10);
    return (*text == 'e' || *text == 'E') && *digits != '\0' &&
           digits[strspn(digits, DIGITS)] == '\0' &&
           labs(*exponent) <= EXPONENT_MAX;
}

/* "12", "0.25", ".5", "4.85e-6". Result: whether it is one. */
static bool read_decimal(mpq_t value, const char *text)
{
    char digits[PAPERS_NUMBER_CHARS + 1];
    size_t whole = strspn(text, DIGITS);
    const char *rest = text + whole;
    size_t part = *rest == '.' ? strspn(rest + 1, DIGITS) : 0;
    long exponent = 0;

    memcpy(digits, text, whole);
    memcpy(digits + whole, rest + (part > 0), part);
    digits[whole + part] = '\0';
    if (mpq_set_str(value, digits, 10) != 0 || (*rest == '.' && part == 0)) {
        return false;
    }
    rest += part + (part > 0);
    if (*rest != '\0' && !read_exponent(&exponent, rest)) {
        return false;
    }
    shift(value, exponent - (long)part);
    return true;
}

/* "7/4". Result: whether it is a fraction. */
static bool read_fraction(mpq_t value, const char *text)
{
    size_t over = strspn(text, DIGITS);
    const char *under = text + over + 1;

    if (over == 0 || text[over] != '/' ||
        under[strspn(under, DIGITS)] != '\0' ||
        under[strspn(under, "0")] == '\0') {
        return false;
    }
    mpq_set_str(value, text, 10);
    mpq_canonicalize(value);
    return true;
}

const char *papers_number_parse(mpq_t value, const char *text)
{
    bool negative = text[0] == '-';

    if (strlen(text) > PAPERS_NUMBER_CHARS ||
        (!read_decimal(value, text + negative) &&
         !read_fraction(value, text + negative))) {
        return "must be a number such as 3, 0.25, 1e-6 or 7/4, of at most 60 "
               "characters";
    }
    if (negative) {
        mpq_neg(value, value);
    }
    return NULL;
}

const char *papers_number_positive(mpq_t value, const char *text)
{
    const char *allowed = papers_number_parse(value, text);

    return allowed == NULL && mpq_sgn(value) <= 0 ? "must be more than 0"
                                                  : allowed;
}

const char *papers_number_natural(mpq_t value, const char *text)
{
    const char *allowed = papers_number_parse(value, text);

    return allowed == NULL && mpq_sgn(value) < 0 ? "must be 0 or more"
                                                 : allowed;
}

void papers_number_set(mpq_t value, const mpz_t over, const mpz_t under)
{
    size_t bits = mpz_sizeinbase(under, 2);
    size_t over_bits = mpz_sizeinbase(over, 2);

    mpz_set(mpq_numref(value), over);
    mpz_set(mpq_denref(value), under);
    if (bits > EXACT_BITS) {
        bits = (bits > over_bits ? bits - over_bits : 0) + SHORT_BITS;
        mpz_mul_2exp(mpq_numref(value), over, bits);
        mpz_fdiv_q(mpq_numref(value), mpq_numref(value), under);
        mpz_set_ui(mpq_denref(value), 1);
        mpz_mul_2exp(mpq_denref(value), mpq_denref(value), bits);
    }
    mpq_canonicalize(value);
}

mpq_t *papers_numbers_new(size_t count)
{
    mpq_t *numbers = memory_or_exit(malloc((count + 1) * sizeof *numbers));

    for (size_t i = 0; i < count; ++i) {
        mpq_init(numbers[i]);
    }
    return numbers;
}

void papers_numbers_free(mpq_t *numbers, size_t count)
{
    if (numbers != NULL) {
        for (size_t i = 0; i < count; ++i) {
            mpq_clear(numbers[i]);
        }
        free(numbers);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal numbers as tables have them: signs, marks of thousands, either
 * decimal mark, exponents, hexadecimal integers; and cells that stand for no
 * number. GMP computes with them.
 */
#ifndef QEMU_FORMAT_RECORDS_NUMBER_H
#define QEMU_FORMAT_RECORDS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most digits of a number that the boards read as it is written. */
#define RECORDS_DIGITS_MAX 18u
/* Most digits of any number, and the 32-bit words that hold as many. */
#define RECORDS_WIDE_DIGITS_MAX 180u
#define RECORDS_WORDS_MAX 19u
#define RECORDS_LETTERS_MAX (8u * RECORDS_WORDS_MAX)

/* The marks of one way to write numbers. */
struct records_style {
    char decimal;
    char thousands; /* '\0': none. Otherwise an apostrophe, U+2019, U+00A0,
                       U+2009 and U+202F are marks of thousands, too. */
};

enum records_kind {
    RECORDS_NUMBER,
    RECORDS_MISSING,
    RECORDS_OTHER
};

/* A number: its digits, without leading zeros, times 10^exponent. */
struct records_number {
    bool negative;
    bool plain;        /* the boards can read the text as it is */
    uint32_t whole;    /* digits before the point */
    uint32_t decimals; /* digits after the point */
    int64_t exponent;
    uint32_t digits; /* may be more than digit[] holds */
    char digit[RECORDS_WIDE_DIGITS_MAX];
};

/* Reads a cell's text. RECORDS_MISSING is for an empty cell, NA, NaN, NULL, an
   infinite number and the like. */
enum records_kind records_number_read(struct records_number *number,
                                      const char *text, size_t bytes,
                                      const struct records_style *style);

/* Returns the number of 32-bit words that hold numbers of so many digits. */
uint32_t records_number_words(uint32_t digits);

/* Stores the number times 10^decimals in two's complement, the lowest byte
   first. */
void records_number_store(uint8_t *to, const struct records_number *number,
                          uint32_t decimals, uint32_t words);

/* Writes the number times 10^decimals as 8 * words letters, whose order is that
   of the numbers. */
void records_number_letters(char *to, const struct records_number *number,
                            uint32_t decimals, uint32_t words);

/* Returns a malloc'd text of a stored integer / 10^decimals. If count > 0, the
   integer is divided by it and has six decimals more, rounded, halves to the
   even digit. */
char *records_number_text(const uint8_t *from, uint32_t words,
                          uint32_t decimals, uint32_t count);

/* Returns whether a text that is no number looks like one: it has no letters,
   but non-ASCII blanks, signs or digits. */
bool records_number_looks_odd(const char *text, size_t bytes);

#endif

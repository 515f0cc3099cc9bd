/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal numbers as tables have them: signs, thousands, either decimal mark,
 * exponents, hexadecimal integers; and cells that stand for no number.
 */
#ifndef QEMU_FORMAT_RECORDS_NUMBER_H
#define QEMU_FORMAT_RECORDS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most digits of a number for the boards, which 64 bits hold. Columns with more
   digits have wide cells: two letters for each byte of a longer number. */
#define RECORDS_DIGITS_MAX 18u
#define RECORDS_WIDE_DIGITS_MAX 180u
#define RECORDS_WIDE_BYTES_MAX 80u

/* The marks of one way to write numbers. */
struct records_style {
    char decimal;
    char thousands; /* '\0': none */
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
    int32_t exponent;
    uint32_t digits;                        /* may be more than digit[] holds */
    uint8_t digit[RECORDS_WIDE_DIGITS_MAX]; /* values 0 to 9 */
};

/* Reads a cell's text. RECORDS_MISSING is for an empty cell, NA, NaN, NULL, an
   infinite number and the like. */
enum records_kind records_number_read(struct records_number *number,
                                      const char *text, size_t bytes,
                                      const struct records_style *style);

/* Writes the number times 10^decimals as a wide cell, 2 * bytes letters. */
void records_number_widen(char *to, const struct records_number *number,
                          uint32_t decimals, uint32_t bytes);

/* Returns the number times 10^decimals; at most RECORDS_DIGITS_MAX digits. */
int64_t records_number_scaled(const struct records_number *number,
                              uint32_t decimals);

/* Returns the bytes of a wide number of so many digits that can be added
   2^32 times, a multiple of 4. */
uint32_t records_number_bytes(uint32_t digits);

/* Returns a malloc'd text of an integer / 10^decimals. `big` has `bytes` bytes,
   the highest first, and is changed. If count > 0, the integer is divided by it
   and has six decimals more, rounded, halves to the even digit. */
char *records_number_text(uint8_t *big, uint32_t bytes, uint32_t decimals,
                          uint32_t count);

/* Returns whether a text that is no number looks like one: it has no letters,
   but non-ASCII blanks, signs or digits. */
bool records_number_looks_odd(const char *text, size_t bytes);

/* Returns the first character of a text that is no blank. The length without
   blanks at both ends goes to *bytes. */
const char *records_number_trim(const char *text, size_t *bytes);

#endif

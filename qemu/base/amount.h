/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_BASE_AMOUNT_H
#define QEMU_BASE_AMOUNT_H

#include <stdint.h>
#include <stdio.h>

/* Prints a number of bytes with three digits and a unit kB, MB or GB: "237
   kB". */
void amount_bytes(FILE *out, double bytes);

/* A quantity as text, returned by value: amount_time(ps).text is the string. */
struct amount {
    char text[32];
};

/* Returns a time as text with four digits and its unit: "5.000 us". */
struct amount amount_time(uint64_t time_ps);

struct amount_unit {
    const char *name; /* "ns", "us", "ms" or "s" */
    uint64_t ps;      /* length of one unit, ps */
};

/* Returns the largest unit that is not longer than the time; "ns" for shorter
   times. */
struct amount_unit amount_unit_of(uint64_t time_ps);

/* Prints a count with its noun, singular or plural: "1 board", "25 boards". */
void amount_things(FILE *out, uint64_t count, const char *thing);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_BASE_AMOUNT_H
#define QEMU_BASE_AMOUNT_H

#include <stdint.h>
#include <stdio.h>

/* Bytes for people, with three digits and a unit of thousands: "237 kB". */
void amount_bytes(FILE *out, double bytes);

/* A text to be printed where it is made: amount_time(ps).text. */
struct amount {
    char text[32];
};

/* A time with four digits and its unit: "5.000 us"; at most "nnn... s". */
struct amount amount_time(uint64_t time_ps);

struct amount_unit {
    const char *name; /* "ns", "us", "ms" or "s" */
    uint64_t ps;      /* in one unit */
};

/* The largest unit of which a time is at least one; ns below that. */
struct amount_unit amount_unit_of(uint64_t time_ps);

/* A count with the word for one thing: "1 board", "25 boards". */
void amount_things(FILE *out, uint64_t count, const char *thing);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage on emulated links: each byte is changed to another value, or lost,
 * with a given probability. The seed and the number of bytes before decide
 * which ones, never the time.
 */
#ifndef QEMU_SERIAL_NOISE_H
#define QEMU_SERIAL_NOISE_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stdint.h>

struct noise_chance {
    uint32_t numerator; /* 0: never */
    uint32_t denominator;
};

struct noise {
    struct noise_chance damage; /* of being changed */
    struct noise_chance loss;
    uint64_t seed;
};

/* Numbers of bytes: that links carried, and of these changed and lost ones. */
struct noise_counts {
    uint64_t bytes;
    uint64_t changed;
    uint64_t dropped;
};

/* No damage, and seed 1. */
struct noise noise_none(void);

bool noise_any(const struct noise *noise);

/* Reads "P/Q", at most 1, the value of `option`. Result: 0, or what
   parse_report() returns. */
NODISCARD int noise_set(void *field, const char *option, const char *text);

/* splitmix64's next number (Steele, Lea, Flood, "Fast splittable pseudorandom
   number generators", OOPSLA 2014, figure 17). */
uint64_t noise_draw(uint64_t *state);

/* Carries `bytes` at `data` over a link, in place: damages them with the random
   state *state and adds to *counts. Result: the bytes that are left. */
uint32_t noise_apply(const struct noise *noise, uint64_t *state,
                     struct noise_counts *counts, uint8_t *data,
                     uint32_t bytes);

#endif

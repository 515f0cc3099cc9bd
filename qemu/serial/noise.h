/* SPDX-License-Identifier: Apache-2.0 */
/* Damage on emulated serial links: each byte is changed or lost with a given
   chance. The seed and the number of bytes before it decide which, so damage
   does not depend on time. */
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
    struct noise_chance damage; /* chance that a byte is changed */
    struct noise_chance loss;
    uint64_t seed;
};

struct noise_counts {
    uint64_t bytes;
    uint64_t changed;
    uint64_t dropped;
};

/* Returns noise without damage and with seed 1. */
struct noise noise_none(void);

bool noise_any(const struct noise *noise);

/* Reads "P/Q", at most 1, as the value of `option`. Rows of options use it as
   .set(). Returns 0, or EXIT_USAGE after a message. */
NODISCARD int noise_set(void *field, const char *option, const char *text);

/* Returns the next number of splitmix64 (Steele, Lea, Flood, "Fast splittable
   pseudorandom number generators", OOPSLA 2014, figure 17). */
uint64_t noise_draw(uint64_t *state);

/* Damages `bytes` bytes at `data` in place, by the random state *state, and
   adds to the counts. Returns the number of bytes left, as some may be lost. */
uint32_t noise_apply(const struct noise *noise, uint64_t *state,
                     struct noise_counts *counts, uint8_t *data,
                     uint32_t bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of the algorithms' quantities: Blahut, Algebraic Codes for Data
 * Transmission (2003), chapter 7. A word is a polynomial, its first byte the
 * highest coefficient; polynomials of the decoder have the lowest first.
 */
#include "hal/parity.h"

#include <stdbool.h>
#include <string.h>

#define ERRORS_MAX (PARITY_BYTES / 2u)
#define MODULUS 0x1du   /* without x^8 */
#define HALF_OF_1 0x8eu /* twice that is 1 */

/* The generator without its x^8, highest coefficient first, times 0 to 15, and
   times 16 times that. */
static const uint64_t times_low[16] = {
    0x0000000000000000, 0xff0b5136efadc818, 0xe316a26cc3478d30,
    0x1c1df35a2cea4528, 0xdb2c59d89b8e0760, 0x242708ee7423cf78,
    0x383afbb458c98a50, 0xc731aa82b7644248, 0xab58b2ad2b010ec0,
    0x5453e39bc4acc6d8, 0x484e10c1e84683f0, 0xb74541f707eb4be8,
    0x7074eb75b08f09a0, 0x8f7fba435f22c1b8, 0x9362491973c88490,
    0x6c69182f9c654c88,
};
static const uint64_t times_high[16] = {
    0x0000000000000000, 0x4bb0794756021c9d, 0x967df28eac043827,
    0xddcd8bc9fa0624ba, 0x31faf9014508704e, 0x7a4a8046130a6cd3,
    0xa7870b8fe90c4869, 0xec3772c8bf0e54f4, 0x62e9ef028a10e09c,
    0x29599645dc12fc01, 0xf4941d8c2614d8bb, 0xbf2464cb7016c426,
    0x53131603cf1890d2, 0x18a36f44991a8c4f, 0xc56ee48d631ca8f5,
    0x8ede9dca351eb468,
};

static uint8_t twice(uint8_t a)
{
    return (uint8_t)((unsigned)a << 1 ^ ((a & 0x80u) != 0 ? MODULUS : 0u));
}

static uint8_t product(uint8_t a, uint8_t b)
{
    uint8_t sum = 0;

    for (; b != 0; b >>= 1) {
        sum ^= (b & 1u) != 0 ? a : 0;
        a = twice(a);
    }
    return sum;
}

/* a^254, the inverse. */
static uint8_t inverse(uint8_t a)
{
    uint8_t power = 1;

    for (unsigned i = 0; i < 7; ++i) {
        a = product(a, a);
        power = product(power, a);
    }
    return power;
}

uint64_t parity_update(uint64_t parity, const uint8_t *data, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        unsigned factor = (unsigned)(parity >> 56) ^ data[i];

        parity =
            parity << 8 ^ times_low[factor & 15u] ^ times_high[factor >> 4];
    }
    return parity;
}

void parity_store(uint8_t out[PARITY_BYTES], uint64_t parity)
{
    for (unsigned i = 0; i < PARITY_BYTES; ++i) {
        out[i] = (uint8_t)(parity >> 8 * (PARITY_BYTES - 1u - i));
    }
}

/* The word's values at the generator's roots, which are those of its remainder
   there. Whether one is not 0. */
static bool find_syndromes(uint8_t syndrome[PARITY_BYTES], const uint8_t *word,
                           unsigned bytes)
{
    unsigned data_bytes = bytes - PARITY_BYTES;
    uint8_t remainder[PARITY_BYTES];
    uint8_t any = 0;

    parity_store(remainder, parity_update(0, word, data_bytes));
    for (unsigned i = 0; i < PARITY_BYTES; ++i) {
        remainder[i] ^= word[data_bytes + i];
        any |= remainder[i];
    }
    for (unsigned j = 0; any != 0 && j < PARITY_BYTES; ++j) {
        syndrome[j] = 0;
        for (unsigned i = 0; i < PARITY_BYTES; ++i) {
            for (unsigned k = 0; k < j; ++k) {
                syndrome[j] = twice(syndrome[j]);
            }
            syndrome[j] ^= remainder[i];
        }
    }
    return any != 0;
}

/* Coefficient `at` of the product of both: by how much a syndrome is not what
   the locator makes of those before it, and how great errors are. */
static uint8_t convolution(const uint8_t *syndrome, const uint8_t *locator,
                           unsigned at)
{
    uint8_t sum = 0;

    for (unsigned i = 0; i <= at; ++i) {
        sum ^= product(syndrome[at - i], locator[i]);
    }
    return sum;
}

/* Berlekamp's and Massey's algorithm: the shortest recurrence that makes the
   syndromes. Result: its length, the number of errors, perhaps too many. */
static unsigned find_locator(uint8_t locator[PARITY_BYTES + 1],
                             const uint8_t *syndrome)
{
    uint8_t before[PARITY_BYTES + 1] = {0, 1}; /* the last shorter one */
    uint8_t next[PARITY_BYTES + 1];
    unsigned length = 0;

    memset(locator, 0, PARITY_BYTES + 1);
    locator[0] = 1;
    for (unsigned r = 0; r < PARITY_BYTES; ++r) {
        uint8_t delta = convolution(syndrome, locator, r);

        memcpy(next, locator, sizeof next);
        for (unsigned i = 0; delta != 0 && i <= r + 1; ++i) {
            next[i] ^= product(delta, before[i]);
        }
        if (delta != 0 && 2 * length <= r) {
            uint8_t scale = inverse(delta);

            length = r + 1 - length;
            for (unsigned i = 0; i <= PARITY_BYTES; ++i) {
                before[i] = product(scale, locator[i]);
            }
        }
        memcpy(locator, next, sizeof next);
        memmove(before + 1, before, PARITY_BYTES);
        before[0] = 0;
    }
    return length;
}

/* ---- where the errors are ---- */

/* Four numbers at once, each divided by 2. */
static uint32_t halves(uint32_t four)
{
    return (four >> 1 & 0x7f7f7f7fu) ^ (four & 0x01010101u) * HALF_OF_1;
}

/* Coefficients of x to x^4, that of x lowest, become those of x / 2. */
static uint32_t step(uint32_t four)
{
    four = halves(four);
    four = (four & 0x000000ffu) | (halves(four) & 0xffffff00u);
    four = (four & 0x0000ffffu) | (halves(four) & 0xffff0000u);
    return (four & 0x00ffffffu) | (halves(four) & 0xff000000u);
}

/* Of the coefficients with odd exponents, and of all. */
static uint8_t odd_sum(uint32_t four)
{
    return (uint8_t)(four ^ four >> 16);
}

static uint8_t sum(uint32_t four)
{
    return odd_sum(four) ^ odd_sum(four >> 8);
}

static uint32_t pack(const uint8_t *coefficient)
{
    return coefficient[1] | (uint32_t)coefficient[2] << 8 |
           (uint32_t)coefficient[3] << 16 | (uint32_t)coefficient[4] << 24;
}

/* Chien's search and Forney's formula: tries all places, the last one first.
   Whether there are as many errors as the locator has roots; else nothing is
   changed. */
static bool put_right(uint8_t *word, unsigned bytes, const uint8_t *locator,
                      const uint8_t *evaluator, unsigned errors)
{
    uint32_t locators = pack(locator);
    uint32_t evaluators = pack(evaluator);
    uint8_t place[ERRORS_MAX];
    uint8_t error[ERRORS_MAX];
    unsigned found = 0;

    for (unsigned at = bytes; at > 0 && found < errors; --at) {
        if (sum(locators) == locator[0]) {
            place[found] = (uint8_t)(at - 1);
            error[found] = product(evaluator[0] ^ sum(evaluators),
                                   inverse(odd_sum(locators)));
            found += 1;
        }
        locators = step(locators);
        evaluators = step(evaluators);
    }
    for (unsigned i = 0; found == errors && i < found; ++i) {
        word[place[i]] ^= error[i];
    }
    return found == errors;
}

int parity_correct(uint8_t *word, unsigned bytes)
{
    uint8_t syndrome[PARITY_BYTES];
    uint8_t locator[PARITY_BYTES + 1];
    uint8_t evaluator[ERRORS_MAX + 1] = {0};
    unsigned errors;

    if (!find_syndromes(syndrome, word, bytes)) {
        return 0;
    }
    errors = find_locator(locator, syndrome);
    if (errors > ERRORS_MAX) {
        return -1;
    }
    for (unsigned i = 0; i < errors; ++i) {
        evaluator[i] = convolution(syndrome, locator, i);
    }
    return put_right(word, bytes, locator, evaluator, errors) ? (int)errors
                                                              : -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All arithmetic is in GF(2^8); names are those of Blahut, Algebraic Codes for
 * Data Transmission (2003), chapter 7. A word is a polynomial: its first byte
 * is the highest coefficient, but the decoder's arrays begin with the lowest.
 * Syndromes are the word's values at the generator polynomial's roots. The
 * locator is a polynomial: if the byte n places before the word's last byte is
 * wrong, 2^-n is a root. The evaluator gives the errors of the wrong bytes.
 */
#include "hal/switch/parity.h"

#include "hal/bytes.h"
#include "hal/hot.h"

#include <stdbool.h>
#include <string.h>

#define ERRORS_MAX (PARITY_BYTES / 2u)
#define HALF_OF_1 0x8eu /* 1 / 2 */

/* times_low[i] is i * g, and times_high[i] is 16 i * g. g is the generator
   polynomial without its leading term x^8; each number packs eight
   coefficients, the highest in the highest byte. */
HAL_HOT static const uint64_t times_low[16] = {
    0x0000000000000000, 0xff0b5136efadc818, 0xe316a26cc3478d30,
    0x1c1df35a2cea4528, 0xdb2c59d89b8e0760, 0x242708ee7423cf78,
    0x383afbb458c98a50, 0xc731aa82b7644248, 0xab58b2ad2b010ec0,
    0x5453e39bc4acc6d8, 0x484e10c1e84683f0, 0xb74541f707eb4be8,
    0x7074eb75b08f09a0, 0x8f7fba435f22c1b8, 0x9362491973c88490,
    0x6c69182f9c654c88,
};
HAL_HOT static const uint64_t times_high[16] = {
    0x0000000000000000, 0x4bb0794756021c9d, 0x967df28eac043827,
    0xddcd8bc9fa0624ba, 0x31faf9014508704e, 0x7a4a8046130a6cd3,
    0xa7870b8fe90c4869, 0xec3772c8bf0e54f4, 0x62e9ef028a10e09c,
    0x29599645dc12fc01, 0xf4941d8c2614d8bb, 0xbf2464cb7016c426,
    0x53131603cf1890d2, 0x18a36f44991a8c4f, 0xc56ee48d631ca8f5,
    0x8ede9dca351eb468,
};

/* power_of[n] is 2^n in GF(2^8), 0 <= n < 255; log_of[2^n] is n. */
HAL_HOT static const uint8_t power_of[255] = {
    0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1d, 0x3a, 0x74, 0xe8,
    0xcd, 0x87, 0x13, 0x26, 0x4c, 0x98, 0x2d, 0x5a, 0xb4, 0x75, 0xea, 0xc9,
    0x8f, 0x03, 0x06, 0x0c, 0x18, 0x30, 0x60, 0xc0, 0x9d, 0x27, 0x4e, 0x9c,
    0x25, 0x4a, 0x94, 0x35, 0x6a, 0xd4, 0xb5, 0x77, 0xee, 0xc1, 0x9f, 0x23,
    0x46, 0x8c, 0x05, 0x0a, 0x14, 0x28, 0x50, 0xa0, 0x5d, 0xba, 0x69, 0xd2,
    0xb9, 0x6f, 0xde, 0xa1, 0x5f, 0xbe, 0x61, 0xc2, 0x99, 0x2f, 0x5e, 0xbc,
    0x65, 0xca, 0x89, 0x0f, 0x1e, 0x3c, 0x78, 0xf0, 0xfd, 0xe7, 0xd3, 0xbb,
    0x6b, 0xd6, 0xb1, 0x7f, 0xfe, 0xe1, 0xdf, 0xa3, 0x5b, 0xb6, 0x71, 0xe2,
    0xd9, 0xaf, 0x43, 0x86, 0x11, 0x22, 0x44, 0x88, 0x0d, 0x1a, 0x34, 0x68,
    0xd0, 0xbd, 0x67, 0xce, 0x81, 0x1f, 0x3e, 0x7c, 0xf8, 0xed, 0xc7, 0x93,
    0x3b, 0x76, 0xec, 0xc5, 0x97, 0x33, 0x66, 0xcc, 0x85, 0x17, 0x2e, 0x5c,
    0xb8, 0x6d, 0xda, 0xa9, 0x4f, 0x9e, 0x21, 0x42, 0x84, 0x15, 0x2a, 0x54,
    0xa8, 0x4d, 0x9a, 0x29, 0x52, 0xa4, 0x55, 0xaa, 0x49, 0x92, 0x39, 0x72,
    0xe4, 0xd5, 0xb7, 0x73, 0xe6, 0xd1, 0xbf, 0x63, 0xc6, 0x91, 0x3f, 0x7e,
    0xfc, 0xe5, 0xd7, 0xb3, 0x7b, 0xf6, 0xf1, 0xff, 0xe3, 0xdb, 0xab, 0x4b,
    0x96, 0x31, 0x62, 0xc4, 0x95, 0x37, 0x6e, 0xdc, 0xa5, 0x57, 0xae, 0x41,
    0x82, 0x19, 0x32, 0x64, 0xc8, 0x8d, 0x07, 0x0e, 0x1c, 0x38, 0x70, 0xe0,
    0xdd, 0xa7, 0x53, 0xa6, 0x51, 0xa2, 0x59, 0xb2, 0x79, 0xf2, 0xf9, 0xef,
    0xc3, 0x9b, 0x2b, 0x56, 0xac, 0x45, 0x8a, 0x09, 0x12, 0x24, 0x48, 0x90,
    0x3d, 0x7a, 0xf4, 0xf5, 0xf7, 0xf3, 0xfb, 0xeb, 0xcb, 0x8b, 0x0b, 0x16,
    0x2c, 0x58, 0xb0, 0x7d, 0xfa, 0xe9, 0xcf, 0x83, 0x1b, 0x36, 0x6c, 0xd8,
    0xad, 0x47, 0x8e,
};
HAL_HOT static const uint8_t log_of[256] = {
    0x00, 0x00, 0x01, 0x19, 0x02, 0x32, 0x1a, 0xc6, 0x03, 0xdf, 0x33, 0xee,
    0x1b, 0x68, 0xc7, 0x4b, 0x04, 0x64, 0xe0, 0x0e, 0x34, 0x8d, 0xef, 0x81,
    0x1c, 0xc1, 0x69, 0xf8, 0xc8, 0x08, 0x4c, 0x71, 0x05, 0x8a, 0x65, 0x2f,
    0xe1, 0x24, 0x0f, 0x21, 0x35, 0x93, 0x8e, 0xda, 0xf0, 0x12, 0x82, 0x45,
    0x1d, 0xb5, 0xc2, 0x7d, 0x6a, 0x27, 0xf9, 0xb9, 0xc9, 0x9a, 0x09, 0x78,
    0x4d, 0xe4, 0x72, 0xa6, 0x06, 0xbf, 0x8b, 0x62, 0x66, 0xdd, 0x30, 0xfd,
    0xe2, 0x98, 0x25, 0xb3, 0x10, 0x91, 0x22, 0x88, 0x36, 0xd0, 0x94, 0xce,
    0x8f, 0x96, 0xdb, 0xbd, 0xf1, 0xd2, 0x13, 0x5c, 0x83, 0x38, 0x46, 0x40,
    0x1e, 0x42, 0xb6, 0xa3, 0xc3, 0x48, 0x7e, 0x6e, 0x6b, 0x3a, 0x28, 0x54,
    0xfa, 0x85, 0xba, 0x3d, 0xca, 0x5e, 0x9b, 0x9f, 0x0a, 0x15, 0x79, 0x2b,
    0x4e, 0xd4, 0xe5, 0xac, 0x73, 0xf3, 0xa7, 0x57, 0x07, 0x70, 0xc0, 0xf7,
    0x8c, 0x80, 0x63, 0x0d, 0x67, 0x4a, 0xde, 0xed, 0x31, 0xc5, 0xfe, 0x18,
    0xe3, 0xa5, 0x99, 0x77, 0x26, 0xb8, 0xb4, 0x7c, 0x11, 0x44, 0x92, 0xd9,
    0x23, 0x20, 0x89, 0x2e, 0x37, 0x3f, 0xd1, 0x5b, 0x95, 0xbc, 0xcf, 0xcd,
    0x90, 0x87, 0x97, 0xb2, 0xdc, 0xfc, 0xbe, 0x61, 0xf2, 0x56, 0xd3, 0xab,
    0x14, 0x2a, 0x5d, 0x9e, 0x84, 0x3c, 0x39, 0x53, 0x47, 0x6d, 0x41, 0xa2,
    0x1f, 0x2d, 0x43, 0xd8, 0xb7, 0x7b, 0xa4, 0x76, 0xc4, 0x17, 0x49, 0xec,
    0x7f, 0x0c, 0x6f, 0xf6, 0x6c, 0xa1, 0x3b, 0x52, 0x29, 0x9d, 0x55, 0xaa,
    0xfb, 0x60, 0x86, 0xb1, 0xbb, 0xcc, 0x3e, 0x5a, 0xcb, 0x59, 0x5f, 0xb0,
    0x9c, 0xa9, 0xa0, 0x51, 0x0b, 0xf5, 0x16, 0xeb, 0x7a, 0x75, 0x2c, 0xd7,
    0x4f, 0xae, 0xd5, 0xe9, 0xe6, 0xe7, 0xad, 0xe8, 0x74, 0xd6, 0xf4, 0xea,
    0xa8, 0x50, 0x58, 0xaf,
};

/* Returns 2^n, n < 510: the powers repeat, as 2^255 is 1. */
static uint8_t power(unsigned n)
{
    return power_of[n < 255u ? n : n - 255u];
}

static uint8_t product(uint8_t a, uint8_t b)
{
    return a == 0 || b == 0 ? 0 : power((unsigned)log_of[a] + log_of[b]);
}

/* Returns 1 / a; a is not 0. */
static uint8_t inverse(uint8_t a)
{
    return power(255u - log_of[a]);
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

/* Sets syndrome[j] to the value of the word at 2^j, a root of the generator;
   computes this value from the remainder of the word divided by the generator.
   Result: false: the remainder is 0, no byte is wrong, and nothing was set. */
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
        uint8_t value = remainder[0];

        for (unsigned i = 1; i < PARITY_BYTES; ++i) {
            value = (value == 0 ? 0 : power(log_of[value] + j)) ^ remainder[i];
        }
        syndrome[j] = value;
    }
    return any != 0;
}

/* Returns coefficient `at` of the product of syndromes and locator. degree:
   degree of the locator. The coefficients below `degree` are the evaluator; a
   higher one is 0 if the locator predicts syndrome[at]. */
static uint8_t discrepancy(const uint8_t *syndrome, const uint8_t *locator,
                           unsigned at, unsigned degree)
{
    uint8_t sum = 0;

    for (unsigned i = 0; i <= at && i <= degree; ++i) {
        sum ^= product(syndrome[at - i], locator[i]);
    }
    return sum;
}

/* Finds the locator: its coefficients are the shortest linear recurrence that
   the syndromes satisfy (Berlekamp, Massey). Result: length of the recurrence,
   which is the number of wrong bytes; above ERRORS_MAX: too many are wrong. */
static unsigned find_locator(uint8_t locator[PARITY_BYTES + 1],
                             const uint8_t *syndrome)
{
    uint8_t before[PARITY_BYTES + 1] = {1}; /* locator before `length` grew */
    unsigned shift = 1; /* power of x by which `before` is multiplied */
    unsigned length = 0;

    memset(locator, 0, PARITY_BYTES + 1);
    locator[0] = 1;
    for (unsigned r = 0; r < PARITY_BYTES; ++r, ++shift) {
        uint8_t delta = discrepancy(syndrome, locator, r, length);
        uint8_t now[PARITY_BYTES + 1];

        if (delta == 0) {
            continue;
        }
        memcpy(now, locator, sizeof now);
        for (unsigned i = shift; i <= PARITY_BYTES; ++i) {
            locator[i] ^= product(delta, before[i - shift]);
        }
        if (2 * length <= r) {
            uint8_t scale = inverse(delta);

            length = r + 1 - length;
            shift = 0;
            for (unsigned i = 0; i <= PARITY_BYTES; ++i) {
                before[i] = product(scale, now[i]);
            }
        }
    }
    return length;
}

/* Returns four numbers, one in each byte, each divided by 2 in the field. */
static uint32_t halves(uint32_t four)
{
    return (four >> 1 & 0x7f7f7f7fu) ^ (four & 0x01010101u) * HALF_OF_1;
}

/* four: coefficients 1 to 4 of a polynomial p(x), coefficient 1 in the lowest
   byte. Returns coefficients 1 to 4 of p(x / 2), packed likewise. */
static uint32_t step(uint32_t four)
{
    four = halves(four);
    four = (four & 0x000000ffu) | (halves(four) & 0xffffff00u);
    four = (four & 0x0000ffffu) | (halves(four) & 0xffff0000u);
    return (four & 0x00ffffffu) | (halves(four) & 0xff000000u);
}

static uint8_t sum(uint32_t four)
{
    four ^= four >> 16;
    return (uint8_t)(four ^ four >> 8);
}

/* Returns the value at 2^-n of some terms of a polynomial of degree ERRORS_MAX:
   of those with exponents 1, 1 + by, 1 + 2 by, and so on. */
static uint8_t value_at(const uint8_t *coefficient, unsigned n, unsigned by)
{
    uint8_t value = 0;

    for (unsigned i = 1; i <= ERRORS_MAX; i += by) {
        value ^= product(coefficient[i], power_of[(255u - n) * i % 255u]);
    }
    return value;
}

/* Finds the wrong bytes, trying all places, the last first (Chien), and
   corrects them (Forney). errors: degree of the locator. Result: false: fewer
   than `errors` places give a root, and the word is unchanged. */
static bool put_right(uint8_t *word, unsigned bytes, const uint8_t *locator,
                      const uint8_t *evaluator, unsigned errors)
{
    uint32_t locators = bytes_load_u32(locator + 1);
    uint8_t place[ERRORS_MAX];
    unsigned found = 0;

    for (unsigned n = 0; n < bytes && found < errors; ++n) {
        if (sum(locators) == locator[0]) {
            place[found++] = (uint8_t)n;
        }
        locators = step(locators);
    }
    for (unsigned i = 0; found == errors && i < found; ++i) {
        unsigned n = place[i];

        word[bytes - 1u - n] ^=
            product(evaluator[0] ^ value_at(evaluator, n, 1),
                    inverse(value_at(locator, n, 2)));
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
        evaluator[i] = discrepancy(syndrome, locator, i, errors);
    }
    return put_right(word, bytes, locator, evaluator, errors) ? (int)errors
                                                              : -1;
}

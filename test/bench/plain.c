/* SPDX-License-Identifier: Apache-2.0 */
/* What people would write for such a chip, in C without a thought of speed: the
   kernels' jobs by newlib's memmem(), strtol() and memchr(), a SHA-256 as the
   standard tells it, and loops over samples as signal processing libraries have
   them where a processor has no instructions for it. Ends of ranges are not
   joined; a board alone has one range. */
#include "kernels/kernel.h"

#include <stdlib.h>

/* newlib's declaration needs a macro before its first header. */
void *memmem(const void *hay, size_t hay_bytes, const void *needle,
             size_t needle_bytes);

struct plain {
    const uint8_t *arg;
    uint32_t arg_bytes;
    uint32_t unit_bytes;
};

static int begin(void *work, struct kernel_terms *terms,
                 const struct kernel_job *job)
{
    struct plain *plain = work;

    *plain = (struct plain){job->arg, job->arg_bytes, job->unit_bytes};
    terms->result_bytes_max = 8;
    terms->instructions_per_1000_units = 10000;
    return KERNEL_OK;
}

/* For kernels whose output is as long as the load. */
static int begin_same(void *work, struct kernel_terms *terms,
                      const struct kernel_job *job)
{
    terms->output_numerator = (uint16_t)job->unit_bytes;
    terms->output_denominator = 1;
    return begin(work, terms, job);
}

static void put(struct kernel_result *result, uint64_t value)
{
    kernel_store_u64(result->data, value);
    result->bytes = 8;
}

static void report(const struct kernel_result *result,
                   const struct kernel_sink *sink)
{
    sink->integer(sink->context, "count", kernel_load_u64(result->data));
}

#define KERNEL(title, start, body)                                             \
    const struct kernel kernel_plain_##title = {                               \
        .name = "plain_" #title,                                               \
        .argument = KERNEL_FOR_PEOPLE("see plain.c"),                          \
        .summary = KERNEL_FOR_PEOPLE("for comparison"),                        \
        .work_bytes = sizeof(struct plain),                                    \
        .begin = start,                                                        \
        .run = body,                                                           \
        .merge = kernel_merge_count,                                           \
        .report = KERNEL_FOR_PEOPLE(report)}

/* Argument: patterns, each after a byte with its length. */
static void search(const void *work, struct kernel_result *result,
                   const struct kernel_range *range)
{
    const struct plain *plain = work;
    const uint8_t *end = range->data + range->units;
    uint64_t count = 0;

    for (uint32_t at = 0; at < plain->arg_bytes; at += 1u + plain->arg[at]) {
        const uint8_t *next = range->data;

        while ((next = memmem(next, (size_t)(end - next), plain->arg + at + 1,
                              plain->arg[at])) != NULL) {
            count += 1;
            next += 1;
        }
    }
    put(result, count);
}

KERNEL(search, begin, search);

/* Counts rows whose third cell, a number with two decimals, is below the
   argument, a text of hundredths. */
static void records(const void *work, struct kernel_result *result,
                    const struct kernel_range *range)
{
    const struct plain *plain = work;
    const char *at = (const char *)range->data;
    const char *end = at + range->units;
    long bound = atol((const char *)plain->arg);
    uint64_t count = 0;

    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        char *point;
        long value;

        for (int i = 0; i < 2 && at != NULL; ++i) {
            at = memchr(at, ',', (size_t)(end - at));
            at += at != NULL;
        }
        if (at == NULL || line_end == NULL) {
            break;
        }
        value = 100 * strtol(at, &point, 10);
        value += *point == '.' ? strtol(point + 1, &point, 10) : 0;
        count += value < bound;
        at = line_end + 1;
    }
    put(result, count);
}

KERNEL(records, begin, records);

static void stats(const void *work, struct kernel_result *result,
                  const struct kernel_range *range)
{
    uint32_t bins[256] = {0};
    uint64_t sum = 0;
    uint64_t squares = 0;
    uint32_t least = 255;
    uint32_t greatest = 0;

    (void)work;
    for (uint32_t i = 0; i < range->units; ++i) {
        uint32_t value = range->data[i];

        bins[value] += 1;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
        sum += value;
        squares += value * value;
    }
    put(result, sum + squares + bins[least] + bins[greatest]);
}

KERNEL(stats, begin, stats);

/* Argument: i16 taps in Q15. */
static void fir(const void *work, struct kernel_result *result,
                const struct kernel_range *range)
{
    const struct plain *plain = work;
    const int16_t *tap = (const int16_t *)(const void *)plain->arg;
    const int16_t *in = (const int16_t *)(const void *)range->data;
    int16_t *out = (int16_t *)(void *)result->output;
    uint32_t taps = plain->arg_bytes / 2;

    for (uint32_t n = 0; n < range->units; ++n) {
        int64_t sum = 1 << 14;

        for (uint32_t k = 0; k < taps && k <= n; ++k) {
            sum += (int32_t)tap[k] * in[n - k];
        }
        sum >>= 15;
        out[n] = (int16_t)(sum > INT16_MAX   ? INT16_MAX
                           : sum < INT16_MIN ? INT16_MIN
                                             : sum);
    }
    result->output_bytes = kernel_range_bytes(range);
    put(result, 0);
}

KERNEL(fir, begin_same, fir);

/* Argument: i32 width, divisor, nine coefficients. */
static void conv(const void *work, struct kernel_result *result,
                 const struct kernel_range *range)
{
    const int32_t *arg =
        (const int32_t *)(const void *)((const struct plain *)work)->arg;
    int32_t width = arg[0];
    int32_t height = (int32_t)range->units / width;

    memset(result->output, 0, range->units);
    for (int32_t y = 1; y < height - 1; ++y) {
        for (int32_t x = 1; x < width - 1; ++x) {
            int32_t sum = 0;

            for (int32_t i = 0; i < 3; ++i) {
                for (int32_t k = 0; k < 3; ++k) {
                    sum += arg[2 + 3 * i + k] *
                           range->data[(y + i - 1) * width + x + k - 1];
                }
            }
            sum /= arg[1];
            result->output[y * width + x] = (uint8_t)(sum < 0     ? 0
                                                      : sum > 255 ? 255
                                                                  : sum);
        }
    }
    result->output_bytes = range->units;
    put(result, 0);
}

KERNEL(conv, begin_same, conv);

/* Argument: a vector of i32. */
static int begin_matvec(void *work, struct kernel_terms *terms,
                        const struct kernel_job *job)
{
    terms->output_numerator = 8;
    terms->output_denominator = 1;
    return begin(work, terms, job);
}

static void matvec(const void *work, struct kernel_result *result,
                   const struct kernel_range *range)
{
    const struct plain *plain = work;
    const int32_t *vector = (const int32_t *)(const void *)plain->arg;
    const int32_t *row = (const int32_t *)(const void *)range->data;
    uint32_t columns = plain->arg_bytes / 4;

    for (uint32_t i = 0; i < range->units; ++i) {
        int64_t sum = 0;

        for (uint32_t k = 0; k < columns; ++k) {
            sum += (int64_t)row[k] * vector[k];
        }
        row += columns;
        kernel_store_u64(result->output + 8 * i, (uint64_t)sum);
    }
    result->output_bytes = 8 * range->units;
    put(result, 0);
}

KERNEL(matvec, begin_matvec, matvec);

/* ---- SHA-256, FIPS 180-4 ---- */

static uint32_t right(uint32_t x, unsigned bits)
{
    return x >> bits | x << (32 - bits);
}

static void block(uint32_t state[8], const uint8_t *at)
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
        0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
        0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
        0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
        0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
        0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
        0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
        0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t w[64];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

    for (unsigned i = 0; i < 16; ++i) {
        w[i] = __builtin_bswap32(kernel_load_u32(at + 4 * i));
    }
    for (unsigned i = 16; i < 64; ++i) {
        uint32_t x = w[i - 15];
        uint32_t y = w[i - 2];

        w[i] = w[i - 16] + (right(x, 7) ^ right(x, 18) ^ x >> 3) + w[i - 7] +
               (right(y, 17) ^ right(y, 19) ^ y >> 10);
    }
    for (unsigned i = 0; i < 64; ++i) {
        uint32_t one = h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) +
                       ((e & f) ^ (~e & g)) + k[i] + w[i];
        uint32_t two = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) +
                       ((a & b) ^ (a & c) ^ (b & c));

        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

static void digest(uint32_t state[8], const uint8_t *word, uint32_t bytes)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                      0xa54ff53a, 0x510e527f, 0x9b05688c,
                                      0x1f83d9ab, 0x5be0cd19};
    uint8_t last[128] = {0};
    uint32_t left = bytes;
    uint32_t all;

    memcpy(state, start, sizeof start);
    for (; left >= 64; left -= 64, word += 64) {
        block(state, word);
    }
    memcpy(last, word, left);
    last[left] = 0x80;
    all = left < 56 ? 64 : 128;
    kernel_store_u32(last + all - 4, __builtin_bswap32(8 * bytes));
    for (uint32_t at = 0; at < all; at += 64) {
        block(state, last + at);
    }
}

/* Argument: a digest. */
static void sha256(const void *work, struct kernel_result *result,
                   const struct kernel_range *range)
{
    const struct plain *plain = work;
    const uint8_t *at = range->data;
    const uint8_t *end = at + range->units;
    uint64_t count = 0;

    while (at < end) {
        const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
        uint32_t state[8];

        stop = stop == NULL ? end : stop;
        digest(state, at, (uint32_t)(stop - at));
        for (unsigned i = 0; i < 8; ++i) {
            state[i] = __builtin_bswap32(state[i]);
        }
        count += memcmp(state, plain->arg, 32) == 0;
        at = stop + 1;
    }
    put(result, count);
}

KERNEL(sha256, begin, sha256);

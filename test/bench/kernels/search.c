/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many instructions a search of English text takes on the board: the kernel
 * and memmem. Run under -icount shift=5, where an instruction takes 32 ns of
 * the clock. The frame around it is that of the unit tests on the target
 * (test/target), which calls unit_all(): here that is the table, one line for
 * each measurement:
 *
 *   variant, pattern's number, its bytes, text bytes, occurrences, instructions
 *
 * and a line "pattern" with its number and itself before.
 */
#include "hal/clock.h"
#include "kernels/kernel.h"
#include "test/bench/kernels/memmem.h"
#include "test/unit/unit.h"

#include <string.h>

#define PS_PER_INSTRUCTION 32000u

extern const struct kernel kernel_search;
extern const uint8_t bench_text[];
extern const uint8_t bench_text_end[];

/* The most frequent four letters first, then ever longer ones. */
static const char *const patterns[] = {
    " the",
    "the ",
    "tion",
    " of ",
    " or ",
    "with",
    "zzzz",
    "terms",
    "license",
    "software",
    "conditions",
    "free software",
    "General Public License",
    "distribute copies of the software",
    "WITHOUT WARRANTY OF ANY KIND, EITHER EXPRESSED OR IMPLIED, INCLUDING",
    "(?i)software",
    "(?i)free software",
    "(?|)terms|license|software|conditions",
    "(?i|)copyright|distribute|free software|general public"};

typedef uint32_t search_function(const char *pattern);

static uint32_t by_kernel(const char *pattern)
{
    static uint32_t work[1024];
    static uint32_t room[4096];
    struct kernel_job job = {(const uint8_t *)pattern,
                             (uint32_t)strlen(pattern), 1};
    struct kernel_terms terms = {.before_bytes = 0};
    struct kernel_result result = {.data = (uint8_t *)room};
    struct kernel_range range = {.data = bench_text,
                                 .units =
                                     (uint32_t)(bench_text_end - bench_text),
                                 .unit_bytes = 1};
    uint32_t count = 0;

    if (kernel_search.begin(work, &terms, &job) != KERNEL_OK) {
        return 0;
    }
    kernel_search.run(work, &result, &range);
    for (uint32_t i = 0; i < room[0]; ++i) {
        count += kernel_load_u32(result.data + 4 + 8 * i);
    }
    return count;
}

static uint32_t by(void *(*find)(const void *, size_t, const void *, size_t),
                   const char *pattern)
{
    const uint8_t *at = bench_text;
    size_t bytes = strlen(pattern);
    uint32_t count = 0;

    for (;;) {
        at = find(at, (size_t)(bench_text_end - at), pattern, bytes);
        if (at == NULL) {
            return count;
        }
        count += 1;
        at += 1;
    }
}

static uint32_t by_memmem(const char *pattern)
{
    return by(memmem, pattern);
}

static uint32_t by_memmem_by_two(const char *pattern)
{
    return by(memmem_by_two, pattern);
}

static uint32_t by_nothing(const char *pattern)
{
    (void)pattern;
    return 0;
}

/* Volatile, so that a call remains a call. */
static const struct variant {
    const char *name;
    search_function *volatile search;
} variants[] = {{"nothing", by_nothing},
                {"kernel", by_kernel},
                {"memmem", by_memmem},
                {"memmem-by-two", by_memmem_by_two}};

static void put_number(unit_put *put, void *context, uint32_t number)
{
    char digits[12];
    unsigned at = sizeof digits - 1;

    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put(context, " ");
    put(context, digits + at);
}

static void measure(unit_put *put, void *context, const struct variant *variant,
                    unsigned number)
{
    struct clock clock = {0};
    uint64_t took_ps;
    uint32_t count;

    clock_start(&clock, 0);
    count = variant->search(patterns[number]);
    took_ps = clock_stop(&clock);
    put(context, variant->name);
    put_number(put, context, number);
    put_number(put, context, (uint32_t)strlen(patterns[number]));
    put_number(put, context, (uint32_t)(bench_text_end - bench_text));
    put_number(put, context, count);
    put_number(put, context, (uint32_t)(took_ps / PS_PER_INSTRUCTION));
    put(context, "\n");
}

int unit_all(unit_put *put, void *context)
{
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
        bool plain = strncmp(patterns[i], "(?", 2) != 0;

        put(context, "pattern");
        put_number(put, context, i);
        put(context, " ");
        put(context, patterns[i]);
        put(context, "\n");
        for (unsigned v = 0; v < sizeof variants / sizeof *variants; ++v) {
            if (plain || v < 2) {
                measure(put, context, &variants[v], i);
            }
        }
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs that count instructions print: one line for each figure,
 * a name and numbers. The frame around such a program is that of the unit tests
 * on the target (test/target), which calls unit_all().
 */
#ifndef TEST_BENCH_COUNT_H
#define TEST_BENCH_COUNT_H

#include "test/unit/unit.h"

#include <stddef.h>

/* Of a board under -icount shift=5. */
#define PS_PER_INSTRUCTION 32000u

static inline void put_number(unit_put *put, void *context, uint32_t number)
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

/* A line; words may be two, with a blank between. */
static inline void put_line(unit_put *put, void *context, const char *words,
                            const uint32_t *numbers, size_t count)
{
    put(context, words);
    for (size_t i = 0; i < count; ++i) {
        put_number(put, context, numbers[i]);
    }
    put(context, "\n");
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Division of 64-bit numbers as the compiler calls it: on a board, that of
   boot/cortex_m/divide.c, by its entry in assembly. */
#include "test/unit/unit.h"

#define EDGES 12u

static const uint64_t edges[EDGES] = {0,
                                      1,
                                      2,
                                      3,
                                      10,
                                      0x7FFFFFFF,
                                      0x80000000,
                                      0xFFFFFFFF,
                                      0x100000000,
                                      0x100000001,
                                      0xFFFFFFFF00000000,
                                      UINT64_MAX};

/* Numerator and denominator change at run time, so nothing is computed before.
 */
static void check(struct unit *unit, uint64_t numerator, uint64_t denominator)
{
    volatile uint64_t above = numerator;
    volatile uint64_t below = denominator;
    uint64_t quotient = above / below;
    uint64_t rest = above % below;

    CHECK(unit, rest < denominator);
    CHECK(unit, quotient <= numerator);
    CHECK_EQUAL(unit, quotient * denominator + rest, numerator);
}

static void of_edges(struct unit *unit)
{
    for (unsigned i = 0; i < EDGES; ++i) {
        for (unsigned j = 1; j < EDGES; ++j) {
            check(unit, edges[i], edges[j]);
        }
    }
}

/* Of one to 64 bits each. */
static void of_any_sizes(struct unit *unit)
{
    uint64_t chance = 20260703;

    for (unsigned i = 0; i < 64 * 64; ++i) {
        uint64_t numerator;
        uint64_t denominator;

        chance = chance * 6364136223846793005u + 1442695040888963407u;
        numerator = chance >> i % 64;
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        denominator = chance >> i / 64;
        check(unit, numerator, denominator > 0 ? denominator : 1);
    }
}

void test_divide(struct unit *unit)
{
    UNIT_RUN(unit, of_edges);
    UNIT_RUN(unit, of_any_sizes);
}

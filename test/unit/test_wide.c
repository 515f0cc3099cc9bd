/* SPDX-License-Identifier: Apache-2.0 */
/* Worked by hand: values whose words are few bits. At random, through ctypes:
   test/scatter/test_rounds.py. */
#include "scatter/plan/wide.h"
#include "test/unit/unit.h"

#define HALF ((uint64_t)1 << 63)
#define QUARTER ((uint64_t)1 << 62)
#define ALL UINT64_MAX

static const struct wide zero = {0, 0};
static const struct wide least = {0, 1}; /* 2^-64 */

static void check_wide(struct unit *unit, struct wide got, uint64_t high,
                       uint64_t low)
{
    CHECK(unit, got.high == high);
    CHECK(unit, got.low == low);
}

static void words_carry_and_borrow(struct unit *unit)
{
    check_wide(unit, wide_add((struct wide){3, ALL}, least), 4, 0);
    check_wide(unit, wide_add((struct wide){3, HALF}, (struct wide){4, HALF}),
               8, 0);
    check_wide(unit, wide_subtract((struct wide){4, 0}, least), 3, ALL);
    check_wide(unit, wide_subtract(zero, least), ALL, ALL);
    check_wide(unit, wide_add((struct wide){ALL, ALL}, least), 0, 0);
    check_wide(unit, wide_negate((struct wide){0, HALF}), ALL, HALF);
    check_wide(unit, wide_negate((struct wide){ALL, HALF}), 0, HALF);
    check_wide(unit, wide_negate(zero), 0, 0);
}

static void signs_and_order(struct unit *unit)
{
    /* Ascending: -2, -3/2, -2^-64, 0, 2^-64, 1/2, 1. */
    const struct wide order[] = {{ALL - 1, 0}, {ALL - 1, HALF}, {ALL, ALL},
                                 zero,         least,           {0, HALF},
                                 {1, 0}};

    for (unsigned i = 0; i < 7; ++i) {
        CHECK_EQUAL(unit, wide_is_negative(order[i]), i < 3);
        CHECK_EQUAL(unit, wide_is_zero(order[i]), i == 3);
        for (unsigned j = 0; j < 7; ++j) {
            CHECK_EQUAL(unit, wide_less(order[i], order[j]), i < j);
        }
    }
    check_wide(unit, wide_of(5), 5, 0);
}

static void shifts_cross_the_point(struct unit *unit)
{
    check_wide(unit, wide_shift_left((struct wide){1, HALF | 1}, 1), 3, 2);
    check_wide(unit, wide_shift_left((struct wide){0, ALL}, 63),
               ((uint64_t)1 << 63) - 1, HALF);
    check_wide(unit, wide_shift_right((struct wide){3, 2}, 1), 1, HALF | 1);
    check_wide(unit, wide_shift_right((struct wide){1, 0}, 30), 0,
               (uint64_t)1 << 34);
}

static void magnitudes(struct unit *unit)
{
    CHECK(unit, wide_within((struct wide){7, ALL}, 3));
    CHECK(unit, !wide_within((struct wide){8, 0}, 3));
    CHECK(unit, wide_within((struct wide){ALL - 7, 1}, 3));
    CHECK(unit, !wide_within((struct wide){ALL - 8, 0}, 3));
    CHECK(unit, wide_within(zero, 0));
    CHECK(unit, !wide_within((struct wide){1, 0}, 0));
}

static void products(struct unit *unit)
{
    const struct wide_ratio five_halves = {2, HALF};
    const struct wide_ratio one = {1, 0};

    CHECK(unit, wide_multiply_high(ALL, ALL) == ALL - 1);
    CHECK(unit, wide_multiply_high(HALF, 2) == 1);
    CHECK(unit, wide_multiply_high(HALF, 1) == 0);
    CHECK(unit, wide_multiply_high((uint64_t)1 << 32, (uint64_t)1 << 32) == 1);
    check_wide(unit, wide_scale((struct wide){3, HALF}, five_halves), 8,
               HALF | QUARTER);
    check_wide(unit, wide_scale((struct wide){ALL - 3, HALF}, five_halves),
               ALL - 8, QUARTER);
    check_wide(unit, wide_scale((struct wide){5, 7}, one), 5, 7);
    /* Cut off towards zero: half of 2^-64, of either sign. */
    check_wide(unit, wide_scale(least, (struct wide_ratio){0, HALF}), 0, 0);
    check_wide(unit,
               wide_scale(wide_negate(least), (struct wide_ratio){0, HALF}), 0,
               0);
    check_wide(unit,
               wide_multiply((struct wide){3, HALF}, (struct wide){2, HALF}), 8,
               HALF | QUARTER);
    check_wide(unit, wide_multiply((struct wide){0, HALF}, least), 0, 0);
}

static void ratios(struct unit *unit)
{
    bool fits = false;
    struct wide_ratio ratio = wide_ratio_of(7, 2, &fits);

    CHECK(unit, fits && ratio.whole == 3 && ratio.fraction == HALF);
    ratio = wide_ratio_of(1, 3, &fits);
    CHECK(unit, fits && ratio.whole == 0 && ratio.fraction == ALL / 3);
    ratio = wide_ratio_of(((uint64_t)1 << 44) - 1, (uint64_t)1 << 44, &fits);
    CHECK(unit, fits && ratio.fraction == ALL - ((uint64_t)1 << 20) + 1);
    ratio = wide_ratio_of(UINT32_MAX, 1, &fits);
    CHECK(unit, fits && ratio.whole == UINT32_MAX && ratio.fraction == 0);
    (void)wide_ratio_of((uint64_t)1 << 32, 1, &fits);
    CHECK(unit, !fits);
}

/* Between `slack` below b and two above it, all in 2^-64. */
static void check_close(struct unit *unit, struct wide a, struct wide b,
                        uint64_t slack)
{
    struct wide off = wide_subtract(wide_add(b, (struct wide){0, 2}), a);

    CHECK(unit, off.high == 0 && off.low <= slack + 2);
}

static void quotients(struct unit *unit)
{
    struct wide third = {33, ALL / 3};

    check_close(unit, wide_divide(wide_of(7), wide_of(2)),
                (struct wide){3, HALF}, 16);
    check_close(unit, wide_divide(wide_of(1), wide_of(3)),
                (struct wide){0, ALL / 3}, 16);
    check_close(unit, wide_divide(wide_of(100), wide_of(3)), third, 16);
    check_close(unit, wide_divide(zero, wide_of(3)), zero, 0);
    check_close(unit, wide_divide_roughly(wide_of(100), wide_of(3)), third,
                (uint64_t)1 << (64 - 23));
    check_wide(unit, wide_divide_roughly(zero, wide_of(3)), 0, 0);
    check_close(unit, wide_divide_roughly(least, wide_of(1)), least, 1);
}

void test_wide(struct unit *unit)
{
    UNIT_RUN(unit, words_carry_and_borrow);
    UNIT_RUN(unit, signs_and_order);
    UNIT_RUN(unit, shifts_cross_the_point);
    UNIT_RUN(unit, magnitudes);
    UNIT_RUN(unit, products);
    UNIT_RUN(unit, ratios);
    UNIT_RUN(unit, quotients);
}

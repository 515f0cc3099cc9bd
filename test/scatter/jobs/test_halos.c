/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes around a range: as many as the kernel asks for, but for the ends of
 * the whole load, wherever in it the order begins, and however far ranges,
 * rounds and subtrees are cut.
 */
#include "test/scatter/jobs/suite.h"

#include <stdio.h>

struct halo {
    uint32_t before;
    uint32_t after;
};

/* None, one side, both; longer than ranges, than subtrees, than the load. */
static const struct halo halos[] = {{0, 0},     {1, 0},     {0, 1},
                                    {3, 5},     {97, 1000}, {1000, 97},
                                    {9000, 60}, {60, 9000}, {99999, 99999}};

/* What is around the order's units: the load's ends, near and far. */
static const uint32_t first_units[] = {0, 1, 5, 1000, 40000};
static const uint32_t later_units[] = {0, 1, 5, 1000};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* One node, one round, one of odd units, three rounds; along a tree, stored and
   forwarded, in equal shares. */
static const struct job jobs[] = {
    {.size = {1, 1}, .units = 50, .unit_bytes = 3},
    {.size = {5, 5}, .units = 700, .unit_bytes = 1},
    {.size = {5, 5}, .originator = {3, 4}, .units = 260, .unit_bytes = 7},
    {.size = {5, 5}, .rounds = 3, .units = 100000, .unit_bytes = 2},
    {.size = {7, 4}, .tree = true, .units = 700, .unit_bytes = 3},
    {.size = {5, 3},
     .schedule = SCHEDULE_NEAREST,
     .tree = true,
     .ports = 1,
     .stored = true,
     .units = 500,
     .unit_bytes = 1},
    {.size = {4, 4},
     .schedule = SCHEDULE_BINOMIAL,
     .tree = true,
     .units = 300,
     .unit_bytes = 5}};

/* Every halo, wherever in a load. In rounds they are no longer than a part. */
static void every_halo(struct unit *unit)
{
    for (unsigned n = 0; n < COUNT(jobs) * COUNT(halos) * COUNT(first_units);
         n += unit->stride) {
        struct job job = jobs[n % COUNT(jobs)];
        const struct halo *halo = &halos[n / COUNT(jobs) % COUNT(halos)];
        uint32_t most = job.rounds == 3 ? 700 : UINT32_MAX;

        job.before_bytes = least(halo->before, most);
        job.after_bytes = least(halo->after, most);
        job.first_unit = first_units[n / COUNT(jobs) / COUNT(halos)];
        for (unsigned i = 0; i < COUNT(later_units); ++i) {
            job.later_units = later_units[i];
            CHECK_EQUAL(unit, job_check(unit, &job), torus_nodes(job.size));
        }
    }
}

static void deep_pattern(struct unit *unit)
{
    struct job job = {.size = {25, 25},
                      .rounds = 2,
                      .before_bytes = 60,
                      .after_bytes = 9,
                      .first_unit = 2,
                      .units = 100000,
                      .later_units = 1,
                      .unit_bytes = 4};

    CHECK_EQUAL(unit, job_check(unit, &job), 625);
    job.rounds = 1;
    job.before_bytes = 5000;
    job.units = 3000;
    CHECK_EQUAL(unit, job_check(unit, &job), 625);
}

/* Nobody gets anything if there are fewer units than nodes; ranges are empty,
   with bytes around them. */
static void hardly_any_units(struct unit *unit)
{
    for (uint32_t units = 1; units < 30; units += 4) {
        struct job job = {.size = {5, 5},
                          .before_bytes = 3,
                          .after_bytes = 4,
                          .first_unit = units,
                          .units = units,
                          .later_units = 2,
                          .unit_bytes = 1};

        (void)job_check(unit, &job);
        job.tree = true;
        (void)job_check(unit, &job);
    }
}

/* Every node would count wrongly what it has before its range. */
static void orders_with_other_bytes_around_are_refused(struct unit *unit)
{
    for (unsigned n = 0; n < 64; ++n) {
        struct job job = {.size = {5, 5},
                          .tree = n / 32 > 0,
                          .before_bytes = 6,
                          .after_bytes = 8,
                          .first_unit = first_units[n / 4 % 2 * 2],
                          .units = 700,
                          .later_units = later_units[n / 8 % 4],
                          .unit_bytes = 1};
        struct job_outcome outcome;

        job.before_wrong = n % 4 == 0           ? 1
                           : n % 4 == 3         ? 2
                           : n % 4 == 2         ? 0
                           : job.first_unit > 0 ? -1
                                                : 6;
        job.after_wrong = n % 4 < 2 ? 0 : 9;
        job_run(&outcome, &job);
        CHECK_EQUAL(unit, outcome.report.error, ERR_TERMS);
        job_free(&outcome);
    }
}

/* A kernel that asks for more than a node's memory is the kernel's mistake. */
static void halos_beyond_all_memory_are_refused(struct unit *unit)
{
    static const struct halo far[] = {
        {0x01000001, 0}, {0, 0x01000001}, {UINT32_MAX, 1}, {1, UINT32_MAX}};

    for (unsigned n = 0; n < 2 * COUNT(far); ++n) {
        struct job job = {.size = {5, 5},
                          .tree = n % 2 == 1,
                          .before_bytes = far[n / 2].before,
                          .after_bytes = far[n / 2].after,
                          .units = 700,
                          .unit_bytes = 1};
        struct job_outcome outcome;

        job_run(&outcome, &job);
        CHECK_EQUAL(unit, outcome.report.error, ERR_KERNEL);
        job_free(&outcome);
    }
}

void test_halos(struct unit *unit)
{
    UNIT_RUN(unit, every_halo);
    UNIT_RUN(unit, deep_pattern);
    UNIT_RUN(unit, hardly_any_units);
    UNIT_RUN(unit, orders_with_other_bytes_around_are_refused);
    UNIT_RUN(unit, halos_beyond_all_memory_are_refused);
}

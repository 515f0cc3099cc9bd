/* SPDX-License-Identifier: Apache-2.0 */
/* Units of no bytes, arguments of any length, outputs of any kind. */
#include "test/scatter/jobs/suite.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Five kinds of mesh: pattern, rounds, a deep one, trees. */
static const struct job meshes[] = {
    {.size = {1, 1}},
    {.size = {5, 5}, .originator = {4, 1}},
    {.size = {5, 5}, .rounds = 3},
    {.size = {5, 5}, .rounds = WIRE_BEST},
    {.size = {7, 4}, .originator = {2, 2}, .tree = true},
    {.size = {3, 5},
     .schedule = SCHEDULE_STAR,
     .tree = true,
     .ports = 2,
     .stored = true}};

/* Numbers, up to the last that fits, are spread like bytes. */
static void units_of_no_bytes(struct unit *unit)
{
    static const uint32_t first_units[] = {0, 1, 5000, UINT32_MAX - 4000};

    for (unsigned n = 0; n < COUNT(meshes) * COUNT(first_units); ++n) {
        struct job job = meshes[n % COUNT(meshes)];

        if (job.rounds == 3) {
            continue; /* nothing is sent that takes time */
        }
        job.first_unit = first_units[n / COUNT(meshes)];
        job.units = 4000;
        CHECK_EQUAL(unit, job_check(unit, &job), torus_nodes(job.size));
        job.numerator = 3;
        job.denominator = 7;
        (void)job_check(unit, &job);
        job.before_bytes = 5; /* of which there are none */
        job.after_bytes = 5;
        (void)job_check(unit, &job);
    }
}

static void as_many_units_as_there_can_be(struct unit *unit)
{
    for (unsigned n = 0; n < COUNT(meshes); ++n) {
        struct job job = meshes[n];

        if (job.rounds == 3) {
            continue;
        }
        job.units = UINT32_MAX;
        CHECK_EQUAL(unit, job_check(unit, &job), torus_nodes(job.size));
        job.numerator = 1;
        job.denominator = 65535;
        (void)job_check(unit, &job);
    }
}

static void arguments_of_any_length(struct unit *unit)
{
    static const uint32_t lengths[] = {29,   30,    31,    32,
                                       1000, 65533, 65535, KERNEL_ARG_MAX};

    for (unsigned n = 0; n < COUNT(meshes) * COUNT(lengths); ++n) {
        struct job job = meshes[n % COUNT(meshes)];

        job.arg_bytes = lengths[n / COUNT(meshes)];
        job.before_bytes = 2;
        job.after_bytes = 3;
        job.unit_bytes = 1;
        /* Rounds are feasible only if the load outweighs the argument, which
           goes ahead of it. */
        if (job.rounds == 3 && job.arg_bytes > 1000) {
            job.rounds = 1;
        }
        job.units = job.rounds == 3 ? 2000003 : 4001;
        job.numerator = n % 2 == 0 ? 0 : 2;
        job.denominator = n % 2 == 0 ? 0 : 3;
        CHECK_EQUAL(unit, job_check(unit, &job), torus_nodes(job.size));
    }
}

struct ratio {
    uint16_t numerator;
    uint16_t denominator;
    bool varies;
};

static const struct ratio ratios[] = {
    {1, 1, false},     {1, 2, false},       {3, 7, false},   {2, 1, false},
    {1, 65535, false}, {0, 5, false},       {400, 3, false}, {1, 1, true},
    {5, 2, true},      {65535, 65534, true}};

/* Every mesh, ratio and unit, wherever in a load. */
static void outputs(struct unit *unit)
{
    static const uint32_t first_units[] = {0, 1, 999, 123456};
    static const uint32_t unit_bytes[] = {0, 1, 2, 100};

    for (unsigned n = 0; n < COUNT(meshes) * COUNT(ratios) * 16;
         n += unit->stride) {
        struct job job = meshes[n % COUNT(meshes)];
        const struct ratio *ratio = &ratios[n / COUNT(meshes) % COUNT(ratios)];

        job.first_unit = first_units[n / COUNT(meshes) / COUNT(ratios) % 4];
        job.unit_bytes = unit_bytes[n / COUNT(meshes) / COUNT(ratios) / 4];
        job.units = 1801;
        job.later_units = n % 3;
        job.before_bytes = n % 4;
        job.after_bytes = n % 5;
        job.numerator = ratio->numerator;
        job.denominator = ratio->denominator;
        job.varies = ratio->varies;
        if (job.rounds != 3 || job.unit_bytes != 0) {
            (void)job_check(unit, &job);
        }
    }
}

static void outputs_of_few_units(struct unit *unit)
{
    for (uint32_t units = 1; units <= 30; units += unit->stride) {
        for (unsigned n = 0; n < COUNT(meshes) * COUNT(ratios); ++n) {
            struct job job = meshes[n % COUNT(meshes)];
            const struct ratio *ratio = &ratios[n / COUNT(meshes)];

            if (job.rounds == 3) {
                continue; /* infeasible with so few */
            }
            job.units = units;
            job.unit_bytes = 2;
            job.numerator = ratio->numerator;
            job.denominator = ratio->denominator;
            job.varies = ratio->varies;
            (void)job_check(unit, &job);
        }
    }
}

/* The plan counts outputs as a part of what is sent, however long units are:
   65538 times 65535 bytes to 65535 are as good as 65538 to one. */
static void outputs_of_long_units(struct unit *unit)
{
    static const struct ratio same[] = {{65535, 65535, false}, {1, 1, false}};
    struct job_outcome outcome[2];

    for (unsigned n = 0; n < 2; ++n) {
        struct job job = meshes[1];

        job.unit_bytes = 65538;
        job.units = 200;
        job.numerator = same[n].numerator;
        job.denominator = same[n].denominator;
        CHECK_EQUAL(unit, job_check(unit, &job), 25);
        job_run(&outcome[n], &job);
    }
    CHECK_EQUAL(unit, outcome[0].report.makespan_ps,
                outcome[1].report.makespan_ps);
    job_free(&outcome[0]);
    job_free(&outcome[1]);
}

/* More than fits, and more than 32 bits count: nothing is computed. */
static void outputs_that_do_not_fit(struct unit *unit)
{
    static const uint32_t units[] = {300,     65537,      65538,     70000,
                                     0x20000, 0x01000100, UINT32_MAX};

    for (unsigned n = 0; n < COUNT(meshes) * COUNT(units); ++n) {
        struct job job = meshes[n % COUNT(meshes)];
        struct job_outcome outcome;

        job.units = units[n / COUNT(meshes)];
        job.numerator = 65535;
        job.denominator = 1;
        job_run(&outcome, &job);
        CHECK_EQUAL(unit, outcome.report.error, ERR_MEMORY);
        job_free(&outcome);
    }
}

void test_units(struct unit *unit)
{
    UNIT_RUN(unit, units_of_no_bytes);
    UNIT_RUN(unit, as_many_units_as_there_can_be);
    UNIT_RUN(unit, arguments_of_any_length);
    UNIT_RUN(unit, outputs);
    UNIT_RUN(unit, outputs_of_few_units);
    UNIT_RUN(unit, outputs_of_long_units);
    UNIT_RUN(unit, outputs_that_do_not_fit);
}

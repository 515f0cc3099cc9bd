/* SPDX-License-Identifier: Apache-2.0 */
/* Farms: whole jobs, in which every byte that a worker gets is looked at. */
#include "test/scatter/jobs/suite.h"

static struct job farm(uint32_t units)
{
    return (struct job){.size = {5, 4},
                        .originator = {2, 1},
                        .schedule = SCHEDULE_FARM,
                        .rounds = WIRE_BEST,
                        .tree = true,
                        .unit_bytes = 3,
                        .units = units};
}

static void jobs_of_all_sizes(struct unit *unit)
{
    for (uint32_t units = 1; units < 3000; units += 1 + units / 7) {
        struct job job = farm(units);

        job_check(unit, &job);
        job.rounds = (uint8_t)(1 + units % 9);
        job.ports = (uint8_t)(1u << units % 3);
        job.size = (struct torus_size){(uint16_t)(1 + units % 6),
                                       (uint16_t)(1 + units % 5)};
        job.originator = (struct torus_coord){0, 0};
        job_check(unit, &job);
    }
}

static void jobs_with_halos(struct unit *unit)
{
    for (uint32_t n = 0; n < 36; ++n) {
        struct job job = farm(50 + 97 * n);

        job.before_bytes = n % 3 * 7;
        job.after_bytes = n / 3 % 3 * 5;
        job.first_unit = n % 2 * 11;
        job.later_units = n / 9 % 2 * 9;
        job_check(unit, &job);
    }
}

/* Every byte that a master passes on is the load's, and every result comes home
   through it, on meshes with few and with many masters. */
static void jobs_with_masters(struct unit *unit)
{
    for (uint32_t n = 0; n < 120; ++n) {
        struct job job = farm(1 + n * n * 3);

        job.masters = true;
        job.size =
            (struct torus_size){(uint16_t)(2 + n % 7), (uint16_t)(1 + n % 11)};
        job.originator = (struct torus_coord){0, 0};
        job.rounds = n % 5 == 0 ? WIRE_BEST : (uint8_t)(n % 9 + 1);
        job.before_bytes = n % 3 * 7;
        job.after_bytes = n / 3 % 3 * 5;
        job.first_unit = n % 2 * 11;
        job_check(unit, &job);
    }
}

/* They come back with demands, and the last ones with the result. */
static void jobs_with_outputs(struct unit *unit)
{
    for (uint32_t n = 0; n < 40; ++n) {
        struct job job = farm(1 + 131 * n);

        job.numerator = (uint16_t)(1 + n % 5);
        job.denominator = (uint16_t)(1 + n % 4);
        job.varies = n % 8 == 7;
        if (job.varies) {
            job.numerator = 1;
            job.denominator = 1;
        }
        job.first_unit = n % 3 * 10;
        job_check(unit, &job);
    }
}

void test_farm(struct unit *unit)
{
    UNIT_RUN(unit, jobs_of_all_sizes);
    UNIT_RUN(unit, jobs_with_halos);
    UNIT_RUN(unit, jobs_with_masters);
    UNIT_RUN(unit, jobs_with_outputs);
}

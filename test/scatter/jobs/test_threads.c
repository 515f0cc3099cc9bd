/* SPDX-License-Identifier: Apache-2.0 */
/* Native nodes in threads: whatever their number, every event, every circuit
   and every byte of the result is the same. */
#include "test/scatter/jobs/suite.h"

#include <string.h>

#define THREADS_MAX 8u

static void compare(struct unit *unit, const struct job_outcome *got,
                    const struct job_outcome *want)
{
    CHECK_EQUAL(unit, got->report.error, ERR_OK);
    CHECK_EQUAL(unit, strcmp(got->timeline, want->timeline), 0);
    CHECK_EQUAL(unit, got->nodes, want->nodes);
    CHECK_EQUAL(unit, got->ended, want->ended);
    CHECK_EQUAL(unit, got->result.bytes, want->result.bytes);
    CHECK_EQUAL(unit, got->result.output_bytes, want->result.output_bytes);
    CHECK_EQUAL(unit,
                memcmp(got->result.output, want->result.output,
                       want->result.output_bytes),
                0);
}

/* On the pattern, in several rounds, in a tree. */
static void of_any_number(struct unit *unit)
{
    static const struct job jobs[] = {{.size = {25, 25},
                                       .unit_bytes = 1,
                                       .units = 100000,
                                       .numerator = 1,
                                       .denominator = 1,
                                       .before_bytes = 3,
                                       .after_bytes = 5},
                                      {.size = {5, 5},
                                       .originator = {2, 3},
                                       .rounds = 4,
                                       .unit_bytes = 7,
                                       .units = 20000,
                                       .numerator = 1,
                                       .denominator = 2},
                                      {.size = {6, 5},
                                       .schedule = SCHEDULE_PETERS_SYSKA,
                                       .tree = true,
                                       .ports = 1,
                                       .unit_bytes = 2,
                                       .units = 30000,
                                       .numerator = 1,
                                       .denominator = 1}};

    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; ++i) {
        struct job job = jobs[i];
        struct job_outcome want;

        CHECK(unit, job_check(unit, &job) > 1);
        job_run(&want, &job);
        for (job.threads = 2; job.threads <= THREADS_MAX; job.threads += 2) {
            struct job_outcome got;

            job_run(&got, &job);
            compare(unit, &got, &want);
            CHECK_EQUAL(unit, echo_wrong, 0);
            job_free(&got);
        }
        job_free(&want);
    }
}

void test_threads(struct unit *unit)
{
    UNIT_RUN(unit, of_any_number);
}

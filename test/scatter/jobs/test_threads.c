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

static void check_job(struct unit *unit, struct job job)
{
    struct job_outcome want;

    job.threads = 1;
    CHECK(unit, job_check(unit, &job) > 1);
    job_run(&want, &job);
    for (job.threads = 1; job.threads <= THREADS_MAX; ++job.threads) {
        struct job_outcome got;

        job_run(&got, &job);
        compare(unit, &got, &want);
        CHECK_EQUAL(unit, echo_wrong, 0);
        job_free(&got);
    }
    job_free(&want);
}

static void on_the_pattern(struct unit *unit)
{
    check_job(unit, (struct job){.size = {25, 25},
                                 .unit_bytes = 1,
                                 .units = 100000,
                                 .numerator = 1,
                                 .denominator = 1,
                                 .before_bytes = 3,
                                 .after_bytes = 5});
}

static void in_several_rounds(struct unit *unit)
{
    check_job(unit, (struct job){.size = {5, 5},
                                 .originator = {2, 3},
                                 .rounds = 4,
                                 .unit_bytes = 7,
                                 .units = 20000,
                                 .numerator = 1,
                                 .denominator = 2});
}

static void in_a_tree(struct unit *unit)
{
    check_job(unit, (struct job){.size = {6, 5},
                                 .schedule = SCHEDULE_PETERS_SYSKA,
                                 .tree = true,
                                 .ports = 1,
                                 .unit_bytes = 2,
                                 .units = 30000,
                                 .numerator = 1,
                                 .denominator = 1});
}

void test_threads(struct unit *unit)
{
    UNIT_RUN(unit, on_the_pattern);
    UNIT_RUN(unit, in_several_rounds);
    UNIT_RUN(unit, in_a_tree);
}

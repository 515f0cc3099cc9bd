/* SPDX-License-Identifier: Apache-2.0 */
/* Every node's log through the originator, between jobs. */
#include "test/qemu/probe/suite.h"

#include "hal/events.h"

#include <string.h>

#define UNITS 100000u

/* The log of a node as probed must be what its window holds. */
static uint32_t check_log(struct unit *unit, struct suite *suite, uint32_t node)
{
    static struct probe_log log;
    const struct window *window =
        suite->backend.window(suite->backend.context, node);
    uint32_t written = window->log.events_written;

    log.at = torus_coord_of(suite->config.size, node);
    CHECK_EQUAL(unit, probe_logs(&suite->channel, &log, 1), 0);
    CHECK_EQUAL(unit, log.written, written);
    CHECK_EQUAL(unit, log.count, written < NODE_EVENTS ? written : NODE_EVENTS);
    CHECK(unit, memcmp(log.event, window->log.event,
                       log.count * sizeof log.event[0]) == 0);
    return log.count;
}

/* All logs before a job, after it, and after another one. */
static void logs_of(struct unit *unit, struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);
    static struct suite suite;

    suite_open(&suite, size, (struct torus_coord){0, 0});
    for (uint32_t node = 1; node < nodes; ++node) {
        CHECK_EQUAL(unit, check_log(unit, &suite, node), 0);
    }
    for (unsigned job = 0; job < 2; ++job) {
        suite_job(unit, &suite, UNITS + job);
        for (unsigned again = 0; again < 2; ++again) {
            for (uint32_t node = 1; node < nodes; ++node) {
                /* forwarded, start, end, results of children, queued, done */
                CHECK(unit, check_log(unit, &suite, node) >= 5);
            }
        }
    }
    suite_close(&suite);
}

static void logs_before_and_after_jobs(struct unit *unit)
{
    logs_of(unit, (struct torus_size){5, 5});
    logs_of(unit, (struct torus_size){4, 6}); /* along a tree */
}

/* A log that overflowed: the first events, and how many there were. */
static void a_full_log(struct unit *unit)
{
    static struct suite suite;
    struct window *window;

    suite_open(&suite, (struct torus_size){5, 5}, (struct torus_coord){0, 0});
    suite_job(unit, &suite, UNITS);
    window = suite.backend.window(suite.backend.context, 7);
    for (uint32_t i = 0; i < 1000; ++i) {
        events_record(&window->log, i, EVENT_COMPUTE_END, i, 2 * i);
    }
    CHECK_EQUAL(unit, check_log(unit, &suite, 7), NODE_EVENTS);
    suite_job(unit, &suite, UNITS);
    CHECK(unit, check_log(unit, &suite, 7) < NODE_EVENTS);
    suite_close(&suite);
}

void test_logs(struct unit *unit)
{
    UNIT_RUN(unit, logs_before_and_after_jobs);
    UNIT_RUN(unit, a_full_log);
}

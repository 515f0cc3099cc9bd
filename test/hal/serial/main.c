/* SPDX-License-Identifier: Apache-2.0 */
/* serial_circuit: circuits over serial lines as TAP (unit_host()); a full log.
 */
#include "hal/events.h"
#include "test/hal/serial/world.h"

#include <string.h>

/* Units and the last end stay right, however many intervals there are. */
static void a_full_log_joins_intervals(struct unit *unit)
{
    static struct node_log log;
    uint64_t units = 0;
    uint64_t end_ps = 0;

    memset(&log, 0, sizeof log);
    events_record(&log, 1, EVENT_SCATTER_START, 0, 0);
    for (uint32_t i = 0; i < 3 * NODE_EVENTS; ++i) {
        events_record(&log, 10 * i + 2, EVENT_COMPUTE_START, 7, i);
        events_record(&log, 10 * i + 5, EVENT_COMPUTE_END, 7, i);
    }
    events_record(&log, 99, EVENT_RESULT_QUEUED, 1, 8);
    events_record(&log, 100, EVENT_DONE, 0, 0);
    CHECK(unit, log.events_written <= NODE_EVENTS);
    CHECK_EQUAL(unit, log.event[log.events_written - 1].kind, EVENT_DONE);
    for (uint32_t i = 1; i + 2 < log.events_written; i += 2) {
        CHECK_EQUAL(unit, log.event[i].kind, EVENT_COMPUTE_START);
        CHECK_EQUAL(unit, log.event[i + 1].kind, EVENT_COMPUTE_END);
        CHECK(unit, log.event[i].time_ps > end_ps);
        units += log.event[i].value;
        end_ps = log.event[i + 1].time_ps;
    }
    CHECK_EQUAL(unit, units, 3 * NODE_EVENTS * (3ull * NODE_EVENTS - 1) / 2);
    CHECK_EQUAL(unit, end_ps, 10 * (3 * NODE_EVENTS - 1) + 5);
}

/* Without intervals it keeps the first events, and counts. */
static void a_full_log_of_other_events(struct unit *unit)
{
    static struct node_log log;

    memset(&log, 0, sizeof log);
    for (uint32_t i = 0; i < NODE_EVENTS + 9; ++i) {
        events_record(&log, i, EVENT_RESULT_MERGED, 0, i);
    }
    CHECK_EQUAL(unit, log.events_written, NODE_EVENTS + 9);
    CHECK_EQUAL(unit, log.event[NODE_EVENTS - 1].value, NODE_EVENTS - 1);
}

static void all(struct unit *unit)
{
    test_sends(unit);
    test_receives(unit);
    test_errands(unit);
    RUN(a_full_log_joins_intervals);
    RUN(a_full_log_of_other_events);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}

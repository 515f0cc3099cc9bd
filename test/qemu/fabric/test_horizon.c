/* SPDX-License-Identifier: Apache-2.0 */
/* The horizon of random nodes that run and rest, beside a scan of all. */
#include "qemu/fabric/horizon.h"
#include "test/qemu/fabric/suite.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX 40u
#define STEPS 400u
#define WORLDS 300u

/* The same, found by looking at each node. */
struct scan {
    uint32_t nodes;
    bool running[NODES_MAX];
    uint64_t time_ps[NODES_MAX];
};

static uint32_t scan_running(const struct scan *scan)
{
    uint32_t running = 0;

    for (uint32_t i = 0; i < scan->nodes; ++i) {
        running += scan->running[i];
    }
    return running;
}

static uint64_t scan_ps(const struct scan *scan)
{
    uint64_t earliest_ps = UINT64_MAX;

    for (uint32_t i = 0; i < scan->nodes; ++i) {
        if (scan->running[i] && scan->time_ps[i] < earliest_ps) {
            earliest_ps = scan->time_ps[i];
        }
    }
    return earliest_ps;
}

/* xorshift64*, Vigna 2016 */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

static void step(struct horizon *horizon, struct scan *scan, uint64_t *state)
{
    uint32_t node = (uint32_t)(draw(state) >> 32) % scan->nodes;
    uint64_t time_ps = draw(state);

    if (scan->running[node]) {
        horizon_remove(horizon, node);
        scan->running[node] = false;
        return;
    }
    /* Often one of few, so that many are equal; all 64 bits count. */
    time_ps = time_ps % 4 == 0 ? time_ps : time_ps >> 61;
    horizon_add(horizon, node, time_ps);
    scan->running[node] = true;
    scan->time_ps[node] = time_ps;
}

static void compare(struct unit *unit, const struct horizon *horizon,
                    const struct scan *scan)
{
    CHECK_EQUAL(unit, horizon_running(horizon), scan_running(scan));
    CHECK(unit, horizon_ps(horizon) == scan_ps(scan));
}

static void as_a_scan_of_all(struct unit *unit)
{
    uint64_t state = 1;

    for (uint32_t world = 0; world < WORLDS; ++world) {
        struct scan scan = {.nodes = 1 + world % NODES_MAX};
        struct horizon *horizon = horizon_new(scan.nodes);

        memset(scan.running, true, sizeof scan.running);
        compare(unit, horizon, &scan);
        for (uint32_t i = 0; i < STEPS; ++i) {
            step(horizon, &scan, &state);
            compare(unit, horizon, &scan);
        }
        horizon_free(horizon);
    }
}

static void a_node_that_rests_is_no_loss(struct unit *unit)
{
    struct horizon *horizon = horizon_new(2);

    horizon_remove(horizon, 0);
    horizon_remove(horizon, 0);
    CHECK_EQUAL(unit, horizon_running(horizon), 1);
    CHECK_EQUAL(unit, horizon_ps(horizon), 0);
    horizon_remove(horizon, 1);
    CHECK_EQUAL(unit, horizon_running(horizon), 0);
    CHECK(unit, horizon_ps(horizon) == UINT64_MAX);
    horizon_remove(horizon, 1);
    horizon_add(horizon, 1, 7);
    CHECK_EQUAL(unit, horizon_running(horizon), 1);
    CHECK_EQUAL(unit, horizon_ps(horizon), 7);
    horizon_free(horizon);
}

void test_horizon(struct unit *unit)
{
    UNIT_RUN(unit, as_a_scan_of_all);
    UNIT_RUN(unit, a_node_that_rests_is_no_loss);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/event_queue.h"
#include "test/qemu/simulate/suite.h"

/* Events in the order in which they were added, until they are taken. */
#define NAIVE_MAX 4000u

struct naive {
    uint64_t time_ps[NAIVE_MAX];
    bool taken[NAIVE_MAX];
    uint32_t count;
};

/* The first of the earliest ones, or NAIVE_MAX. */
static uint32_t naive_next(const struct naive *naive)
{
    uint32_t found = NAIVE_MAX;

    for (uint32_t i = 0; i < naive->count; ++i) {
        if (!naive->taken[i] &&
            (found == NAIVE_MAX || naive->time_ps[i] < naive->time_ps[found])) {
            found = i;
        }
    }
    return found;
}

/* xorshift: the same numbers in every run. */
static uint64_t random_below(uint64_t *state, uint64_t limit)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % limit;
}

static void add_both(struct event_queue *queue, struct naive *naive,
                     uint64_t time_ps)
{
    event_queue_add(queue, time_ps, naive->count);
    naive->time_ps[naive->count] = time_ps;
    naive->taken[naive->count] = false;
    naive->count += 1;
}

/* Adds while it takes, up to `span` ahead of the current time. */
static void against_the_naive_twin(struct unit *unit, uint64_t span)
{
    static struct naive naive;
    struct event_queue *queue = event_queue_new();
    uint64_t random = span + 88172645463325252u;
    uint64_t now_ps = 0;

    naive.count = 0;
    for (uint32_t i = 0; i < NAIVE_MAX / 2; ++i) {
        add_both(queue, &naive, random_below(&random, span));
    }
    while (event_queue_next(queue, &now_ps)) {
        uint32_t event;

        while (event_queue_remove(queue, &event)) {
            uint32_t want = naive_next(&naive);

            CHECK_EQUAL(unit, event, want);
            CHECK_EQUAL(unit, now_ps, naive.time_ps[want]);
            naive.taken[event] = true;
            if (naive.count < NAIVE_MAX) {
                add_both(queue, &naive, now_ps + random_below(&random, span));
            }
        }
    }
    CHECK_EQUAL(unit, naive_next(&naive), NAIVE_MAX);
    CHECK_EQUAL(unit, naive.count, NAIVE_MAX);
    event_queue_free(queue);
}

static void order_is_that_of_a_naive_twin(struct unit *unit)
{
    static const uint64_t spans[] = {1,    2,       10,
                                     1000, 1000000, (uint64_t)1 << 52};

    for (unsigned i = 0; i < sizeof spans / sizeof *spans; ++i) {
        against_the_naive_twin(unit, spans[i]);
    }
}

static void nothing_is_later_than_the_last_time(struct unit *unit)
{
    struct event_queue *queue = event_queue_new();
    uint64_t now_ps = 1;
    uint32_t event = 0;

    CHECK(unit, !event_queue_next(queue, &now_ps));
    CHECK(unit, !event_queue_remove(queue, &event));
    event_queue_add(queue, UINT64_MAX, 7);
    CHECK(unit, event_queue_next(queue, &now_ps) && now_ps == UINT64_MAX);
    CHECK(unit, event_queue_remove(queue, &event) && event == 7);
    CHECK(unit, !event_queue_remove(queue, &event));
    event_queue_free(queue);
}

/* Many of one time, and the storage used again. */
static void many_of_one_time(struct unit *unit)
{
    struct event_queue *queue = event_queue_new();
    uint64_t now_ps = 0;

    for (uint32_t round = 1; round <= 3; ++round) {
        for (uint32_t i = 0; i < 100000; ++i) {
            event_queue_add(queue, 12345u * round, i);
        }
        CHECK(unit, event_queue_next(queue, &now_ps));
        CHECK_EQUAL(unit, now_ps, 12345u * round);
        for (uint32_t i = 0; i < 100000; ++i) {
            uint32_t event = UINT32_MAX;

            CHECK(unit, event_queue_remove(queue, &event) && event == i);
        }
    }
    event_queue_free(queue);
}

/* With events in all kinds of buckets: the address sanitizer's test. */
static void freed_when_full(struct unit *unit)
{
    struct event_queue *queue = event_queue_new();
    uint64_t now_ps = 0;

    for (uint32_t i = 0; i < 64; ++i) {
        event_queue_add(queue, (uint64_t)1 << i, i);
    }
    CHECK(unit, event_queue_next(queue, &now_ps));
    CHECK_EQUAL(unit, now_ps, 1);
    event_queue_free(queue);
}

void test_event_queue(struct unit *unit)
{
    UNIT_RUN(unit, order_is_that_of_a_naive_twin);
    UNIT_RUN(unit, nothing_is_later_than_the_last_time);
    UNIT_RUN(unit, many_of_one_time);
    UNIT_RUN(unit, freed_when_full);
}

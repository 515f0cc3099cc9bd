/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/event_queue.h"
#include "test/simulate/suite.h"

#include <stdlib.h>

/* Events in the order in which they were added, until they are taken. */
#define NAIVE_MAX 4000u

struct naive {
    uint64_t time_ps[NAIVE_MAX];
    bool taken[NAIVE_MAX];
    uint32_t count;
};

static struct agenda *new_agenda(void)
{
    struct agenda *agenda = agenda_new();

    if (agenda == NULL) {
        abort();
    }
    return agenda;
}

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

static void add_both(struct unit *unit, struct agenda *agenda,
                     struct naive *naive, uint64_t time_ps)
{
    CHECK_EQUAL(unit, agenda_add(agenda, time_ps, naive->count), ERR_OK);
    naive->time_ps[naive->count] = time_ps;
    naive->taken[naive->count] = false;
    naive->count += 1;
}

/* Adds while it takes, up to `span` ahead of the current time. */
static void against_the_naive_twin(struct unit *unit, uint64_t span)
{
    static struct naive naive;
    struct agenda *agenda = new_agenda();
    uint64_t random = span + 88172645463325252u;
    uint64_t now_ps = 0;
    bool more = true;

    naive.count = 0;
    for (uint32_t i = 0; i < NAIVE_MAX / 2; ++i) {
        add_both(unit, agenda, &naive, random_below(&random, span));
    }
    while (more) {
        uint32_t event;

        CHECK_EQUAL(unit, agenda_next(agenda, &now_ps, &more), ERR_OK);
        while (agenda_take(agenda, &event)) {
            uint32_t want = naive_next(&naive);

            CHECK_EQUAL(unit, event, want);
            CHECK_EQUAL(unit, now_ps, naive.time_ps[want]);
            naive.taken[event] = true;
            if (naive.count < NAIVE_MAX) {
                add_both(unit, agenda, &naive,
                         now_ps + random_below(&random, span));
            }
        }
    }
    CHECK_EQUAL(unit, naive_next(&naive), NAIVE_MAX);
    CHECK_EQUAL(unit, naive.count, NAIVE_MAX);
    agenda_free(agenda);
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
    struct agenda *agenda = new_agenda();
    uint64_t now_ps = 1;
    uint32_t event = 0;
    bool more = true;

    CHECK_EQUAL(unit, agenda_next(agenda, &now_ps, &more), ERR_OK);
    CHECK(unit, !more);
    CHECK(unit, !agenda_take(agenda, &event));
    CHECK_EQUAL(unit, agenda_add(agenda, UINT64_MAX, 7), ERR_OK);
    CHECK_EQUAL(unit, agenda_next(agenda, &now_ps, &more), ERR_OK);
    CHECK(unit, more && now_ps == UINT64_MAX);
    CHECK(unit, agenda_take(agenda, &event) && event == 7);
    CHECK(unit, !agenda_take(agenda, &event));
    agenda_free(agenda);
}

/* Many of one time, and the storage used again. */
static void many_of_one_time(struct unit *unit)
{
    struct agenda *agenda = new_agenda();
    uint64_t now_ps = 0;
    bool more;

    for (uint32_t round = 1; round <= 3; ++round) {
        for (uint32_t i = 0; i < 100000; ++i) {
            CHECK_EQUAL(unit, agenda_add(agenda, 12345u * round, i), ERR_OK);
        }
        CHECK_EQUAL(unit, agenda_next(agenda, &now_ps, &more), ERR_OK);
        CHECK_EQUAL(unit, now_ps, 12345u * round);
        for (uint32_t i = 0; i < 100000; ++i) {
            uint32_t event = UINT32_MAX;

            CHECK(unit, agenda_take(agenda, &event) && event == i);
        }
    }
    agenda_free(agenda);
    agenda_free(NULL);
}

/* With events in all kinds of buckets: the address sanitizer's test. */
static void freed_when_full(struct unit *unit)
{
    struct agenda *agenda = new_agenda();

    for (uint32_t i = 0; i < 64; ++i) {
        CHECK_EQUAL(unit, agenda_add(agenda, (uint64_t)1 << i, i), ERR_OK);
    }
    agenda_free(agenda);
}

void test_agenda(struct unit *unit)
{
    UNIT_RUN(unit, order_is_that_of_a_naive_twin);
    UNIT_RUN(unit, nothing_is_later_than_the_last_time);
    UNIT_RUN(unit, many_of_one_time);
    UNIT_RUN(unit, freed_when_full);
}

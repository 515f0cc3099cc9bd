/* SPDX-License-Identifier: Apache-2.0 */
/* Mesh time by a timer that runs in real time. clock_stop() stops nothing.
   clock_start() adds to base_ps. */
#include "hal/clock.h"

#include "hal/serial/timer.h"

#include <stdbool.h>

static bool accounting;  /* timer_account() was called (emulator only) */
static uint64_t read_ps; /* last result of clock_now_ps(), if `accounting` */
/* Lead of mesh time over the emulator's time. At SLEEP_PS the node sleeps. */
static uint64_t ahead_ps;
#define SLEEP_PS 1000000000u

uint64_t clock_now_ps(const struct clock *clock)
{
    uint64_t now_ps = clock->base_ps + timer_counts() * TIMER_PS_PER_COUNT;

    if (accounting) {
        read_ps = now_ps;
    }
    return now_ps;
}

uint64_t clock_stop(struct clock *clock)
{
    return clock_now_ps(clock);
}

void clock_start(struct clock *clock, uint64_t at_ps)
{
    uint64_t now_ps = clock_now_ps(clock);

    if (at_ps > now_ps) {
        clock->base_ps += at_ps - now_ps;
        now_ps = at_ps;
    }
    clock->started_ps = now_ps;
}

uint64_t clock_started_ps(const struct clock *clock)
{
    return clock->started_ps;
}

void timer_account(void)
{
    accounting = true;
}

/* Sleeps for ahead_ps, while mesh time stands still. Messages still come in. */
static void sleep_off(struct clock *clock)
{
    uint64_t start_count = timer_counts();
    uint64_t passed_ps;

    do {
        timer_rest();
        passed_ps = (timer_counts() - start_count) * TIMER_PS_PER_COUNT;
    } while (passed_ps < ahead_ps);
    clock->base_ps -= passed_ps;
    ahead_ps = 0;
}

/* Does nothing on a chip. On the emulator sets mesh time to read_ps + ps. */
void clock_account(struct clock *clock, uint64_t ps)
{
    uint64_t at_ps = read_ps + ps;
    uint64_t now_ps;

    if (!accounting) {
        return;
    }
    now_ps = clock_now_ps(clock);
    if (at_ps > now_ps) {
        ahead_ps += at_ps - now_ps;
    }
    clock->base_ps += at_ps - now_ps;
    if (ahead_ps >= SLEEP_PS) {
        sleep_off(clock);
    }
}

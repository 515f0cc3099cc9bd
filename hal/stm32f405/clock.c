/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mesh time on a board whose time is the world's: it goes on while the node
 * waits. clock_stop() only tells the time; clock_start() can only move it
 * forward, by moving base_ps, the mesh time when the timer started.
 */
#include "hal/clock.h"

#include "hal/stm32f405/timer.h"

#include <stdbool.h>

static bool accounting;
static uint64_t read_ps; /* last result of clock_now_ps(), while accounting */
/* Time of work that was accounted for and took the emulator none. A node whose
   clock is SLEEP_PS ahead sleeps as long. */
static uint64_t ahead_ps;
#define SLEEP_PS 1000000000u

uint64_t clock_now_ps(const struct clock *clock)
{
    uint64_t now_ps = clock->base_ps + timer_ticks() * TIMER_PS_PER_TICK;

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

/* Sleeps for as long as work was accounted for that took the emulator no time,
   while mesh time stands still: so messages come while a node computes, as on
   boards. */
static void sleep_off(struct clock *clock)
{
    uint64_t start_ticks = timer_ticks();
    uint64_t passed_ps;

    do {
        timer_rest();
        passed_ps = (timer_ticks() - start_ticks) * TIMER_PS_PER_TICK;
    } while (passed_ps < ahead_ps);
    clock->base_ps -= passed_ps;
    ahead_ps = 0;
}

/* On a chip the work's time has passed already. Time that passed on the
   emulator since the clock was read is the host's, and does not count. */
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

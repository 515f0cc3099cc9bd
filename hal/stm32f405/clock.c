/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mesh time on a board whose time is the world's: it never stands still, also
 * not while the node waits, so stopping the clock only tells the time, and
 * starting it can only move it forward, by moving base_ps: what mesh time was
 * when the timer started.
 */
#include "hal/clock.h"

#include "hal/stm32f405/timer.h"

#include <stdbool.h>

uint64_t clock_now_ps(const struct clock *clock)
{
    return clock->base_ps + timer_ticks() * TIMER_PS_PER_TICK;
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

static bool accounting;

void timer_account(void)
{
    accounting = true;
}

/* Else it has passed already. */
void clock_account(struct clock *clock, uint64_t ps)
{
    if (accounting) {
        clock->base_ps += ps;
    }
}

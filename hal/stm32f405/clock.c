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

static bool accounting;
static uint64_t read_ps; /* what clock_now_ps() said last; if accounting */

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

/* Else it has passed already. What passed on the emulator since the clock was
   read is the host's time. */
void clock_account(struct clock *clock, uint64_t ps)
{
    if (accounting) {
        uint64_t at_ps = read_ps + ps;

        clock->base_ps += at_ps - clock_now_ps(clock);
    }
}

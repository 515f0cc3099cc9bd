/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a board that becomes slow, for tests: the image
 * firmware_slow.elf has this file in place of hal/mps2/clock.c. The board
 * executes as many instructions as before, but each tick of its timer counts as
 * more mesh time. The timer starts so that it wraps at slow_from_ps, after n
 * ticks:
 *
 *   mesh time   start              slow_from_ps
 *   count       2^32 - n ......... 2^32 = 0 ..........
 *   a tick is   40 ns              40 ns << slow_shift
 */
#include "hal/clock.h"

#include "hal/mps2/registers.h"
#include "hal/window/window.h"

#include <stdbool.h>

#define INJECTION ((const struct window *)PSRAM_BASE)->injection

/* The running clock; the timer's handler adds the time of a wrap to it. */
static struct clock *running;

/* Mesh time of a tick, ps. */
static volatile uint32_t tick_ps;

static void set_tick(bool slow)
{
    tick_ps = TIMER_PS_PER_TICK << (slow ? INJECTION.slow_shift : 0);
}

/* No wrap comes before slow_from_ps: the board is slow after every wrap. */
void clock_timer_interrupt(void)
{
    CMSDK_TIMER0->INTCLEAR = 1;
    running->base_ps += (uint64_t)tick_ps << 32;
    set_tick(true);
}

uint64_t clock_now_ps(const struct clock *clock)
{
    const volatile uint32_t *upper = (const uint32_t *)&clock->base_ps + 1;
    uint32_t before;
    uint32_t ticks;
    uint32_t each_ps;

    do {
        before = *upper;
        ticks = ~CMSDK_TIMER0->VALUE;
        each_ps = tick_ps;
    } while (before != *upper);
    return ((uint64_t)before << 32 | (uint32_t)clock->base_ps) +
           (uint64_t)ticks * each_ps;
}

uint64_t clock_stop(struct clock *clock)
{
    CMSDK_TIMER0->CTRL = 0;
    clock->base_ps = clock_now_ps(clock);
    clock->started_ps = clock->base_ps;
    return clock->base_ps;
}

/* Returns the timer's first count for a wrap at slow_from_ps; 0 if slow_from_ps
   is less than two ticks ahead. */
static uint32_t first_count(uint64_t start_ps)
{
    uint64_t from_ps = INJECTION.slow_from_ps;
    uint32_t ticks = from_ps > start_ps
                         ? (uint32_t)((from_ps - start_ps) / TIMER_PS_PER_TICK)
                         : 0;

    return ticks < 2 ? 0 : 0u - ticks;
}

void clock_start(struct clock *clock, uint64_t at_ps)
{
    uint32_t count;

    CMSDK_TIMER0->CTRL = 0; /* a running timer must not wrap now */
    if (at_ps > clock->started_ps) {
        clock->started_ps = at_ps;
    }
    count = first_count(clock->started_ps);
    set_tick(count == 0);
    clock->base_ps = clock->started_ps - (uint64_t)count * TIMER_PS_PER_TICK;
    running = clock;
    CMSDK_TIMER0->RELOAD = UINT32_MAX;
    CMSDK_TIMER0->VALUE = ~count;
    CMSDK_TIMER0->INTCLEAR = 1;
    armv7m_interrupt_enable(TIMER0_IRQ);
    CMSDK_TIMER0->CTRL = TIMER_CTRL_ENABLE | TIMER_CTRL_INTERRUPT;
}

uint64_t clock_started_ps(const struct clock *clock)
{
    return clock->started_ps;
}

void clock_account(struct clock *clock, uint64_t ps)
{
    (void)clock; /* the timer has counted during the work */
    (void)ps;
}

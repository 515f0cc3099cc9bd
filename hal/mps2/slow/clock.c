/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mesh time on a board that becomes slow, for tests: the clock of the image
 * firmware_slow.elf, in place of hal/mps2/clock.c. The board executes as many
 * instructions as before, but each tick of its timer is more mesh time. Where
 * it becomes slow while it executes, the timer starts so that it wraps just
 * then:
 *
 *   mesh time   start              slow_from_ps
 *   count       2^32 - n ......... 2^32 = 0 ..........
 *   a tick is   40 ns              40 ns << slow_shift
 *
 * It is an image of its own because every event and every send reads the clock:
 * there this costs an instruction or two.
 */
#include "hal/clock.h"

#include "hal/mps2/registers.h"
#include "hal/window/window.h"

#include <stdbool.h>

#define INJECTION ((const struct window *)PSRAM_BASE)->injection

/* The clock that runs: the interrupt handler adds a wrap to it. */
static struct clock *running;

/* A tick, in mesh time. */
static volatile uint32_t tick_ps;

static void set_tick(bool slow)
{
    tick_ps = TIMER_PS_PER_TICK << (slow ? INJECTION.slow_shift : 0);
}

/* A wrap adds tick_ps << 32, and so changes the upper word of base_ps alone. It
   takes 171 s at 40 ns a tick, and no start is as much before slow_from_ps: the
   first wrap comes at slow_from_ps or after it. */
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

/* The count at which the timer starts, so that it wraps at slow_from_ps; 0 if
   that is less than two ticks ahead: a timer set to its last tick does not
   wrap.
 */
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

    CMSDK_TIMER0->CTRL = 0; /* it may run, and must not wrap before it is set */
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
    (void)clock; /* the instructions have been counted already */
    (void)ps;
}

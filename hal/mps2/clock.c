/* SPDX-License-Identifier: Apache-2.0 */
/* Mesh time by the CMSDK timer, which counts ticks of 40 ns. The timer is
   disabled while the node waits: else virtual time would jump to its wrap
   (QEMU's option sleep=off). The timer wraps after 171 s, and interrupts. */
#include "hal/clock.h"

#include "hal/mps2/registers.h"

#define PS_PER_WRAP ((uint64_t)TIMER_PS_PER_TICK << 32)

/* The running clock; the timer's handler adds the time of a wrap to it. */
static struct clock *running;

void clock_timer_interrupt(void)
{
    CMSDK_TIMER0->INTCLEAR = 1;
    running->base_ps += PS_PER_WRAP;
}

uint64_t clock_now_ps(const struct clock *clock)
{
    /* Reads again if the timer has wrapped between the two reads. */
    const volatile uint32_t *upper = (const uint32_t *)&clock->base_ps + 1;
    uint32_t before;
    uint32_t ticks;

    do {
        before = *upper;
        ticks = ~CMSDK_TIMER0->VALUE;
    } while (before != *upper);
    return ((uint64_t)before << 32 | (uint32_t)clock->base_ps) +
           (uint64_t)ticks * TIMER_PS_PER_TICK;
}

uint64_t clock_stop(struct clock *clock)
{
    CMSDK_TIMER0->CTRL = 0;
    clock->base_ps = clock_now_ps(clock);
    return clock->base_ps;
}

void clock_start(struct clock *clock, uint64_t at_ps)
{
    if (at_ps > clock->base_ps) {
        clock->base_ps = at_ps;
    }
    running = clock;
    CMSDK_TIMER0->RELOAD = UINT32_MAX;
    CMSDK_TIMER0->VALUE = UINT32_MAX;
    CMSDK_TIMER0->INTCLEAR = 1;
    armv7m_interrupt_enable(TIMER0_IRQ);
    CMSDK_TIMER0->CTRL = TIMER_CTRL_ENABLE | TIMER_CTRL_INTERRUPT;
}

uint64_t clock_started_ps(const struct clock *clock)
{
    return clock->base_ps;
}

void clock_account(struct clock *clock, uint64_t ps)
{
    (void)clock; /* the timer has counted during the work */
    (void)ps;
}

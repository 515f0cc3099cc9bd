/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mesh time on the CMSDK timer, which counts 40 ns ticks of virtual time; an
 * instruction takes 32 ns. While the node waits the timer is disabled: under
 * QEMU's sleep=off an armed timer would make the clock jump to its deadline.
 * A wrap (after 171 s of counting) interrupts, so that long kernels count.
 */
#include "hal/clock.h"

#include "hal/mps2_an385/registers.h"

#define TICKS_PER_WRAP_PS ((uint64_t)TIMER_PS_PER_TICK << 32)

static volatile uint32_t wraps;

void clock_timer_interrupt(void);

void clock_timer_interrupt(void)
{
    CMSDK_TIMER0->INTCLEAR = 1;
    wraps += 1;
}

uint64_t clock_now_ps(const struct clock *clock)
{
    uint32_t before = wraps;
    uint32_t ticks = UINT32_MAX - CMSDK_TIMER0->VALUE;

    if (wraps != before) {
        /* It wrapped in between: the second reading is on this side. */
        before = wraps;
        ticks = UINT32_MAX - CMSDK_TIMER0->VALUE;
    }
    return clock->base_ps + (uint64_t)ticks * TIMER_PS_PER_TICK +
           (uint64_t)before * TICKS_PER_WRAP_PS;
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
    wraps = 0;
    CMSDK_TIMER0->RELOAD = UINT32_MAX;
    CMSDK_TIMER0->VALUE = UINT32_MAX;
    CMSDK_TIMER0->INTCLEAR = 1;
    NVIC_ISER0 = 1u << TIMER0_IRQ;
    CMSDK_TIMER0->CTRL = TIMER_CTRL_ENABLE | TIMER_CTRL_INTERRUPT;
}

void clock_account(struct clock *clock, uint64_t ps)
{
    (void)clock; /* the instructions have been counted already */
    (void)ps;
}

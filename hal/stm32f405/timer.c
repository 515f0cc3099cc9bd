/* SPDX-License-Identifier: Apache-2.0 */
/* RM0090, chapter 18; ARM DDI 0403, B3.3. */
#include "hal/stm32f405/timer.h"

#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/registers.h"

#define TICK_HZ 1000u

static struct {
    void (*tick)(void *context);
    void *context;
    uint32_t last; /* what the counter was at the last look */
    uint32_t high; /* how often it has wrapped: every 1074 s */
} timer;

/* The update event loads the prescaler (18.4.6). */
static void start_counter(const struct clocks *clocks)
{
    RCC->APB1ENR |= RCC_APB1ENR_TIM2EN;
    (void)RCC->APB1ENR; /* the clock arrives two cycles late (7.3) */
    TIM2->PSC = clocks->timer_hz / (1000000u * TIMER_TICKS_PER_US) *
                    (1u + clocks->slower) -
                1;
    TIM2->ARR = UINT32_MAX;
    TIM2->EGR = TIM_EGR_UG;
    TIM2->CR1 = TIM_CR1_CEN;
}

static void start_tick(const struct clocks *clocks)
{
    SCB->SHPR3 = INTERRUPTS_TICK << SCB_SHPR3_SYSTICK_SHIFT;
    SYST->RVR = clocks->core_hz / TICK_HZ * (1u + clocks->slower) - 1;
    SYST->CVR = 0;
    SYST->CSR = SYST_CSR_CLKSOURCE | SYST_CSR_TICKINT | SYST_CSR_ENABLE;
}

void timer_start(const struct clocks *clocks, void (*tick)(void *context),
                 void *context)
{
    timer.tick = tick;
    timer.context = context;
    start_counter(clocks);
    timer.last = TIM2->CNT;
    timer.high = 0;
    start_tick(clocks);
}

/* The tick looks often enough that no wrap is missed. */
uint64_t timer_ticks(void)
{
    uint32_t before = armv7m_mask();
    uint32_t now = TIM2->CNT;

    if (now < timer.last) {
        ++timer.high;
    }
    timer.last = now;
    uint64_t ticks = (uint64_t)timer.high << 32 | now;
    armv7m_unmask(before);
    return ticks;
}

uint32_t timer_us(void)
{
    return (uint32_t)(timer_ticks() / TIMER_TICKS_PER_US);
}

void timer_wait_us(uint32_t us)
{
    uint32_t from = timer_us();

    while (timer_us() - from <= us) {
    }
}

void timer_tick_interrupt(void)
{
    (void)timer_ticks();
    if (timer.tick != 0) {
        timer.tick(timer.context);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* RM0090, chapter 18. */
#include "hal/stm32f405/timer.h"

#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/registers.h"

#define TICK_US 1000u

static struct {
    void (*tick)(void *context);
    void *context;
    uint32_t last; /* what the counter was at the last look */
    uint32_t high; /* how often it has wrapped: every 1074 s */
} timer;

/* The update event loads the prescaler; URS: without an interrupt (18.4.1). */
static void start(struct stm32_tim *tim, uint32_t timer_hz, uint32_t reload,
                  uint32_t interrupts)
{
    tim->CR1 = TIM_CR1_URS;
    tim->PSC = timer_hz / (1000000u * TIMER_TICKS_PER_US) - 1;
    tim->ARR = reload;
    tim->EGR = TIM_EGR_UG;
    tim->SR = 0;
    tim->DIER = interrupts;
    tim->CR1 = TIM_CR1_URS | TIM_CR1_CEN;
}

void timer_start(uint32_t timer_hz, void (*tick)(void *context), void *context)
{
    timer.tick = tick;
    timer.context = context;
    RCC->APB1ENR |= RCC_APB1ENR_TIM2EN | RCC_APB1ENR_TIM3EN;
    (void)RCC->APB1ENR; /* the clock arrives two cycles late (7.3) */
    start(TIM2, timer_hz, UINT32_MAX, 0);
    start(TIM3, timer_hz, TICK_US * TIMER_TICKS_PER_US - 1, TIM_DIER_UIE);
    timer.last = TIM2->CNT;
    timer.high = 0;
    armv7m_interrupt_priority(TIM3_IRQ, INTERRUPTS_TICK);
    armv7m_interrupt_enable(TIM3_IRQ);
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
    TIM3->SR = ~TIM_SR_UIF;
    (void)timer_ticks();
    if (timer.tick != 0) {
        timer.tick(timer.context);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* See RM0090, chapters 18 (TIM2) and 21 (watchdog), and ARM DDI 0403, B3.3. */
#include "hal/stm32f405/timer.h"

#include "hal/serial/board.h"
#include "hal/serial/driver.h"
#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/registers.h"

#include <stdbool.h>

#define TICK_HZ 1000u

static struct {
    void (*tick)(void);
    struct {
        void (*function)(void);
        volatile bool armed;
    } call[TIMER_CALLS];
    volatile uint32_t last; /* TIM2's count at the last timer_counts() */
    volatile uint32_t high; /* number of wraps of TIM2, one every 1074 s */
} timer;

/* Starts TIM2; the update event (EGR) loads its prescaler (18.4.6). */
static void start_counter(const struct clocks *clocks)
{
    RCC->APB1ENR |= RCC_APB1ENR_TIM2EN;
    (void)RCC->APB1ENR; /* the clock arrives two cycles late (7.3) */
    TIM2->PSC = clocks->timer_hz / (1000000u * TIMER_COUNTS_PER_US) *
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

void timer_start(const struct clocks *clocks, void (*tick)(void))
{
    timer.tick = tick;
    start_counter(clocks);
    timer.last = TIM2->CNT;
    timer.high = 0;
    start_tick(clocks);
}

/* Counts wraps of TIM2; called by each SysTick, so that no wrap is missed. */
uint64_t timer_counts(void)
{
    uint32_t before = armv7m_mask();
    uint32_t now = TIM2->CNT;

    if (now < timer.last) {
        ++timer.high;
    }
    timer.last = now;
    uint64_t counts = (uint64_t)timer.high << 32 | now;
    armv7m_unmask(before);
    return counts;
}

/* Returns the time since the start, us. Masks interrupts only if TIM2 has
   wrapped, or if this call interrupts timer_counts(). */
uint32_t board_now_us(void)
{
    uint32_t high = timer.high;
    uint32_t last = timer.last;
    uint32_t now = TIM2->CNT;

    if (now < last || high != timer.high) {
        return (uint32_t)(timer_counts() / TIMER_COUNTS_PER_US);
    }
    return high * (UINT32_MAX / TIMER_COUNTS_PER_US + 1u) +
           now / TIMER_COUNTS_PER_US;
}

void timer_rest(void)
{
    __asm volatile("wfi" ::: "memory");
}

void timer_wait_us(uint32_t us)
{
    uint32_t from = board_now_us();

    while (board_now_us() - from <= us) {
    }
}

/* ---- compares ---- */

static_assert(TIMER_CALLS <= 4, "TIM2 compares with four registers");

static bool has_passed(uint32_t counts)
{
    return (int32_t)(TIM2->CNT - counts) >= 0;
}

void timer_on(enum timer_call which, void (*call)(void))
{
    timer.call[which].function = call;
    TIM2->DIER |= TIM_DIER_CC1IE << which;
    armv7m_interrupt_priority(TIM2_IRQ, INTERRUPTS_PORTS);
    armv7m_interrupt_enable(TIM2_IRQ);
}

/* Requests the call `which` at TIM2's count `counts`; at once if it has passed.
   Precondition: interrupts are masked. */
static void set(unsigned which, uint32_t counts)
{
    TIM2->CCR[which] = counts;
    timer.call[which].armed = true;
    if (has_passed(counts)) {
        armv7m_interrupt_pend(TIM2_IRQ);
    }
}

void timer_call_at(enum timer_call which, uint32_t at_us)
{
    uint32_t before = armv7m_mask();

    if (timer.call[which].function != 0) {
        set(which, at_us * TIMER_COUNTS_PER_US);
    }
    armv7m_unmask(before);
}

void timer_call_in(enum timer_call which, uint32_t us)
{
    uint32_t before = armv7m_mask();
    uint32_t counts = TIM2->CNT + us * TIMER_COUNTS_PER_US;

    if (timer.call[which].function != 0 &&
        (!timer.call[which].armed ||
         (int32_t)(TIM2->CCR[which] - counts) > 0)) {
        set(which, counts);
    }
    armv7m_unmask(before);
}

/* Compares counts: a call whose time had passed has no flag in SR. */
void timer_compare_interrupt(void)
{
    uint32_t since = taken_begin();

    TIM2->SR = 0;
    for (unsigned which = 0; which < TIMER_CALLS; ++which) {
        if (timer.call[which].armed && has_passed(TIM2->CCR[which])) {
            timer.call[which].armed = false;
            timer.call[which].function();
        }
    }
    taken_end(since);
}

void timer_tick_interrupt(void)
{
    (void)timer_counts();
    if (timer.tick != 0) {
        timer.tick();
    }
}

/* ---- masks ---- */

/* Masks all interrupts but INTERRUPTS_BYTES. */
uint32_t serial_mask(void)
{
    return armv7m_mask_from(INTERRUPTS_PORTS);
}

void serial_unmask(uint32_t before)
{
    armv7m_unmask_from(before);
}

/* ---- cycles that handlers take ---- */

struct taken taken_by_ports;

uint64_t taken_cycles(void)
{
    uint32_t before = armv7m_mask();
    uint64_t cycles = taken_by_ports.cycles;

    armv7m_unmask(before);
    return cycles;
}

/* ---- the independent watchdog ---- */

/* Counts of the watchdog: 2 s at 500 Hz, the oscillator's 32 kHz / 64. */
#define WATCHDOG_RELOAD 1000u

/* Greatest number of reads of SR, which changes within 0.3 ms (21.4.2). */
#define WATCHDOG_LOOKS_MAX 100000u

void watchdog_start(const struct clocks *clocks)
{
    if (clocks->source == CLOCKS_EMULATED) {
        return;
    }
    DBGMCU->CR |= DBGMCU_CR_DBG_SLEEP; /* lets a debugger in during WFI */
    DBGMCU->APB1_FZ |= DBGMCU_APB1_FZ_IWDG_STOP;
    IWDG->KR = IWDG_KR_START; /* starts its oscillator, too */
    IWDG->KR = IWDG_KR_UNLOCK;
    IWDG->PR = IWDG_PR_DIV64;
    IWDG->RLR = WATCHDOG_RELOAD;
    for (uint32_t looks = 0; looks < WATCHDOG_LOOKS_MAX; ++looks) {
        if ((IWDG->SR & (IWDG_SR_PVU | IWDG_SR_RVU)) == 0) {
            break;
        }
    }
    watchdog_feed();
}

void watchdog_feed(void)
{
    IWDG->KR = IWDG_KR_FEED;
}

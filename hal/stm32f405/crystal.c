/* SPDX-License-Identifier: Apache-2.0 */
/* RM0090, chapter 19 (TIM11), 7.3.3 (the RTC's prescaler). */
#include "hal/stm32f405/crystal.h"

#include "hal/stm32f405/registers.h"

#include <stdbool.h>

#define HSI_MHZ 16u
#define PRESCALER 31u   /* of the RTC */
#define CAPTURE_EACH 8u /* edges behind it */
#define INTERVALS 15u   /* between captures: 0.15 to 0.93 ms */
#define MHZ_MIN 4u
#define MHZ_MAX 26u
#define LOOKS_MAX 2000u /* 10 cycles each: 1.2 ms at 16 MHz */

/* Crystal cycles in all intervals, in MHz times ticks of HSI. */
#define PRODUCT (INTERVALS * CAPTURE_EACH * PRESCALER * HSI_MHZ)

/* Waits for the next capture. */
static bool capture(uint32_t *count)
{
    for (uint32_t looks = 0; looks < LOOKS_MAX; ++looks) {
        if ((TIM11->SR & TIM_SR_CC1IF) != 0) {
            *count = TIM11->CCR1; /* clears the flag */
            return true;
        }
    }
    return false;
}

static void start(void)
{
    RCC->CFGR |= PRESCALER << RCC_CFGR_RTCPRE_SHIFT;
    RCC->APB2ENR |= RCC_APB2ENR_TIM11EN;
    (void)RCC->APB2ENR; /* the clock arrives two cycles late (7.3) */
    TIM11->OR = TIM11_OR_HSE_RTC;
    TIM11->CCMR1 = TIM_CCMR1_CC1S_TI1 | TIM_CCMR1_IC1PSC_8;
    TIM11->CR1 = TIM_CR1_CEN;
    TIM11->CCER = TIM_CCER_CC1E;
}

static void stop(void)
{
    TIM11->CCER = 0;
    TIM11->CR1 = 0;
    RCC->APB2ENR &= ~RCC_APB2ENR_TIM11EN;
    RCC->CFGR &= ~(RCC_CFGR_RTCPRE_MASK << RCC_CFGR_RTCPRE_SHIFT);
}

uint32_t crystal_measure_hz(void)
{
    uint32_t first = 0;
    uint32_t last = 0;
    uint32_t ticks;
    uint32_t mhz;
    bool found;

    start();
    found = capture(&first);
    for (unsigned i = 0; found && i < INTERVALS; ++i) {
        found = capture(&last);
    }
    stop();
    ticks = (last - first) & UINT16_MAX;
    if (!found || ticks == 0) {
        return 0;
    }
    mhz = (PRODUCT + ticks / 2) / ticks;
    if (mhz == MHZ_MAX + 1u && PRODUCT * 10u / ticks <= MHZ_MAX * 10u + 5u) {
        mhz = MHZ_MAX; /* no more than that and HSI's 1.9 % */
    }
    return mhz < MHZ_MIN || mhz > MHZ_MAX ? 0 : mhz * 1000000u;
}

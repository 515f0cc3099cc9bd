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
#define USUAL_MAX 16u
#define USUAL_PART 22u  /* of a usual crystal's: 4.5 % */
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

/* What crystal that is, in MHz, by an oscillator that is off by 1 % when warm
   and 4 % at most (DS8626, 5.3.9). 4, 8, 12 and 16 MHz are on most boards and
   far enough apart to be taken for it with that; others with half a MHz. */
static uint32_t named_mhz(uint32_t measured_khz)
{
    uint32_t usual = (measured_khz + 2000u) / 4000u * 4u;
    uint32_t usual_khz = usual * 1000u;
    uint32_t off_khz = measured_khz > usual_khz ? measured_khz - usual_khz
                                                : usual_khz - measured_khz;
    uint32_t mhz = (measured_khz + 500u) / 1000u;

    if (usual <= USUAL_MAX && off_khz * USUAL_PART <= usual_khz) {
        mhz = usual;
    } else if (mhz == MHZ_MAX + 1u && measured_khz <= MHZ_MAX * 1000u + 500u) {
        mhz = MHZ_MAX; /* no more than that and HSI's 1.9 % */
    }
    return mhz < MHZ_MIN || mhz > MHZ_MAX ? 0 : mhz;
}

uint32_t crystal_measure_hz(void)
{
    uint32_t first = 0;
    uint32_t last = 0;
    uint32_t ticks;
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
    return named_mhz(PRODUCT * 1000u / ticks) * 1000000u;
}

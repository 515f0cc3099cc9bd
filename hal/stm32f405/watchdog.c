/* SPDX-License-Identifier: Apache-2.0 */
/* See RM0090, chapter 21. */
#include "hal/stm32f405/watchdog.h"

#include "hal/stm32f405/registers.h"

/* 2 s at 500 Hz: the oscillator's 32 kHz, divided by 64. */
#define RELOAD 1000u

/* Number of looks at SR: 5 ms or more at 168 MHz. SR changes within 5 cycles of
   the watchdog's oscillator, 0.3 ms (21.4.2). */
#define LOOKS_MAX 100000u

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
    IWDG->RLR = RELOAD;
    for (uint32_t looks = 0; looks < LOOKS_MAX; ++looks) {
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

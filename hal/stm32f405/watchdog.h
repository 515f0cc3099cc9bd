/* SPDX-License-Identifier: Apache-2.0 */
/* The independent watchdog: resets a board whose main loop hangs. */
#ifndef HAL_STM32F405_WATCHDOG_H
#define HAL_STM32F405_WATCHDOG_H

#include "hal/stm32f405/clocks.h"

/*
 * Starts it; nothing but a reset stops it again. It bites 2 s after the last
 * watchdog_feed(); 1.3 s to 3.8 s, as its oscillator has 17 to 47 kHz (data
 * sheet, 5.3.9). A debugger that halts the processor halts it too. Not started
 * on the emulator, which has none.
 */
void watchdog_start(const struct clocks *clocks);

/* To be called from the main loop, never from an interrupt. */
void watchdog_feed(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The independent watchdog: resets a board whose main loop hangs. */
#ifndef HAL_STM32F405_WATCHDOG_H
#define HAL_STM32F405_WATCHDOG_H

#include "hal/stm32f405/clocks.h"

/*
 * Starts the watchdog, which only a reset stops. It resets the board 2 s after
 * the last watchdog_feed(): 1.3 s to 3.8 s, since its oscillator has 17 to 47
 * kHz (data sheet, 5.3.9). A debugger that halts the processor halts it too.
 * Does nothing on the emulator, which has no watchdog.
 */
void watchdog_start(const struct clocks *clocks);

/* Restarts the watchdog's time. Called from the main loop, and from the timer's
   tick while the main loop is in a job. */
void watchdog_feed(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Time on this board: TIM2 counts steps of 250 ns; SysTick interrupts every
   millisecond. */
#ifndef HAL_STM32F405_TIMER_H
#define HAL_STM32F405_TIMER_H

#include "hal/serial/timer.h"
#include "hal/stm32f405/clocks.h"

/* Starts both timers. `tick`, if not NULL, is called every millisecond from an
   interrupt less urgent than the ports'; emulated ticks may be late or lost. */
void timer_start(const struct clocks *clocks, void (*tick)(void));

/* Calls of functions at requested times, by the compare registers of TIM2. The
   calls come from an interrupt that is as urgent as the ports' late ones. */
enum timer_call {
    TIMER_ALARM, /* requested by the node: time of a port's next work */
    TIMER_POLL,  /* requested by the serial driver */
    TIMER_CALLS
};

/* Sets the function that `which` calls; after timer_start(). Before timer_on(),
   as on the emulator, the next two functions do nothing. */
void timer_on(enum timer_call which, void (*call)(void));

/* Request the call `which`; any context. timer_call_at(): at time at_us of
   board_now_us(), or at once if it has passed; replaces an earlier request.
   timer_call_in(): `us` us from now, unless requested for an earlier time. */
void timer_call_at(enum timer_call which, uint32_t at_us);
void timer_call_in(enum timer_call which, uint32_t us);

/* Waits for at least `us` us, without sleeping. */
void timer_wait_us(uint32_t us);

/* ---- the independent watchdog, which resets a hanging board ---- */

/* Starts the watchdog, which only a reset stops. It resets the board 1.3 s to
   3.8 s after the last watchdog_feed(). Does nothing on the emulator. */
void watchdog_start(const struct clocks *clocks);

#endif

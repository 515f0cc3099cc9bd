/* SPDX-License-Identifier: Apache-2.0 */
/* Time on this board: TIM2 counts steps of 250 ns; SysTick interrupts every
   millisecond. */
#ifndef HAL_STM32F405_TIMER_H
#define HAL_STM32F405_TIMER_H

#include "hal/stm32f405/clocks.h"

#include <stdint.h>

#define TIMER_COUNTS_PER_US 4u
#define TIMER_PS_PER_COUNT 250000u

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

/* Returns TIM2's count since timer_start(), steps of 250 ns. Any context. Cost:
   about 20 instructions. */
uint64_t timer_counts(void);

/* Makes clock_account() move mesh time from now on. Emulator only. */
void timer_account(void);

/* Sleeps until an interrupt: 1 ms at most, since SysTick interrupts. */
void timer_rest(void);

/* Waits for at least `us` us, without sleeping. */
void timer_wait_us(uint32_t us);

/* ---- the independent watchdog, which resets a hanging board ---- */

/* Starts the watchdog, which only a reset stops. It resets the board 1.3 s to
   3.8 s after the last watchdog_feed(). Does nothing on the emulator. */
void watchdog_start(const struct clocks *clocks);

/* Restarts the watchdog's 2 s. Called from the main loop; during a job also
   from the `tick` of timer_start(). */
void watchdog_feed(void);

#endif

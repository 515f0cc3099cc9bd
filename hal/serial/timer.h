/* SPDX-License-Identifier: Apache-2.0 */
/* The timer of a board with serial lines, which hal/BOARD/ defines. Mesh time
   (hal/serial/clock.c) comes from it. */
#ifndef HAL_SERIAL_TIMER_H
#define HAL_SERIAL_TIMER_H

#include <stdint.h>

#define TIMER_COUNTS_PER_US 4u
#define TIMER_PS_PER_COUNT 250000u

/* Returns the count since the start, steps of 250 ns. Any context. Cost: about
   20 instructions. */
uint64_t timer_counts(void);

/* Sleeps until an interrupt: 1 ms at most, since the tick interrupts. */
void timer_rest(void);

/* Restarts the watchdog's 2 s; does nothing without a watchdog. Called from the
   main loop; during a job also from the tick. */
void watchdog_feed(void);

/* Makes clock_account() move mesh time from now on. Emulated boards only;
   defined in hal/serial/clock.c. */
void timer_account(void);

#endif

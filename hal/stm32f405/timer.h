/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time on this board: TIM2 counts ticks of 250 ns without end, and SysTick
 * interrupts every millisecond (not one of the chip's timers: those of QEMU 7.2
 * interrupt late, by as long as it had run when they were started). 250 ns is
 * what the three clock frequencies that a timer may get (84 MHz, 16 MHz, the
 * emulator's 1 GHz) have in common with a whole number of picoseconds, so that
 * no time is rounded and nothing is divided.
 */
#ifndef HAL_STM32F405_TIMER_H
#define HAL_STM32F405_TIMER_H

#include "hal/stm32f405/clocks.h"

#include <stdint.h>

#define TIMER_TICKS_PER_US 4u
#define TIMER_PS_PER_TICK 250000u

/*
 * Starts both; `tick`, if any, is called every millisecond from the interrupt,
 * below the serial ports in urgency: on the emulator now and then later, or
 * fewer times.
 */
void timer_start(const struct clocks *clocks, void (*tick)(void));

/* Two calls to come, by compares of TIM2, from an interrupt that is as urgent
   as the ports'. */
enum timer_call {
    TIMER_ALARM, /* the node's: something is due */
    TIMER_POLL,  /* the serial driver's */
    TIMER_CALLS
};

/* Names the function of a call; after timer_start(). Not on the emulator, whose
   timer interrupts late: there the two functions below do nothing. */
void timer_on(enum timer_call which, void (*call)(void));

/* Calls at this time of board_now_us(), soon if it has passed, in place of a
   call to come; or in `us`, unless a call comes sooner. Any context. */
void timer_call_at(enum timer_call which, uint32_t at_us);
void timer_call_in(enum timer_call which, uint32_t us);

/* Ticks since timer_start(); any context. Cost: about 20 instructions. */
uint64_t timer_ticks(void);

/* Has clock_account() move mesh time from now on: on an emulator, whose time
   does not tell how long a chip would work. */
void timer_account(void);

/* Sleeps until an interrupt, at most until the next tick. */
void timer_rest(void);

/* Waits busily, at least this long. */
void timer_wait_us(uint32_t us);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node's clock, which shows mesh time in picoseconds. It advances while the
 * node executes and stands still while the node waits; a received message moves
 * it forward to the message's arrival. Each board has its own implementation.
 *
 * The node stops its clock *before* it looks for a message, and starts it once
 * there is a message: so mesh time does not depend on how fast the host is.
 */
#ifndef HAL_CLOCK_H
#define HAL_CLOCK_H

#include <stdint.h>

#define CLOCK_PS_PER_US 1000000u

struct clock {
    uint64_t base_ps;    /* mesh time at count 0 of the board's timer; on the
                            host: the present mesh time */
    uint64_t started_ps; /* mesh time at the last clock_start(); unused on
                            boards that have this time in base_ps */
};

/* Returns mesh time; the clock must be running. Cost: about 20 instructions. */
uint64_t clock_now_ps(const struct clock *clock);

/* Stops the clock. Result: mesh time, ps, at which the clock stands. */
uint64_t clock_stop(struct clock *clock);

/* Starts a stopped clock at at_ps, or where it stands if that is later. */
void clock_start(struct clock *clock, uint64_t at_ps);

/* Returns mesh time at the last clock_start(). circuit_receive() calls
   clock_start() when it receives a message. */
uint64_t clock_started_ps(const struct clock *clock);

/* On a native node and on an emulated STM32F405 (timer_account() in
   hal/stm32f405/timer.h): moves mesh time forward by `ps`, the time that the
   work just done takes on a board. On other boards does nothing: their clocks
   have run during the work. */
void clock_account(struct clock *clock, uint64_t ps);

#endif

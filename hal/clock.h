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
    uint64_t base_ps;    /* mesh time at timer count 0; on the host: now */
    uint64_t started_ps; /* mesh time at the last clock_start() */
};

/* Returns mesh time; the clock must be running. Cost: about 20 instructions. */
uint64_t clock_now_ps(const struct clock *clock);

/* Stops the clock. Result: mesh time, ps, at which the clock stands. */
uint64_t clock_stop(struct clock *clock);

/* Starts a stopped clock at at_ps, or where it stands if that is later. */
void clock_start(struct clock *clock, uint64_t at_ps);

/* Returns mesh time at the last clock_start(), ps. */
uint64_t clock_started_ps(const struct clock *clock);

/* Moves mesh time forward by `ps` on a native node and on an emulated
   STM32F405. Does nothing on other boards. */
void clock_account(struct clock *clock, uint64_t ps);

#endif

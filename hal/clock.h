/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node's mesh time, in picoseconds. It advances while the node executes and
 * stands still while the node waits; a message carries it forward to the
 * message's arrival time. Implemented once for each board.
 *
 * The clock is stopped *before* the node looks whether a message is there and
 * started after: how soon the host delivers must not change what is counted.
 */
#ifndef HAL_CLOCK_H
#define HAL_CLOCK_H

#include <stdint.h>

#define CLOCK_PS_PER_NS 1000u
#define CLOCK_PS_PER_US 1000000u

struct clock {
    uint64_t base_ps;    /* mesh time at the last start; or when time began */
    uint64_t started_ps; /* at the last start, where base_ps is the other */
};

/* Mesh time now; the clock must be running. Cost: about 20 instructions. */
uint64_t clock_now_ps(const struct clock *clock);

/* Stops the clock and returns the time at which it stands. */
uint64_t clock_stop(struct clock *clock);

/* Starts a stopped clock at `at_ps`, no earlier than where it stood. */
void clock_start(struct clock *clock, uint64_t at_ps);

/* Mesh time at the last start: after a receive, that of the receipt. */
uint64_t clock_started_ps(const struct clock *clock);

/*
 * Moves mesh time on by `ps`, which work takes on a board. A board counts its
 * own instructions, and does nothing here; a native node's instructions are not
 * a board's.
 */
void clock_account(struct clock *clock, uint64_t ps);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a native node: only clock_account() and messages move it. */
#include "hal/clock.h"

uint64_t clock_now_ps(const struct clock *clock)
{
    return clock->base_ps;
}

uint64_t clock_stop(struct clock *clock)
{
    return clock->base_ps;
}

void clock_start(struct clock *clock, uint64_t at_ps)
{
    if (at_ps > clock->base_ps) {
        clock->base_ps = at_ps;
    }
}

uint64_t clock_started_ps(const struct clock *clock)
{
    return clock->base_ps;
}

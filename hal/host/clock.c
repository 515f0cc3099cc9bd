/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a native node: clock_account() and messages move it. started_ps
   is the time that each clock_start() takes, of the node's software: 0 but for
   trials (qemu/job/trial.h). */
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
    clock->base_ps += clock->started_ps;
}

uint64_t clock_started_ps(const struct clock *clock)
{
    return clock->base_ps;
}

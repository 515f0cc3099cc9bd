/* SPDX-License-Identifier: Apache-2.0 */
/* Measures host time in which a mesh makes no progress, whether its nodes are
   silent or ring in vain. Whoever waits for nodes calls watchdog_barks()
   between two waits; whoever sees progress calls watchdog_feed(). */
#ifndef QEMU_FABRIC_WATCHDOG_H
#define QEMU_FABRIC_WATCHDOG_H

#include "hal/nodiscard.h"
#include "qemu/base/host_clock.h"

#include <stdbool.h>

/* Longest single wait for nodes, ns. */
#define WATCHDOG_LOOK_NS (200 * HOST_CLOCK_MS_NS)

/* Initialise with the limit and the clock's time; the rest is 0. */
struct watchdog {
    uint64_t limit_ns; /* host time allowed without progress; 0: no limit */
    uint64_t spent_ns; /* host time since the last progress */
    uint64_t seen_ns;  /* host clock at the last watchdog_barks() */
};

/* Returns whether the limit is reached. Adds the time since the last call, but
   at most WATCHDOG_LOOK_NS: a longer gap means that this program itself was
   stopped, by Ctrl-Z or with its container. */
NODISCARD bool watchdog_barks(struct watchdog *watchdog);

/* Notes progress: the watchdog counts from 0 again. */
static inline void watchdog_feed(struct watchdog *watchdog)
{
    watchdog->spent_ns = 0;
}

#endif

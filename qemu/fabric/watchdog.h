/* SPDX-License-Identifier: Apache-2.0 */
/* Measures host time in which a mesh makes no progress: nodes are silent, or
   ring without need. Whoever waits for nodes calls watchdog_barks() after each
   wait; whoever sees progress calls watchdog_feed(). */
#ifndef QEMU_FABRIC_WATCHDOG_H
#define QEMU_FABRIC_WATCHDOG_H

#include "hal/nodiscard.h"
#include "qemu/base/host_clock.h"

#include <stdbool.h>

/* Longest single wait for nodes, ns. */
#define WATCHDOG_LOOK_NS (200 * HOST_CLOCK_MS_NS)

/* The caller sets the limit and the time of the clock; the rest is 0 at
   first. */
struct watchdog {
    uint64_t limit_ns; /* host time allowed without progress; 0: no limit */
    uint64_t spent_ns; /* host time since the last progress */
    uint64_t seen_ns;  /* host clock at the last watchdog_barks() */
};

/* Adds the host time since the last call, and returns whether the limit is
   reached. At most WATCHDOG_LOOK_NS are added: a longer gap means that this
   program was stopped, by Ctrl-Z or with its container. */
NODISCARD bool watchdog_barks(struct watchdog *watchdog);

static inline void watchdog_feed(struct watchdog *watchdog)
{
    watchdog->spent_ns = 0;
}

#endif

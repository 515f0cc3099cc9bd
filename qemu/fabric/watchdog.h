/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the host's time in which a mesh makes no progress, whether its nodes
 * are silent or ring on and on. Whoever waits for nodes asks it between any two
 * waits; whoever sees progress feeds it.
 */
#ifndef QEMU_FABRIC_WATCHDOG_H
#define QEMU_FABRIC_WATCHDOG_H

#include "hal/nodiscard.h"
#include "qemu/base/host_clock.h"

#include <stdbool.h>

/* How long to wait for nodes at once. */
#define WATCHDOG_LOOK_NS (200 * HOST_CLOCK_MS_NS)

/* Begins with the limit and the clock's time. */
struct watchdog {
    uint64_t limit_ns; /* 0: it never barks */
    uint64_t spent_ns; /* without progress */
    uint64_t seen_ns;  /* the clock's time when it was asked last */
};

/*
 * Whether the limit is reached. The time since the last call counts, but no
 * more than WATCHDOG_LOOK_NS: what is longer this program was stopped itself,
 * by Ctrl-Z or with its container, and nodes perhaps with it.
 */
NODISCARD bool watchdog_barks(struct watchdog *watchdog);

/* There was progress: its time begins again. */
static inline void watchdog_feed(struct watchdog *watchdog)
{
    watchdog->spent_ns = 0;
}

#endif

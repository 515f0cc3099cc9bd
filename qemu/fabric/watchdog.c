/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/watchdog.h"

bool watchdog_barks(struct watchdog *watchdog)
{
    uint64_t now_ns = host_clock_ns(host_clock());
    uint64_t since_ns = now_ns - watchdog->seen_ns;

    watchdog->seen_ns = now_ns;
    watchdog->spent_ns +=
        since_ns < WATCHDOG_LOOK_NS ? since_ns : WATCHDOG_LOOK_NS;
    return watchdog->limit_ns > 0 && watchdog->spent_ns >= watchdog->limit_ns;
}

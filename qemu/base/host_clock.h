/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of whoever waits: of this machine; of a model, whose time is its
 * own; or of a test, which says how far time goes (test/lib/fake_clock.h).
 *
 * Whatever waits with a deadline reads the time and waits by the same clock.
 * Real time that is only reported may be read from another one.
 */
#ifndef QEMU_BASE_HOST_CLOCK_H
#define QEMU_BASE_HOST_CLOCK_H

#include "hal/nodiscard.h"

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_CLOCK_NEVER UINT64_MAX
#define HOST_CLOCK_MS_NS 1000000ull
#define HOST_CLOCK_S_NS 1000000000ull

struct host_clock {
    /* Time in ns since some moment; it never goes back. */
    uint64_t (*now)(void *context);

    /*
     * Waits until one of `count` descriptors is ready, a signal is caught, or
     * the time is until_ns (HOST_CLOCK_NEVER: no deadline). If that has passed
     * it looks once. Result: as poll()'s; 0: the time is up.
     */
    int (*wait)(void *context, struct pollfd *of, unsigned count,
                uint64_t until_ns);

    void *context;
};

/* This machine's clock: CLOCK_MONOTONIC. Programs of tests are linked with
   test/lib/fake_clock.c in place of host_clock.c, and get another one. */
const struct host_clock *host_clock(void);

static inline uint64_t host_clock_ns(const struct host_clock *clock)
{
    return clock->now(clock->context);
}

static inline uint64_t host_clock_ms(const struct host_clock *clock)
{
    return host_clock_ns(clock) / HOST_CLOCK_MS_NS;
}

static inline double host_clock_s(const struct host_clock *clock)
{
    return 1e-9 * (double)host_clock_ns(clock);
}

/* Waits for one descriptor for at most `ns`. Result: as poll()'s. */
NODISCARD static inline int host_clock_poll(const struct host_clock *clock,
                                            struct pollfd *of, uint64_t ns)
{
    return clock->wait(clock->context, of, 1, host_clock_ns(clock) + ns);
}

/* Waits for `ns`, less if a signal is caught. */
static inline void host_clock_pause(const struct host_clock *clock, uint64_t ns)
{
    (void)clock->wait(clock->context, NULL, 0, host_clock_ns(clock) + ns);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A clock to read and to wait by: this machine's clock, a simulation's, or the
   fake clock of a test (test/lib/fake_clock.h). A deadline must be awaited with
   the clock by which it was computed. */
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
    /* Returns the time in ns since some moment; the time never decreases. */
    uint64_t (*now)(void *context);

    /* Waits until one of `count` descriptors is ready, a signal is caught, or
       the clock reaches until_ns (HOST_CLOCK_NEVER: no deadline). Returns
       poll()'s result; 0 means that the deadline has passed. Descriptors are
       checked once even after the deadline. */
    int (*wait)(void *context, struct pollfd *of, unsigned count,
                uint64_t until_ns);

    void *context;
};

/* Returns this machine's clock, CLOCK_MONOTONIC. Test programs link
   test/lib/fake_clock.c, whose host_clock() returns a fake clock. */
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

/* Waits at most `ns` for one descriptor. Returns poll()'s result. */
NODISCARD static inline int host_clock_poll(const struct host_clock *clock,
                                            struct pollfd *of, uint64_t ns)
{
    return clock->wait(clock->context, of, 1, host_clock_ns(clock) + ns);
}

/* Waits `ns` nanoseconds, or less if a signal is caught. */
static inline void host_clock_pause(const struct host_clock *clock, uint64_t ns)
{
    (void)clock->wait(clock->context, NULL, 0, host_clock_ns(clock) + ns);
}

#endif

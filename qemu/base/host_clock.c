/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/host_clock.h"

#include <stddef.h>
#include <time.h>

static uint64_t real_now(void *context)
{
    struct timespec now;

    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * HOST_CLOCK_S_NS + (uint64_t)now.tv_nsec;
}

static int real_wait(void *context, struct pollfd *of, unsigned count,
                     uint64_t until_ns)
{
    uint64_t now_ns = real_now(context);
    uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    const struct timespec left = {.tv_sec = (time_t)(left_ns / HOST_CLOCK_S_NS),
                                  .tv_nsec = (long)(left_ns % HOST_CLOCK_S_NS)};

    return ppoll(of, count, until_ns == HOST_CLOCK_NEVER ? NULL : &left, NULL);
}

const struct host_clock *host_clock(void)
{
    static const struct host_clock real = {.now = real_now, .wait = real_wait};

    return &real;
}

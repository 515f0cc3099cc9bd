/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/live/ticker.h"

#include "qemu/support/limits.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* So long from now, by a clock. */
static struct timespec after(clockid_t clock, double seconds)
{
    struct timespec at;
    double whole;

    clock_gettime(clock, &at);
    seconds += (double)at.tv_nsec * 1e-9;
    whole = (double)(time_t)seconds;
    at.tv_sec += (time_t)whole;
    at.tv_nsec = (long)((seconds - whole) * 1e9);
    return at;
}

int ticker_start(struct ticker *ticker, void *(*work)(void *), void *context)
{
    pthread_condattr_t monotonic;
    sigset_t all;
    sigset_t before;
    int error;

    memset(ticker, 0, sizeof *ticker);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&ticker->lock, NULL);
    pthread_cond_init(&ticker->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&ticker->thread, NULL, work, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    ticker->started = error == 0;
    if (error != 0) {
        fprintf(stderr, "quincunx: --serve: no thread: %s\n",
                limits_start_error(error));
        pthread_mutex_destroy(&ticker->lock);
        pthread_cond_destroy(&ticker->changed);
        return -1;
    }
    return 0;
}

bool ticker_wait(struct ticker *ticker, double seconds)
{
    struct timespec until = after(CLOCK_MONOTONIC, seconds);
    bool ends;
    int error = 0;

    pthread_mutex_lock(&ticker->lock);
    while (!ticker->ends && error == 0) {
        error = pthread_cond_timedwait(&ticker->changed, &ticker->lock, &until);
    }
    ends = ticker->ends;
    pthread_mutex_unlock(&ticker->lock);
    return ends;
}

bool ticker_stop(struct ticker *ticker, double seconds)
{
    struct timespec until = after(CLOCK_REALTIME, seconds);

    if (!ticker->started) {
        return true;
    }
    pthread_mutex_lock(&ticker->lock);
    ticker->ends = true;
    pthread_cond_signal(&ticker->changed);
    pthread_mutex_unlock(&ticker->lock);
    if (pthread_timedjoin_np(ticker->thread, NULL, &until) != 0) {
        return false;
    }
    ticker->started = false;
    pthread_mutex_destroy(&ticker->lock);
    pthread_cond_destroy(&ticker->changed);
    return true;
}

double ticker_worked_s(void)
{
    struct timespec worked;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked);
    return (double)worked.tv_sec + (double)worked.tv_nsec * 1e-9;
}

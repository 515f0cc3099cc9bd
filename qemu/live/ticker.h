/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that does something again and again until it is told to end. It gets
   no signal: those are for the command's first thread. */
#ifndef QEMU_LIVE_TICKER_H
#define QEMU_LIVE_TICKER_H

#include "hal/nodiscard.h"

#include <pthread.h>
#include <stdbool.h>

struct ticker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started;
    bool ends;
};

/* Starts it: work(context) is to return once ticker_wait() is true. Result: 0;
   -1 after a message. */
NODISCARD int ticker_start(struct ticker *ticker, void *(*work)(void *),
                           void *context);

/* By the thread: waits for so long, or until it is to end. Result: whether it
   is. */
bool ticker_wait(struct ticker *ticker, double seconds);

/*
 * By others: tells it to end, and waits until it has, so many seconds at most.
 * Result: whether it has; else it goes on as long as the process, and what it
 * uses must stay. A ticker that was not started, or has ended, is fine.
 */
bool ticker_stop(struct ticker *ticker, double seconds);

/* Processor time that the calling thread has taken. */
double ticker_worked_s(void);

#endif

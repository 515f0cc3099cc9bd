/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in the order of their times, for simulations in which time never goes
 * back: a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990, section 2). Events
 * of one time come in the order in which they were added. An event costs 12
 * bytes, and moves at most once for each of the 64 bits of its time: about
 * log2 of the number of distinct times ahead of it.
 */
#ifndef QEMU_JOB_EVENT_QUEUE_H
#define QEMU_JOB_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct event_queue;

/* Result: an empty queue at time 0. */
struct event_queue *event_queue_new(void);
void event_queue_free(struct event_queue *queue);

/* `time_ps` is not before the time of the last event_queue_next(). */
void event_queue_add(struct event_queue *queue, uint64_t time_ps,
                     uint32_t event);

/* Goes on to the earliest time of an event, which may be the current one.
   False if there is no event any more. */
bool event_queue_next(struct event_queue *queue, uint64_t *time_ps);

/* Takes one event of the current time; false if it has none left. */
bool event_queue_remove(struct event_queue *queue, uint32_t *event);

#endif

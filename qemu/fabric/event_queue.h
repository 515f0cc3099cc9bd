/* SPDX-License-Identifier: Apache-2.0 */
/* A queue of events ordered by time: a binary heap. Adding and removing an
   event takes O(log events). */
#ifndef QEMU_FABRIC_EVENT_QUEUE_H
#define QEMU_FABRIC_EVENT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct event {
    uint64_t time_ps;
    uint64_t order; /* of events at equal times, the least goes first */
    void *subject;  /* the caller's data, never read here; likewise `number` */
    uint32_t number;
};

/* A queue of zeros is empty and ready for use. */
struct event_queue {
    struct event *event; /* a heap: event[i] is not before event[(i - 1) / 2] */
    size_t count;
    size_t room;
};

void event_queue_free(struct event_queue *queue);

void event_queue_add(struct event_queue *queue, struct event event);

/* Removes and returns the earliest event, event[0]. The queue must not be
   empty. */
struct event event_queue_remove(struct event_queue *queue);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Events in the order of their times: a binary heap. Adding and removing an
   event takes O(log events). */
#ifndef QEMU_FABRIC_EVENT_QUEUE_H
#define QEMU_FABRIC_EVENT_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct event {
    uint64_t time_ps;
    uint64_t order; /* among events of one time: the least comes first */
    void *subject;  /* the caller's, as is the number */
    uint32_t number;
};

/* Zeros: an empty queue. */
struct event_queue {
    struct event *event; /* none comes before its parent, (i - 1) / 2 */
    size_t count;
    size_t room;
};

void event_queue_free(struct event_queue *queue);

void event_queue_add(struct event_queue *queue, struct event event);

/* Takes the first event, event[0], out of a queue that is not empty. */
struct event event_queue_remove(struct event_queue *queue);

#endif

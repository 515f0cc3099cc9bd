/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/event_queue.h"

#include "qemu/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

static bool before(const struct event *a, const struct event *b)
{
    return a->time_ps != b->time_ps ? a->time_ps < b->time_ps
                                    : a->order < b->order;
}

void event_queue_free(struct event_queue *queue)
{
    free(queue->event);
    *queue = (struct event_queue){.event = NULL};
}

void event_queue_add(struct event_queue *queue, struct event event)
{
    size_t at = queue->count;

    if (at == queue->room) {
        queue->room = 2 * at + 64;
        queue->event = memory_or_exit(
            realloc(queue->event, queue->room * sizeof *queue->event));
    }
    queue->count += 1;
    while (at > 0 && before(&event, &queue->event[(at - 1) / 2])) {
        queue->event[at] = queue->event[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->event[at] = event;
}

struct event event_queue_remove(struct event_queue *queue)
{
    struct event *event = queue->event;
    struct event first = event[0];
    struct event last = event[--queue->count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < queue->count &&
            before(&event[child + 1], &event[child])) {
            child += 1;
        }
        if (child >= queue->count || !before(&event[child], &last)) {
            break;
        }
        event[at] = event[child];
        at = child;
    }
    event[at] = last;
    return first;
}

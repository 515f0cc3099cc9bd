/* SPDX-License-Identifier: Apache-2.0 */
/* The node's event log. Always on, so that a trace changes no timestamp. */
#ifndef HAL_EVENTS_H
#define HAL_EVENTS_H

#include "hal/node.h"

enum event_kind {
    EVENT_NONE,
    EVENT_SCATTER_START, /* at the originator: time zero of the job */
    EVENT_FORWARDED,     /* detail: layer; value: units in the first message */
    EVENT_COMPUTE_START, /* detail: round; value: units computed next */
    EVENT_COMPUTE_END,   /* detail: round; value: units computed */
    EVENT_RESULT_MERGED, /* detail: phase; value: bytes of each result */
    EVENT_RESULT_QUEUED, /* detail: layer; value: bytes of the result */
    EVENT_DONE,          /* value: us that interrupts took from computing */
    EVENT_KINDS
};

/* Joins the log's latest two adjacent intervals of computing, and appends one
   event. Drops the event if there are none. Precondition: events_written
   already counts the event. */
void events_record_full(struct node_log *log, const struct node_event *event);

/* Appends one event. Cost: about 15 instructions. */
static inline void events_record(struct node_log *log, uint64_t time_ps,
                                 enum event_kind kind, unsigned detail,
                                 uint32_t value)
{
    uint32_t slot = log->events_written++;

    if (slot < NODE_EVENTS) {
        struct node_event *event = &log->event[slot];

        event->time_ps = time_ps;
        event->kind = (uint16_t)kind;
        event->detail = (uint16_t)detail;
        event->value = value;
    } else {
        events_record_full(log, &(struct node_event){.time_ps = time_ps,
                                                     .kind = (uint16_t)kind,
                                                     .detail = (uint16_t)detail,
                                                     .value = value});
    }
}

/* Appends text for people to the log's ring, which overwrites its oldest
   text. */
void events_write(struct node_log *log, const char *text, size_t bytes);

#endif

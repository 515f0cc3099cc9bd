/* SPDX-License-Identifier: Apache-2.0 */
/* The node's event log: events and their times, for reports and traces. Events
   are always recorded, so that a trace changes no timestamp. The host can read
   the log even after the node has died. */
#ifndef HAL_EVENTS_H
#define HAL_EVENTS_H

#include "hal/node.h"

enum event_kind {
    EVENT_NONE,
    EVENT_SCATTER_START, /* at the originator: time zero of the job */
    EVENT_FORWARDED,     /* the node has read its first round's message (or the
                            head of it), and has queued the sends that its
                            switch does not do alone; detail: layer; value:
                            units in the message */
    EVENT_COMPUTE_START, /* detail: round; value: units computed next */
    EVENT_COMPUTE_END,   /* detail: round; value: units computed */
    EVENT_RESULT_MERGED, /* detail: phase of the results; value: bytes of
                            each */
    EVENT_RESULT_QUEUED, /* detail: layer; value: bytes of the result */
    EVENT_DONE,          /* value: us that interrupts took from computing */
    EVENT_KINDS
};

/* Appends one event to a full log. To make room, joins the latest two adjacent
   intervals of computing: the joined interval ends with the second one, and has
   the sums of their units and of their lengths. If the log has no such pair,
   drops the event. Precondition: events_written already counts the event. */
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

/* Appends text for people to the log's ring; a full ring overwrites its oldest
   bytes. Text never goes to a UART: an emulated UART is busy for a time that
   depends on the host's speed, and this time would change the node's. */
void events_write(struct node_log *log, const char *text, size_t bytes);

#endif

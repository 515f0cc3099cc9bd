/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node's event log: events and their times, for reports and traces. It is
 * always written, so that a trace changes no timestamp, and it lies where the
 * host can read it also after the node died. A full log joins its last two
 * intervals of computing, whose units, length and end stay right; without two
 * such intervals it keeps its first NODE_EVENTS entries and counts the rest.
 */
#ifndef HAL_EVENTS_H
#define HAL_EVENTS_H

#include "hal/node.h"

enum event_kind {
    EVENT_NONE,
    EVENT_SCATTER_START, /* originator: time zero of the job */
    EVENT_FORWARDED,     /* the first round's message read, perhaps ahead of its
                            end, and the sends queued that the switch does not
                            do by itself; detail: layer; value: volume */
    EVENT_COMPUTE_START, /* value: share in units */
    EVENT_COMPUTE_END,
    EVENT_RESULT_MERGED, /* detail: phase; value: bytes of the result */
    EVENT_RESULT_QUEUED, /* detail: phase; value: bytes of the result */
    EVENT_DONE,          /* value: us of what was computed that interrupts of
                            the ports took (circuit_ports_us()) */
    EVENT_KINDS
};

/*
 * Appends one event to a log that has NODE_EVENTS entries: joins the last two
 * intervals of computing that follow each other, and adds up their units; or
 * counts the event, which events_written has counted already.
 */
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

/*
 * Appends text for people to the log's ring; the oldest bytes are overwritten
 * when it is full. Text goes through memory, never through a UART: a device
 * whose readiness depends on the host would change counted time.
 */
void events_write(struct node_log *log, const char *text, size_t bytes);

#endif

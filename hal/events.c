/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/events.h"

#include <stdbool.h>
#include <string.h>

/* Whether these four events are two adjacent intervals of computing. */
static bool are_intervals(const struct node_event *event)
{
    return event[0].kind == EVENT_COMPUTE_START &&
           event[1].kind == EVENT_COMPUTE_END &&
           event[2].kind == EVENT_COMPUTE_START &&
           event[3].kind == EVENT_COMPUTE_END;
}

/* Joins the latest two adjacent intervals. Result: false: there are none. */
static bool make_room(struct node_log *log)
{
    for (unsigned at = NODE_EVENTS - 3; at-- > 0;) {
        struct node_event *event = &log->event[at];

        if (are_intervals(event)) {
            /* The joined length is the sum: the start moves by the pause. */
            event[0].time_ps += event[2].time_ps - event[1].time_ps;
            event[0].value += event[2].value;
            event[3].value = event[0].value;
            memmove(event + 1, event + 3,
                    (NODE_EVENTS - 3 - at) * sizeof *event);
            log->events_written = NODE_EVENTS - 2;
            return true;
        }
    }
    return false;
}

void events_record_full(struct node_log *log, const struct node_event *event)
{
    if (make_room(log)) {
        log->event[log->events_written] = *event;
        log->events_written += 1;
    }
}

void events_write(struct node_log *log, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        log->console[log->console_written++ % NODE_CONSOLE_BYTES] = text[i];
    }
}

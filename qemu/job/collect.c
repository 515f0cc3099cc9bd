/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/collect.h"

#include "hal/events.h"
#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define PS_PER_US 1000000u

/* Adds an event to the node's current interval. An event EVENT_COMPUTE_END ends
   the interval. */
static void read_interval(struct outcome_node *node,
                          const struct node_event *event, uint64_t at_ps)
{
    struct outcome_compute_interval *interval =
        &node->interval[node->intervals];

    switch (event->kind) {
    case EVENT_FORWARDED:
        interval->forwarded_ps = at_ps;
        break;
    case EVENT_COMPUTE_START:
        interval->round = event->detail;
        interval->units = event->value;
        interval->compute_start_ps = at_ps;
        if (interval->forwarded_ps == 0) {
            interval->forwarded_ps = at_ps; /* logged in later rounds only */
        }
        break;
    case EVENT_COMPUTE_END:
        interval->compute_end_ps = at_ps;
        node->intervals += 1;
        break;
    default:
        break;
    }
}

static void read_events(struct outcome_node *node, uint64_t zero_ps)
{
    for (uint32_t i = 0; i < node->event_count; ++i) {
        const struct node_event *event = &node->event[i];
        uint64_t at_ps = event->time_ps - zero_ps;

        if (event->kind == EVENT_DONE) {
            node->done_ps = at_ps;
            node->ports_ps = (uint64_t)event->value * PS_PER_US;
        } else {
            read_interval(node, event, at_ps);
        }
    }
    for (unsigned k = 0; k < node->intervals; ++k) {
        node->active = true;
        node->units += node->interval[k].units;
        node->finished_ps = node->interval[k].compute_end_ps;
    }
    if (node->ports_ps > outcome_compute_ps(node)) {
        /* ports_ps is a multiple of 1 us, so it may exceed a short compute
           time */
        node->ports_ps = outcome_compute_ps(node);
    }
    node->hop_ps = node->interval[0].forwarded_ps;
    node->forwarded_ps = node->interval[0].forwarded_ps;
    node->compute_start_ps = node->interval[0].compute_start_ps;
}

void collect_log(struct outcome_node *node, const struct node_event *event,
                 uint32_t count, uint64_t zero_ps)
{
    /* A node that gets no units in a batch keeps its log of an earlier batch.
       That log ends before this batch's scatter began. */
    bool is_old =
        count > 0 && (int64_t)(event[count - 1].time_ps - zero_ps) < 0;
    struct node_event *copy = memory_or_exit(calloc(count + 1u, sizeof *copy));

    memcpy(copy, event, count * sizeof *copy);
    node->event = copy;
    node->event_count = is_old ? 0 : count;
    /* No interval takes less than one event; one more may be unfinished. */
    node->interval =
        memory_or_exit(calloc(node->event_count + 1u, sizeof *node->interval));
    read_events(node, zero_ps);
}

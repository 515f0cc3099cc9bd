/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/collect.h"

#include "hal/events.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_US 1000000u

/* Copies a node's log. */
static void copy_events(struct outcome_node *node,
                        const struct node_event *from, uint32_t count)
{
    struct node_event *event =
        memory_or_exit(calloc(count + 1u, sizeof *event));

    memcpy(event, from, count * sizeof *event);
    node->event = event;
    node->event_count = count;
}

/* Makes room for the intervals that the node's log may tell, whatever is in it,
   and for one that has not ended. */
static void allocate_intervals(struct outcome_node *node)
{
    free(node->interval);
    node->interval =
        memory_or_exit(calloc(node->event_count + 1u, sizeof *node->interval));
    node->intervals = 0;
}

/* Adds an event to the interval at hand, which EVENT_COMPUTE_END ends. */
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
            interval->forwarded_ps = at_ps; /* not recorded in later rounds */
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
        node->ports_ps = outcome_compute_ps(node); /* it is rounded */
    }
    node->hop_ps = node->interval[0].forwarded_ps;
    node->forwarded_ps = node->interval[0].forwarded_ps;
    node->compute_start_ps = node->interval[0].compute_start_ps;
}

/* Whether a log is of an earlier batch: it ended before this one's scatter
   began. A node that gets nothing of a batch keeps the log of the one before.
 */
static bool is_old(const struct node_event *event, uint32_t count,
                   uint64_t zero_ps)
{
    return count > 0 && (int64_t)(event[count - 1].time_ps - zero_ps) < 0;
}

void collect_log(struct outcome_node *node, const struct node_event *event,
                 uint32_t count, uint64_t zero_ps)
{
    copy_events(node, event, is_old(event, count, zero_ps) ? 0 : count);
    allocate_intervals(node);
    read_events(node, zero_ps);
}

static bool is_slowed(const struct request *request, uint32_t node)
{
    struct torus_coord at = torus_coord_of(request->size, node);

    return request_slow_shift(request, node) > 0 ||
           injection_slow(&request->injections, at) != NULL;
}

void collect_begin(struct outcome *outcome, const struct job_task *task)
{
    const struct request *request = task->request;
    uint32_t nodes = torus_nodes(request->size);
    struct node_counters *port =
        memory_or_exit(calloc((size_t)nodes * NODE_PORTS, sizeof *port));

    outcome->request = request;
    outcome->schedule = task->schedule;
    outcome->host_times = request->mesh->has_cables;
    outcome->node_count = nodes;
    outcome->node = memory_or_exit(calloc(nodes, sizeof *outcome->node));
    for (uint32_t i = 0; i < nodes; ++i) {
        outcome->node[i].port = port + (size_t)i * NODE_PORTS;
        outcome->node[i].slowed = is_slowed(request, i);
    }
}

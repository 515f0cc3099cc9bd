/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/collect.h"

#include "hal/events.h"
#include "qemu/fabric/window_read.h"
#include "qemu/outcome/layers.h"
#include "qemu/support/memory.h"
#include "scatter/wire/wire.h"
#include "torus/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies a node's log. */
static void keep_events(struct outcome_node *node,
                        const struct node_event *from, uint32_t count)
{
    struct node_event *event =
        memory_or_exit(calloc(count + 1u, sizeof *event));

    memcpy(event, from, count * sizeof *event);
    node->event = event;
    node->event_count = count;
}

/* An interval ends with its computing; sends queued before belong to it. */
static void read_interval(struct outcome_node *node,
                          const struct node_event *event, uint64_t at_ps)
{
    struct outcome_compute_interval *interval =
        &node->interval[node->intervals];

    if (node->intervals == ROUNDS_MAX) {
        return;
    }
    switch (event->kind) {
    case EVENT_FORWARDED:
        interval->forwarded_ps = at_ps;
        break;
    case EVENT_COMPUTE_START:
        interval->round = (uint8_t)event->detail;
        interval->units = event->value;
        interval->compute_start_ps = at_ps;
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
        } else {
            read_interval(node, event, at_ps);
        }
    }
    for (unsigned k = 0; k < node->intervals; ++k) {
        node->active = true;
        node->units += node->interval[k].units;
        node->finished_ps = node->interval[k].compute_end_ps;
    }
    node->hop_ps = node->interval[0].forwarded_ps;
    node->forwarded_ps = node->interval[0].forwarded_ps;
    node->compute_start_ps = node->interval[0].compute_start_ps;
}

/* A node that has no part in a batch still has the log of the one before it,
   which ended before this one's scatter began. */
static bool is_old(const struct node_event *event, uint32_t count,
                   uint64_t zero_ps)
{
    return count > 0 && (int64_t)(event[count - 1].time_ps - zero_ps) < 0;
}

void collect_log(struct outcome_node *node, const struct node_event *event,
                 uint32_t count, uint64_t zero_ps)
{
    keep_events(node, event, is_old(event, count, zero_ps) ? 0 : count);
    read_events(node, zero_ps);
}

static void read_node(struct outcome *outcome, const struct mesh *mesh,
                      uint32_t index)
{
    struct outcome_node *node = &outcome->node[index];
    const struct window *window =
        mesh->backend->window(mesh->backend->context, index);
    uint32_t events = window_read_u32(&window->log.events_written);

    node->at = torus_coord_of(outcome->size, index);
    if (torus_phases(outcome->size) >= 0) {
        node->layer =
            torus_role_of(outcome->size, outcome->originator, node->at).layer;
    }
    node->stack_used_bytes = window->node.status.stack_used_bytes;
    node->stack_bytes = window->node.status.stack_bytes;
    memcpy(node->port, window->port, sizeof window->port);
    collect_log(node, window->log.event,
                events < NODE_EVENTS ? events : NODE_EVENTS,
                outcome->plan.scatter_start_ps);
}

/* A node's first sends are asked for when they have been queued. */
static void read_hop(struct outcome_node *source,
                     const struct circuit_record *circuit)
{
    if (circuit->request_ps < source->hop_ps) {
        source->hop_ps = circuit->request_ps;
    }
}

/* A node's volumes come out of one port, in order of rounds. */
static void read_receipt(struct outcome_node *node,
                         struct circuit_record *circuit, uint8_t *receipts)
{
    node->layer = circuit->phase;
    circuit->round = *receipts;
    *receipts += 1;
    if (circuit->round < node->intervals) {
        node->interval[circuit->round].received_ps = circuit->end_ps;
    }
    if (circuit->round == 0) {
        node->received_ps = circuit->end_ps;
    }
}

/* Circuits, with times counted from the start of the scatter. */
static void read_circuits(struct outcome *outcome, const struct mesh *mesh,
                          uint32_t first)
{
    const struct circuit_record *from =
        fabric_circuits(mesh->fabric, &outcome->circuit_count) + first;
    uint64_t zero_ps = outcome->plan.scatter_start_ps;
    uint8_t *receipts = memory_or_exit(calloc(outcome->node_count, 1));

    outcome->circuit_count -= first;
    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        struct circuit_record *circuit = &outcome->circuit[i];

        *circuit = from[i];
        circuit->request_ps -= zero_ps;
        circuit->grant_ps -= zero_ps;
        circuit->end_ps -= zero_ps;
        outcome->messages += 1;
        outcome->payload_bytes += circuit->bytes - CIRCUIT_HEADER_BYTES;
        if (circuit->kind == WIRE_BRANCH) {
            circuit->kind = WIRE_PART; /* to people the same */
        }
        if (circuit->kind == WIRE_PART) {
            uint32_t to = circuit->destination;

            read_hop(&outcome->node[circuit->source], circuit);
            read_receipt(&outcome->node[to], circuit, &receipts[to]);
        }
    }
    outcome->conflicts = fabric_conflicts(mesh->fabric);
    free(receipts);
}

void collect_begin(struct outcome *outcome, const struct job_config *config,
                   const struct wire_order *order, uint32_t circuits)
{
    uint32_t nodes = (uint32_t)config->size.width * config->size.height;
    struct node_counters *port =
        memory_or_exit(calloc((size_t)nodes * NODE_PORTS, sizeof *port));

    outcome->size = config->size;
    outcome->originator = config->originator;
    outcome->profile = config->profile;
    outcome->plan_profile = *job_plan_profile(config);
    outcome->kernel = config->kernel;
    outcome->input_name = config->input_name;
    outcome->load_units = order->load_units;
    outcome->load_bytes = (uint64_t)order->load_units * order->unit_bytes;
    outcome->node_count = nodes;
    outcome->node = memory_or_exit(calloc(nodes, sizeof *outcome->node));
    for (uint32_t i = 0; i < nodes; ++i) {
        outcome->node[i].port = port + (size_t)i * NODE_PORTS;
    }
    outcome->circuit =
        memory_or_exit(calloc((size_t)circuits + 1, sizeof *outcome->circuit));
}

void collect_outcome(struct outcome *outcome, const struct job_config *config,
                     const struct wire_order *order, const struct mesh *mesh,
                     uint32_t first_circuit)
{
    uint32_t circuits;

    fabric_circuits(mesh->fabric, &circuits);
    collect_begin(outcome, config, order, circuits - first_circuit);
    outcome->on = mesh->backend->on;
    outcome->board = mesh->backend->board;
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        read_node(outcome, mesh, i);
    }
    read_circuits(outcome, mesh, first_circuit);
    layers_fill(outcome);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/simulate.h"

#include "qemu/model/event_queue.h"
#include "qemu/support/memory.h"
#include "qemu/support/progress.h"
#include "scatter/plan/split.h"

#include <stdlib.h>
#include <string.h>

#define LINKS_MAX (2u * TORUS_SIDE_MAX)

/*
 * An event is a circuit that ends, or a node that has computed its share. Both
 * are numbers in the order of nodes: node, port, phase. 5^10 nodes take 24
 * bits.
 */
/* Events between two looks at whether progress is to be shown. */
#define PROGRESS_EVENTS 65536u

#define FINISHED ((uint32_t)1 << 31)
#define PHASE_BITS 4u
#define PORT_BITS 2u
#define CIRCUIT_BITS 30u

static uint32_t circuit_of(uint32_t node, unsigned phase, unsigned port)
{
    return (node << PORT_BITS | port) << PHASE_BITS | phase;
}

static unsigned phase_of(uint32_t circuit)
{
    return circuit & ((1u << PHASE_BITS) - 1);
}

static unsigned port_of(uint32_t circuit)
{
    return circuit >> PHASE_BITS & (TORUS_PORTS - 1);
}

static uint32_t node_of(uint32_t circuit)
{
    return (circuit & (FINISHED - 1)) >> (PHASE_BITS + PORT_BITS);
}

/* A link: a bit for each phase that has used it; above, who holds it. */
#define HOLDER_SHIFT 12u
#define USED_BITS ((1u << HOLDER_SHIFT) - 1)

struct list {
    uint32_t *circuit;
    size_t count;
    size_t room;
};

struct simulation {
    const struct simulate_input *input;
    struct simulate_outcome *outcome;
    struct simulate_node *nodes;
    struct event_queue *events;
    uint16_t *link; /* by torus_link() */
    uint64_t now_ps;
    struct list requests; /* of now */
    struct list sorted;
    struct list waiting; /* in the order of their requests */
    bool released;       /* links, since the waiting ones were tried */
    int error;           /* the first one: ends the simulation */
    uint32_t path_links; /* of the circuit looked at last */
    uint32_t path_link[LINKS_MAX];
};

/* ---- lists ---- */

static void allocate_room(struct list *list, size_t room)
{
    if (room > list->room) {
        list->room = room < 2 * list->room ? 2 * list->room : room;
        list->circuit = memory_or_exit(
            realloc(list->circuit, list->room * sizeof *list->circuit));
    }
}

static void append(struct list *list, uint32_t circuit)
{
    allocate_room(list, list->count + 1);
    list->circuit[list->count++] = circuit;
}

/* Three stable passes by ten bits each, from the lowest. */
static void sort_requests(struct simulation *simulation)
{
    enum {
        DIGIT = CIRCUIT_BITS / 3,
        DIGITS = 1 << DIGIT
    };
    struct list *from = &simulation->requests;
    struct list *to = &simulation->sorted;

    allocate_room(to, from->count);
    for (unsigned shift = 0; shift < CIRCUIT_BITS; shift += DIGIT) {
        size_t start[DIGITS + 1] = {0};
        struct list swapped = *from;

        for (size_t i = 0; i < from->count; ++i) {
            start[(from->circuit[i] >> shift) % DIGITS + 1] += 1;
        }
        for (unsigned digit = 1; digit < DIGITS; ++digit) {
            start[digit] += start[digit - 1];
        }
        for (size_t i = 0; i < from->count; ++i) {
            unsigned digit = (from->circuit[i] >> shift) % DIGITS;

            to->circuit[start[digit]++] = from->circuit[i];
        }
        to->count = from->count;
        *from = *to;
        *to = swapped;
    }
}

/* ---- circuits ---- */

static struct torus_path path_of(const struct simulation *simulation,
                                 uint32_t circuit)
{
    return simulation->input->path[phase_of(circuit) - 1][port_of(circuit)];
}

static struct torus_coord source_of(const struct simulation *simulation,
                                    uint32_t circuit)
{
    return torus_coord_of(simulation->input->size, node_of(circuit));
}

static void find_links(struct simulation *simulation, uint32_t circuit)
{
    simulation->path_links = (uint32_t)torus_path_links(
        simulation->input->size, source_of(simulation, circuit),
        path_of(simulation, circuit), simulation->path_link, LINKS_MAX);
}

/* Counts; keeps where and when the first time was. */
static void count_meeting(const struct simulation *simulation, uint64_t *count,
                          struct simulate_meeting *first, uint32_t circuit,
                          uint32_t link, unsigned other_phase)
{
    *count += 1;
    if (*count == 1) {
        *first =
            (struct simulate_meeting){.time_ps = simulation->now_ps,
                                      .source = source_of(simulation, circuit),
                                      .link = link,
                                      .port = (uint8_t)port_of(circuit),
                                      .phase = (uint8_t)phase_of(circuit),
                                      .other_phase = (uint8_t)other_phase};
    }
}

/* A link of the circuit that another one holds, or NULL. */
static const uint32_t *find_held(struct simulation *simulation,
                                 uint32_t circuit)
{
    find_links(simulation, circuit);
    for (uint32_t i = 0; i < simulation->path_links; ++i) {
        if (simulation->link[simulation->path_link[i]] >> HOLDER_SHIFT != 0) {
            return &simulation->path_link[i];
        }
    }
    return NULL;
}

/* Holds what find_held() has found free. */
static void hold_links(struct simulation *simulation, uint32_t circuit)
{
    struct simulate_outcome *outcome = simulation->outcome;
    unsigned phase = phase_of(circuit);
    uint16_t mark = (uint16_t)(phase << HOLDER_SHIFT | 1u << (phase - 1));

    for (uint32_t i = 0; i < simulation->path_links; ++i) {
        uint16_t *link = &simulation->link[simulation->path_link[i]];

        if ((*link & mark & USED_BITS) != 0) {
            count_meeting(simulation, &outcome->overlaps,
                          &outcome->first_overlap, circuit,
                          simulation->path_link[i], phase);
        }
        *link |= mark;
    }
}

static void release_links(struct simulation *simulation, uint32_t circuit)
{
    find_links(simulation, circuit);
    for (uint32_t i = 0; i < simulation->path_links; ++i) {
        simulation->link[simulation->path_link[i]] &= USED_BITS;
    }
    simulation->released = true;
}

static uint32_t units_of(const struct simulation *simulation, uint32_t circuit)
{
    const struct simulate_input *input = simulation->input;
    const struct simulate_node *node = &simulation->nodes[node_of(circuit)];
    struct split split;

    /* No error: it has been split like this when it was received. */
    if (split_volume(&split, input->tables.volume_units,
                     input->tables.share_units, input->phases, node->layer,
                     node->volume_units) != ERR_OK) {
        abort();
    }
    return split_child_units(&split, phase_of(circuit), port_of(circuit));
}

/* An event `count` times `each_ps` and `more_ps` from now. */
static void add_event(struct simulation *simulation, uint32_t event,
                      uint64_t count, uint64_t each_ps, uint64_t more_ps)
{
    uint64_t time_ps;

    if (__builtin_mul_overflow(count, each_ps, &time_ps) ||
        __builtin_add_overflow(time_ps, more_ps, &time_ps) ||
        __builtin_add_overflow(time_ps, simulation->now_ps, &time_ps) ||
        time_ps > MODEL_TIME_MAX_PS) {
        simulation->error = ERR_RANGE;
    } else {
        event_queue_add(simulation->events, time_ps, event);
    }
}

/* find_held() has found all its links free. */
static void set_up(struct simulation *simulation, uint32_t circuit)
{
    const struct simulate_input *input = simulation->input;
    uint64_t startup_ps =
        input->startup_ps +
        input->hop_delay_ps * torus_path_hops(path_of(simulation, circuit));

    hold_links(simulation, circuit);
    simulation->outcome->circuits_set_up += 1;
    add_event(simulation, circuit, units_of(simulation, circuit),
              input->transfer_ps, startup_ps);
}

static void request(struct simulation *simulation, uint32_t circuit)
{
    const uint32_t *held = find_held(simulation, circuit);

    if (held != NULL) {
        count_meeting(simulation, &simulation->outcome->conflicts,
                      &simulation->outcome->first_conflict, circuit, *held,
                      simulation->link[*held] >> HOLDER_SHIFT);
        append(&simulation->waiting, circuit);
    } else {
        set_up(simulation, circuit);
    }
}

static void try_waiting(struct simulation *simulation)
{
    struct list *waiting = &simulation->waiting;
    size_t kept = 0;

    if (!simulation->released) {
        return;
    }
    simulation->released = false;
    for (size_t i = 0; i < waiting->count; ++i) {
        if (find_held(simulation, waiting->circuit[i]) != NULL) {
            waiting->circuit[kept++] = waiting->circuit[i];
        } else {
            set_up(simulation, waiting->circuit[i]);
        }
    }
    waiting->count = kept;
}

static void serve_requests(struct simulation *simulation)
{
    struct list *requests = &simulation->requests;

    sort_requests(simulation);
    for (size_t i = 0; i < requests->count; ++i) {
        request(simulation, requests->circuit[i]);
    }
    requests->count = 0;
}

/* ---- nodes ---- */

static void receive(struct simulation *simulation, uint32_t index,
                    unsigned layer, uint32_t units)
{
    const struct simulate_input *input = simulation->input;
    struct simulate_node *node = &simulation->nodes[index];
    struct split split;

    if (node->reached) {
        simulation->outcome->reached_again += 1;
        return;
    }
    *node = (struct simulate_node){.received_ps = simulation->now_ps,
                                   .volume_units = units,
                                   .share_units = units,
                                   .layer = (uint8_t)layer,
                                   .reached = true};
    if (split_volume(&split, input->tables.volume_units,
                     input->tables.share_units, input->phases, layer,
                     units) != ERR_OK) {
        simulation->outcome->refused += 1;
    } else {
        node->share_units = split.share_units;
        for (unsigned port = 0; layer < input->phases && port < TORUS_PORTS;
             ++port) {
            append(&simulation->requests, circuit_of(index, layer + 1, port));
        }
    }
    add_event(simulation, FINISHED | circuit_of(index, 0, 0), node->share_units,
              input->compute_ps, 0);
}

static void end_circuit(struct simulation *simulation, uint32_t circuit)
{
    struct torus_size size = simulation->input->size;
    unsigned phase = phase_of(circuit);
    struct torus_coord end = torus_path_end(
        size, source_of(simulation, circuit), path_of(simulation, circuit));

    simulation->outcome->circuits_ended += 1;
    release_links(simulation, circuit);
    receive(simulation, torus_index(size, end), phase,
            units_of(simulation, circuit));
    if (phase < simulation->input->phases) {
        append(&simulation->requests, circuit + 1);
    }
}

static void finish(struct simulation *simulation, struct simulate_node *node)
{
    struct simulate_outcome *outcome = simulation->outcome;

    node->finished = true;
    if (outcome->finished == 0) {
        outcome->finish_ps.least = simulation->now_ps;
    }
    outcome->finish_ps.most = simulation->now_ps;
    outcome->finished += 1;
    outcome->units_total += node->share_units;
}

/* Every node finishes, and all but the originator are at the end of a circuit.
 */
static void show_progress(const struct simulation *simulation, uint64_t events)
{
    progress_show(&(struct progress_step){
        .doing = "simulating",
        .done = events,
        .total = 2 * (uint64_t)torus_nodes(simulation->input->size) - 1,
        .things = "events"});
}

static void work_off(struct simulation *simulation)
{
    uint64_t events = 0;

    while (simulation->error == ERR_OK &&
           event_queue_next(simulation->events, &simulation->now_ps)) {
        uint32_t event;

        while (event_queue_remove(simulation->events, &event)) {
            if (events % PROGRESS_EVENTS == 0) {
                show_progress(simulation, events);
            }
            events += 1;
            if ((event & FINISHED) != 0) {
                finish(simulation, &simulation->nodes[node_of(event)]);
            } else {
                end_circuit(simulation, event);
            }
        }
        try_waiting(simulation);
        serve_requests(simulation);
    }
}

/* ---- the outcome ---- */

static void widen(struct simulate_range *range, uint64_t value, bool first)
{
    if (first || value < range->least) {
        range->least = value;
    }
    if (first || value > range->most) {
        range->most = value;
    }
}

static void count_node(struct simulate_outcome *outcome,
                       const struct simulate_node *node, uint64_t compute_ps)
{
    struct simulate_layer *layer = &outcome->layer[node->layer];
    bool first = layer->nodes == 0;

    layer->nodes += 1;
    widen(&layer->volume_units, node->volume_units, first);
    widen(&layer->share_units, node->share_units, first);
    widen(&layer->received_ps, node->received_ps, first);
    widen(&layer->finished_ps,
          node->received_ps + node->share_units * compute_ps, first);
}

static void survey(struct simulate_outcome *outcome,
                   const struct simulate_node nodes[],
                   const struct simulate_input *input)
{
    uint32_t count = torus_nodes(input->size);

    for (uint32_t i = 0; i < count; ++i) {
        struct torus_coord at = torus_coord_of(input->size, i);
        struct torus_role role =
            torus_role_of(input->size, input->originator, at);

        if (nodes[i].reached) {
            outcome->reached += 1;
            outcome->misplaced += nodes[i].layer != role.layer;
            count_node(outcome, &nodes[i], input->compute_ps);
        }
    }
}

void simulate_set_paths(struct simulate_input *input)
{
    unsigned phases = (unsigned)torus_phases(input->size);

    for (unsigned phase = 1; phase <= phases; ++phase) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            input->path[phase - 1][port] =
                torus_phase_path(input->size, phase, (enum torus_port)port);
        }
    }
}

int simulate_run(struct simulate_outcome *outcome, struct simulate_node nodes[],
                 const struct simulate_input *input)
{
    uint32_t count = torus_nodes(input->size);
    struct simulation simulation = {
        .input = input, .outcome = outcome, .nodes = nodes};

    memset(outcome, 0, sizeof *outcome);
    memset(nodes, 0, count * sizeof *nodes);
    simulation.link = calloc(2 * (size_t)count, sizeof *simulation.link);
    if (simulation.link == NULL) {
        return ERR_MEMORY;
    }
    simulation.events = event_queue_new();
    receive(&simulation, torus_index(input->size, input->originator), 0,
            input->load_units);
    serve_requests(&simulation);
    work_off(&simulation);
    survey(outcome, nodes, input);
    event_queue_free(simulation.events);
    free(simulation.link);
    free(simulation.requests.circuit);
    free(simulation.sorted.circuit);
    free(simulation.waiting.circuit);
    return simulation.error;
}

/* ---- checks ---- */

/* The planner's largest error, with room for a double's: 2^-18 unit. */
#define SLACK_BITS 18u

uint64_t simulate_bound_ps(const struct simulate_input *input)
{
    return input->phases * input->transfer_ps + input->compute_ps;
}

/* Every value is the floor of the exact one, or one more. */
static bool rounds(const struct simulate_range *range, double exact)
{
    double slack = 1.0 / (double)(1u << SLACK_BITS);
    double low = exact < slack ? 0 : exact - slack;

    return range->least >= (uint64_t)low &&
           range->most <= (uint64_t)(exact + slack) + 1;
}

static bool check_makespan(const struct simulate_outcome *outcome,
                           const struct simulate_input *input,
                           const struct model_plan *model)
{
    uint64_t bound_ps = simulate_bound_ps(input);
    uint64_t slack_ps = (bound_ps >> SLACK_BITS) + 1;

    return outcome->finish_ps.most + slack_ps >= model->makespan_ps &&
           outcome->finish_ps.most <= model->makespan_ps + bound_ps + slack_ps;
}

void simulate_check(bool passed[SIMULATE_CHECKS],
                    const struct simulate_outcome *outcome,
                    const struct simulate_input *input,
                    const struct model_plan *model)
{
    uint32_t active = 0;

    passed[SIMULATE_LAYERS] = outcome->misplaced == 0;
    passed[SIMULATE_VOLUMES] = outcome->refused == 0;
    passed[SIMULATE_SHARES] = true;
    for (unsigned i = 0; i <= input->phases; ++i) {
        const struct simulate_layer *layer = &outcome->layer[i];

        active += torus_layer_nodes(i);
        passed[SIMULATE_LAYERS] &= layer->nodes == torus_layer_nodes(i);
        passed[SIMULATE_VOLUMES] &=
            rounds(&layer->volume_units, model->volume_units[i]);
        passed[SIMULATE_SHARES] &=
            rounds(&layer->share_units, model->share_units[i]);
    }
    passed[SIMULATE_REACHED] = outcome->reached == active &&
                               outcome->finished == active &&
                               outcome->reached_again == 0;
    passed[SIMULATE_TOTAL] = outcome->units_total == input->load_units;
    passed[SIMULATE_DISJOINT] = outcome->overlaps == 0;
    passed[SIMULATE_MAKESPAN] = check_makespan(outcome, input, model);
}

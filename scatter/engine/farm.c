/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/farm.h"

#include "scatter/engine/compute.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/lost.h"
#include "scatter/engine/measure.h"
#include "scatter/engine/originator.h"
#include "scatter/plan/farm.h"
#include "scatter/plan/fixed.h"
#include "scatter/plan/tree.h"
#include "torus/torus.h"

#include <string.h>

#define DEMAND_ROOM_BYTES 32u /* a demand without output, with its header */
static_assert(DEMAND_ROOM_BYTES == CIRCUIT_HEADER_BYTES + WIRE_DEMAND_BYTES,
              "a demand fits");

static uint32_t slots_of(uint32_t workers)
{
    return fixed_smaller(workers, CIRCUIT_AHEAD_MAX);
}

int farm_open(struct scatter *scatter, struct farm_state **made,
              const struct plan_job *input)
{
    uint32_t workers = input->nodes - 1;
    struct farm_state *state = (struct farm_state *)(void *)originator_allocate(
        scatter, (uint32_t)(sizeof *state + workers * sizeof *state->worker));

    *made = state;
    if (state == NULL) {
        return ERR_MEMORY;
    }
    *state = (struct farm_state){.own = farm_member(),
                                 .workers = workers,
                                 .slots = (uint8_t)slots_of(workers),
                                 .slot_bytes = DEMAND_ROOM_BYTES};
    farm_init(&state->farm, input);
    for (uint32_t i = 0; i < workers; ++i) {
        state->worker[i] =
            (struct farm_worker){.member = farm_member(), .waits = true};
    }
    if (scatter_has_output(scatter)) {
        uint32_t output = compute_output_room(scatter, input->most_units);

        state->slot_bytes += WIRE_OUTPUT_CHUNK_BYTES + ((output + 8u) & ~7u);
    }
    state->slot =
        originator_allocate(scatter, state->slots * state->slot_bytes);
    state->log_most = farm_log_most(
        workers, (uint32_t)(scatter->room_end - scatter->circuit->memory));
    state->log = (struct wire_chunk *)(void *)originator_allocate(
        scatter, state->log_most * WIRE_CHUNK_BYTES);
    if (state->log == NULL) {
        state->log_most = 0;
    }
    return state->slot != NULL ? ERR_OK : ERR_MEMORY;
}

/* ---- members of the farm, read from the announced tree ---- */

/* Returns the next branch that `server` serves; tree_next(server) or later:
   none. Inline: a farm is planned 25 us faster. */
__attribute__((always_inline)) static inline const uint8_t *
next_member(const uint8_t *server, const uint8_t *at)
{
    if (tree_phase(server) > 0) {
        return tree_next_of_group(server, at);
    }
    do {
        at += TREE_BRANCH_BYTES;
    } while (at < tree_next(server) && tree_in_group(at));
    return at;
}

uint32_t farm_count_members(const uint8_t *server)
{
    const uint8_t *end = tree_next(server);
    uint32_t nodes = 0;

    for (const uint8_t *at = server; at < end; at = next_member(server, at)) {
        nodes += 1;
    }
    return nodes;
}

/* Returns a node's speed; FARM_SPEED_ONE: the node has no slowdown. */
static uint32_t speed_of(const uint8_t *branch)
{
    return FARM_SPEED_ONE >> tree_slow_shift(branch);
}

static uint64_t speed_of_group(const uint8_t *master)
{
    const uint8_t *end = tree_next(master);
    uint64_t speed = 0;

    for (const uint8_t *at = master; at < end;
         at = tree_next_of_group(master, at)) {
        speed += speed_of(at);
    }
    return speed;
}

int farm_add_workers(const struct scatter *scatter, struct farm_state *state)
{
    const uint8_t *server = scatter->tree.branch;
    const uint8_t *at = server;
    bool groups = tree_phase(server) == 0 && state->farm.masters;

    farm_set_speed(&state->farm, &state->own, speed_of(server));
    for (uint32_t i = 0; i < state->workers; ++i) {
        struct farm_worker *worker = &state->worker[i];

        at = next_member(server, at);
        worker->path = tree_direct(at);
        farm_set_speed(&state->farm, &worker->member,
                       groups ? speed_of_group(at) : speed_of(at));
        if (!torus_path_valid(scatter->size, worker->path)) {
            return ERR_PLAN;
        }
    }
    return ERR_OK;
}

/* Every other worker takes chunks from the range's end, so that slow units
   there are begun early. */
static bool takes_from_end(uint32_t index)
{
    return (index & 1u) != 0;
}

int farm_send_chunk(struct scatter *scatter, struct farm_state *state,
                    uint32_t index)
{
    struct farm_worker *worker = &state->worker[index];
    struct torus_path path = worker->path;
    uint32_t units = farm_next(&state->farm, &worker->member);
    uint32_t skipped = takes_from_end(index) ? state->farm.left : 0;
    bool logs = units > 0 && state->logged < state->log_most;
    struct wire_chunk *head =
        logs ? &state->log[state->logged++] : &worker->head;
    struct circuit_message message = {
        .path = path,
        .kind = WIRE_CHUNK,
        .head = {(const uint8_t *)head, WIRE_CHUNK_BYTES}};

    *head = (struct wire_chunk){.units = units,
                                .first_unit = scatter->first_unit + skipped,
                                .worker = (uint16_t)index,
                                .number = worker->chunks};
    if (worker->chunks == 0) {
        message.shared = state->job;
    }
    if (units > 0) {
        message.body[path.port] = scatter_cut(scatter, skipped, units);
    } else {
        worker->ended = true;
        state->at_work -= 1;
        state->results += !worker->gone;
    }
    worker->chunks += 1;
    if (!takes_from_end(index)) {
        scatter_skip(scatter, units);
    }
    return scatter_send(scatter, 1u << path.port, &message);
}

int farm_serve_waiting(struct scatter *scatter, struct farm_state *state)
{
    uint32_t index = state->turn;
    int error = ERR_OK;

    for (uint32_t i = 0; error == ERR_OK && i < state->workers; ++i) {
        struct farm_worker *worker = &state->worker[index];

        if (state->farm.left == 0 && state->more) {
            break;
        }
        if (worker->waits && (state->farm.left > 0 || worker->chunks > 0)) {
            worker->waits = false;
            state->at_work += worker->chunks == 0;
            error = farm_send_chunk(scatter, state, index);
        }
        index = index + 1 < state->workers ? index + 1 : 0;
    }
    state->turn = index;
    return error;
}

int farm_serve(struct scatter *scatter, struct farm_state *state,
               const struct circuit_delivery *delivery)
{
    struct farm_worker *worker;
    struct wire_demand demand;
    int error =
        wire_load(&demand, sizeof demand, delivery->payload, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    if (delivery->bytes > WIRE_DEMAND_BYTES &&
        (!scatter_has_output(scatter) || delivery->bytes % 4 != 0)) {
        return ERR_LENGTH;
    }
    if (demand.worker >= state->workers) {
        return ERR_PLACE;
    }
    worker = &state->worker[demand.worker];
    if (worker->gone) {
        return ERR_OK; /* it was lost meanwhile, and gets no more */
    }
    worker->asked = true;
    if (worker->waits || worker->ended || demand.number != worker->chunks) {
        return ERR_PLACE;
    }
    if (demand.units > 0) {
        if (worker->chunks == 0) {
            farm_known(&worker->member);
        }
        farm_measured(&state->farm, &worker->member, demand.units,
                      demand.compute_ps);
    }
    if (state->farm.left > 0 || !(state->more || state->end != NULL)) {
        return farm_send_chunk(scatter, state, demand.worker);
    }
    worker->waits = true;
    return state->more ? ERR_OK : state->end(scatter, state, demand.worker);
}

#define DEMAND_PORTS (CIRCUIT_ALL_PORTS | CIRCUIT_ONLY(WIRE_DEMAND))

/* Has the switch receive a demand into slot `at` while this node computes. */
static int listen(const struct scatter *scatter, const struct farm_state *state,
                  uint8_t *at)
{
    return circuit_receive_ahead(scatter->circuit, DEMAND_PORTS, at,
                                 state->slot_bytes);
}

static int listen_all(const struct scatter *scatter,
                      const struct farm_state *state)
{
    int error = ERR_OK;

    for (unsigned i = 0;
         error == ERR_OK && state->at_work > 0 && i < state->slots; ++i) {
        error = listen(scatter, state, state->slot + i * state->slot_bytes);
    }
    return error;
}

/* Appends the demand's output to those received before. */
static int keep_output(struct scatter *scatter,
                       const struct gather_place *place,
                       const struct circuit_delivery *delivery, int error)
{
    uint8_t *to = place->at + place->ahead_bytes;
    uint32_t room = (uint32_t)(scatter->free_to - to);
    uint32_t bytes = 0;

    if (error == ERR_OK && delivery->bytes - WIRE_DEMAND_BYTES > room) {
        error = ERR_MEMORY;
    }
    if (error == ERR_OK) {
        const uint8_t *from = delivery->payload + WIRE_DEMAND_BYTES;

        bytes = delivery->bytes - WIRE_DEMAND_BYTES;
        if (to != from) { /* a demand outside the slots is in place */
            memcpy(to, from, bytes);
        }
    }
    scatter_end_append(scatter, place, bytes);
    scatter->free_from += bytes;
    return error;
}

/* Serves a demand before mesh time until_ps; ERR_TIMEOUT: none came. */
static int serve_until(struct scatter *scatter, struct farm_state *state,
                       uint64_t until_ps)
{
    bool output = scatter_has_output(scatter);
    struct circuit_delivery delivery;
    struct gather_place place;
    int error = ERR_OK;
    uint8_t *at;

    place.at = state->slot;
    place.capacity_bytes = state->slot_bytes;
    if (output) {
        error = scatter_begin_append(scatter, &place, WIRE_DEMAND_BYTES);
    }
    if (error != ERR_OK) {
        return error;
    }
    error = circuit_receive_until(scatter->circuit, &delivery, DEMAND_PORTS,
                                  place.at, place.capacity_bytes, until_ps);
    if (error == ERR_OK) {
        error = farm_serve(scatter, state, &delivery);
    }
    if (output) {
        error = keep_output(scatter, &place, &delivery, error);
    }
    if (error != ERR_OK) {
        return error;
    }
    at = delivery.payload - CIRCUIT_HEADER_BYTES;
    return at >= state->slot &&
                   at < state->slot + state->slots * state->slot_bytes
               ? listen(scatter, state, at)
               : ERR_OK;
}

static int compute_slice(struct scatter *scatter, struct farm_state *state)
{
    uint32_t units = state->first_units > 0
                         ? farm_take(&state->farm, state->first_units)
                         : farm_slice(&state->farm, &state->own);
    uint64_t start_ps = clock_now_ps(scatter->circuit->clock);
    uint64_t took_ps;
    int error;

    state->first_units = 0;
    scatter->split.share_units = units;
    error = scatter_compute(scatter);
    scatter->round += 1;
    took_ps = clock_now_ps(scatter->circuit->clock) - start_ps;
    farm_measured(&state->farm, &state->own, units, took_ps);
    state->own_ps += took_ps;
    state->own_units += units;
    scatter_skip(scatter, units);
    return error;
}

/* Serves demands until mesh time until_ps; 0: those that have arrived. */
static int serve_all(struct scatter *scatter, struct farm_state *state,
                     uint64_t until_ps)
{
    int error = ERR_OK;

    while (error == ERR_OK && state->at_work > 0) {
        error = serve_until(scatter, state, until_ps);
    }
    return error == ERR_TIMEOUT ? ERR_OK : error;
}

#define WAIT_JOBS 8u
/* The first question to workers comes so many times the last chunk's time after
   all is given, or a WAIT_PART-th of farm_wait_most_ps() if that is less. */
#define WAIT_CHUNKS 2u
#define WAIT_PART 64u
#define WAIT_LEAST_PS 10000000u /* 10 us */

uint64_t farm_wait_most_ps(const struct scatter *scatter)
{
    return WAIT_JOBS *
               (clock_now_ps(scatter->circuit->clock) - scatter->begun_ps) +
           WAIT_PART * WAIT_LEAST_PS;
}

/* Sets the time until workers are asked for. */
static void begin_wait(const struct scatter *scatter, struct farm_state *state)
{
    const struct farm *farm = &state->farm;
    uint64_t chunk_ps = fixed_product(farm->compute_ps, farm->last_units) /
                        farm->last_speed * FARM_SPEED_ONE;
    uint64_t wait_ps = WAIT_CHUNKS * chunk_ps + WAIT_LEAST_PS;

    state->wait_most_ps = farm_wait_most_ps(scatter);
    state->wait_ps = state->wait_most_ps / WAIT_PART;
    if (!farm->varies && wait_ps < state->wait_ps) {
        state->wait_ps = wait_ps;
    }
}

static uint64_t wait_until(const struct scatter *scatter,
                           const struct farm_state *state)
{
    return clock_now_ps(scatter->circuit->clock) + state->wait_ps;
}

/* A worker that is lost gets its end as one that has asked. */
static int lose(struct scatter *scatter, struct farm_state *state,
                uint32_t index)
{
    struct farm_worker *worker = &state->worker[index];
    /* Of a tail, results return along the pattern, and tell who is lost. */
    int error = state->end != NULL ? ERR_OK : lost_add(scatter, index);

    worker->gone = true;
    state->results -= worker->ended;
    if (error != ERR_OK || worker->ended) {
        return error;
    }
    worker->waits = true;
    return state->end != NULL ? state->end(scatter, state, index)
                              : farm_send_chunk(scatter, state, index);
}

/* Asks the workers that owe a demand; with `results`, a result. One that cannot
   be reached is lost. Those that have never asked are then lost, too: their job
   may have been announced by a worker that is lost. Result: 0; ERR_TIMEOUT if
   those that can be reached owe it for too long; an error of sending. */
static int ask_workers(struct scatter *scatter, struct farm_state *state,
                       bool results)
{
    uint32_t owing = 0;
    unsigned lost = 0;
    int error = ERR_OK;

    for (uint32_t i = 0; error == ERR_OK && i < state->workers; ++i) {
        struct farm_worker *worker = &state->worker[i];
        struct torus_path path = worker->path;
        unsigned unreached = 0;

        if (worker->gone || worker->waits || worker->ended != results) {
            continue;
        }
        owing += 1;
        error =
            circuit_ask(scatter->circuit, 1u << path.port, path, &unreached);
        if (error == ERR_OK && unreached != 0) {
            error = lose(scatter, state, i);
        }
        lost |= unreached;
    }
    for (uint32_t i = 0; error == ERR_OK && lost != 0 && i < state->workers;
         ++i) {
        if (!state->worker[i].asked && !state->worker[i].gone &&
            !state->worker[i].waits) {
            error = lose(scatter, state, i);
        }
    }
    if (owing >= state->owing) {
        state->wait_ps *= 2;
    } else {
        begin_wait(scatter, state);
    }
    state->owing = owing;
    return error == ERR_OK && state->wait_ps > state->wait_most_ps ? ERR_TIMEOUT
                                                                   : error;
}

static int serve_last(struct scatter *scatter, struct farm_state *state)
{
    int error;

    begin_wait(scatter, state);
    do {
        error = serve_all(scatter, state, wait_until(scatter, state));
    } while (error == ERR_OK && state->at_work > 0 &&
             (error = ask_workers(scatter, state, false)) == ERR_OK);
    return error;
}

/* Receives and merges a result. */
static int gather_result(struct scatter *scatter, struct farm_state *state)
{
    uint32_t units = scatter->computed_units;
    uint32_t number;
    int error =
        scatter_gather_any(scatter, 1, &number, wait_until(scatter, state));

    if (error != ERR_OK) {
        return error;
    }
    if (number >= state->workers) {
        return ERR_PLACE;
    }
    if (scatter->computed_units != units) {
        lost_found(scatter, number);
    }
    state->results -= !state->worker[number].gone;
    state->worker[number].gone = true;
    return ERR_OK;
}

int farm_gather_results(struct scatter *scatter, struct farm_state *state)
{
    int error = ERR_OK;

    begin_wait(scatter, state);
    while (error == ERR_OK && state->results > 0) {
        error = gather_result(scatter, state);
        if (error == ERR_TIMEOUT) {
            error = ask_workers(scatter, state, true);
        }
    }
    return error;
}

int farm_lost(struct scatter *scatter, struct originator *originator,
              uint32_t number)
{
    const struct farm_state *state = originator->farm;

    for (uint32_t i = 0; i < state->logged; ++i) {
        if (state->log[i].worker == number) {
            lost_range(scatter, originator, state->log[i].first_unit,
                       state->log[i].units);
        }
    }
    return state->logged < state->log_most ? ERR_OK : ERR_LOST;
}

int farm_work_off(struct scatter *scatter, struct farm_state *state)
{
    int error = listen_all(scatter, state);

    while (error == ERR_OK && (state->farm.left > 0 || state->more)) {
        if (state->farm.left > 0) {
            error = compute_slice(scatter, state);
        }
        if (error == ERR_OK) {
            error = serve_all(scatter, state, 0);
        }
        if (error == ERR_OK && state->more) {
            error = state->refill(scatter, state);
        }
    }
    if (error == ERR_OK && !scatter->has_result) {
        /* No own units: a run of no units makes a result to merge into. */
        scatter->split.share_units = 0;
        error = scatter_compute(scatter);
    }
    return error == ERR_OK ? serve_last(scatter, state) : error;
}

/* ---- the originator ---- */

/* Number of a worker's chunks that may have fewer units than farm.floor. */
#define SMALL_CHUNKS 5u
/* All slots together fit outputs of a SLOTS_PART-th of the load. */
#define SLOTS_PART 8u

/* Returns the originator's time to serve a demand, ps, at most 2^32 - 1. */
static uint64_t demand_ps(const struct scatter *scatter,
                          const struct wire_order *order)
{
    uint64_t ports_ps = 4 * order->startup_ps / order->ports;

    return fixed_smaller(fixed_larger(scatter->costs->demand_ps, ports_ps),
                         UINT32_MAX);
}

/* Returns the most units of a chunk for a load of `units` units. */
static uint32_t most_units(const struct scatter *scatter, uint32_t units,
                           uint32_t nodes)
{
    return scatter_has_output(scatter)
               ? units / (SLOTS_PART * slots_of(nodes)) + 1
               : units - units / 2;
}

int farm_input_of(struct plan_job *input, const struct scatter *scatter,
                  const struct originator *originator, uint32_t units,
                  uint32_t nodes)
{
    const struct wire_order *order = &originator->order;
    uint8_t ports = order->ports;

    if ((ports != 1 && ports != 2 && ports != TORUS_PORTS) ||
        order->startup_ps > PLANNER_TIME_MAX_PS ||
        fixed_product(order->transfer_ps, order->unit_bytes) >
            PLANNER_TIME_MAX_PS) {
        return ERR_RANGE;
    }
    input->compute_ps = originator->report.compute_ps;
    input->transfer_ps = order->transfer_ps * order->unit_bytes;
    input->demand_ps = demand_ps(scatter, order);
    input->call_ps = originator->report.call_ps;
    input->load_units = units;
    input->most_units = most_units(scatter, units, nodes);
    input->varies = scatter->terms.cost_varies || originator->unlikely;
    input->nodes = nodes;
    input->ports = ports;
    input->installment = order->rounds == WIRE_BEST ? 0 : order->rounds;
    input->served = 0;
    return ERR_OK;
}

/* Sets farm.floor, so that heads and padding of all outputs fit the memory. */
static void bound_pieces(const struct scatter *scatter,
                         struct farm_state *state, uint32_t nodes)
{
    uint32_t output = compute_output_room(scatter, scatter->units) +
                      CIRCUIT_HEADER_BYTES +
                      scatter_result_head_bytes(&scatter->terms);
    uint32_t room = (uint32_t)(scatter->free_to - scatter->free_from);
    uint32_t pieces =
        room > output ? (room - output) / (WIRE_OUTPUT_CHUNK_BYTES + 3u) : 0;
    uint32_t small = SMALL_CHUNKS * nodes;

    state->farm.floor =
        scatter->units / (pieces > small ? pieces - small : 1u) + 1;
}

/* Writes the job, without time slots: workers send results at once. */
static int store_job(struct scatter *scatter, struct originator *originator,
                     const struct plan_job *input)
{
    static const uint64_t no_times[2];
    struct farm_state *state = originator->farm;
    struct wire_farm_terms terms = {.compute_ps = input->compute_ps,
                                    .call_ps = input->call_ps,
                                    .demand_ps = (uint32_t)input->demand_ps,
                                    .installment = state->farm.installment};

    scatter->job.phases = 1;
    scatter->job.rounds = 1;
    scatter->job.slots = (struct wire_slots){.gather_ps = 0};
    scatter->job_bytes = wire_job_bytes(&scatter->job);
    originator->job = originator_allocate(scatter, scatter->job_bytes);
    if (originator->job == NULL) {
        return ERR_MEMORY;
    }
    wire_job_store(originator->job, &scatter->job, no_times);
    wire_job_store_farm(originator->job, &terms);
    state->job = (struct circuit_segment){originator->job, scatter->job_bytes};
    return ERR_OK;
}

static int open_farm(struct scatter *scatter, struct originator *originator,
                     struct plan_job *input)
{
    const uint8_t *tree = scatter->tree.branch;
    int error;

    input->nodes = farm_count_members(tree);
    input->served = tree_nodes(tree) - input->nodes;
    /* A group without a master is never served; masters pass on no outputs. */
    if (tree_in_group(tree) ||
        tree_next_of_group(tree, tree) < tree_next(tree) ||
        (input->served > 0 && scatter_has_output(scatter))) {
        return ERR_PLAN;
    }
    error = farm_open(scatter, &originator->farm, input);
    return error == ERR_OK ? farm_add_workers(scatter, originator->farm)
                           : error;
}

static int plan_order(struct scatter *scatter, struct originator *originator)
{
    struct wire_report *report = &originator->report;
    uint64_t start_ps = originator_now_ps(scatter);
    struct plan_job input;
    int error = farm_input_of(&input, scatter, originator, scatter->units,
                              tree_nodes(scatter->tree.branch));

    if (error != ERR_OK) {
        return error;
    }
    input.compute_ps =
        (input.compute_ps >> tree_slow_shift(scatter->tree.branch)) + 1;
    error = open_farm(scatter, originator, &input);
    if (error != ERR_OK) {
        return error;
    }
    report->meanwhile = report->output;
    report->phases = 1;
    report->phases_feasible = 1;
    report->rounds = 1;
    report->plan_ps = originator_now_ps(scatter) - start_ps;
    error = store_job(scatter, originator, &input);
    if (error == ERR_OK && scatter_has_output(scatter)) {
        bound_pieces(scatter, originator->farm, input.nodes);
    }
    return error;
}

/* Moves free_from to the first output, behind room for a demand's head. */
static int begin_outputs(struct scatter *scatter)
{
    scatter_begin_outputs(scatter);
    if (!scatter_has_output(scatter)) {
        return ERR_OK;
    }
    scatter->child_outputs += WIRE_DEMAND_BYTES;
    if (scatter->child_outputs > scatter->free_to) {
        return ERR_MEMORY;
    }
    scatter->free_from = scatter->child_outputs;
    return ERR_OK;
}

int farm_lead_served(struct scatter *scatter, struct originator *originator)
{
    struct farm_state *state = originator->farm;
    int error = begin_outputs(scatter);

    if (error == ERR_OK) {
        error = farm_work_off(scatter, state);
    }
    return error == ERR_OK ? measure_keep(scatter, originator, state->own_units,
                                          state->own_ps)
                           : error;
}

int farm_gather_workers(struct scatter *scatter,
                        const struct originator *originator)
{
    int error;

    scatter->circuit->node->status.state = NODE_STATE_GATHERING;
    error = farm_gather_results(scatter, originator->farm);
    scatter_record(scatter, EVENT_RESULT_MERGED, 1, scatter->result.bytes);
    return error;
}

int farm_carry_out(struct scatter *scatter, struct originator *originator)
{
    int error = plan_order(scatter, originator);

    if (error == ERR_OK) {
        originator_begin(scatter, originator);
        error = farm_serve_waiting(scatter, originator->farm);
    }
    if (error == ERR_OK) {
        error = farm_lead_served(scatter, originator);
    }
    return error == ERR_OK ? farm_gather_workers(scatter, originator) : error;
}

int farm_lead(struct scatter *scatter, struct originator *originator)
{
    int error;

    if (originator->alone) {
        originator->order.rounds = 1; /* for a farm it is the installment */
        policy_become(scatter, WIRE_TREE);
        return scatter->policy->lead(scatter, originator);
    }
    error = measure_kernel(scatter, originator);
    return error == ERR_OK ? farm_carry_out(scatter, originator) : error;
}
